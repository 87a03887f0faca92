// /_control: what tests and people use to look into the embedded platform and to disturb it. Not part of the platform:
// no token, no latency, no faults.
import type { Context, Hono } from 'hono'
import { SvcsyncError } from '../../errors/index.ts'
import { behaviourChangesShape, changeBehaviour } from '../behaviour.ts'
import { parseJson, readBytes } from '../http/body.ts'
import type { Env, Platform } from '../http/exchange.ts'
import { faultShape } from '../http/faults.ts'
import { count, either, listOf, partial, type Shape } from '../shape/shape.ts'
import { saveTenant } from '../tenant/save-tenant.ts'
import { checked } from './edit.ts'
import { applyEdits } from './edits.ts'

const settingsShape = partial({ latencyMs: count, syncDelayMs: count })
const faultsShape = either(listOf(faultShape), faultShape)

export function mountControl(app: Hono<Env>, platform: Platform, load: (tenant: unknown) => void): void {
  const on = (method: string, path: string, handle: (body: unknown) => unknown) => {
    app.on(method, `/_control${path}`, async (c) => {
      try {
        const text = method === 'GET' || method === 'DELETE' ? '' : (await readBytes(c.env.incoming)).toString()
        return c.json((await handle(text === '' ? {} : parseJson(text))) ?? {})
      } catch (error) {
        return failure(c, error)
      }
    })
  }
  const onBody = <T>(method: string, path: string, shape: Shape<T>, handle: (body: T) => unknown) => {
    on(method, path, (body) => handle(checked(shape, body)))
  }
  const settings = () => ({ latencyMs: platform.latencyMs, syncDelayMs: platform.state.syncDelayMs })

  on('GET', '/requests', () => ({ requests: platform.log.show() }))
  on('DELETE', '/requests', () => platform.log.clear())
  on('GET', '/faults', () => ({ faults: platform.faults.list() }))
  on('DELETE', '/faults', () => platform.faults.clear())
  onBody('POST', '/faults', faultsShape, (faults) => ({
    numbers: [faults].flat().map((fault) => platform.faults.add(fault)),
  }))
  on('GET', '/state', () => saveTenant(platform.state))
  on('PUT', '/state', (tenant) => load(tenant))
  on('POST', '/edits', (edits) => {
    applyEdits(platform.state, [edits].flat())
    platform.changed()
  })
  on('GET', '/behaviour', () => platform.state.behaviour)
  onBody('PATCH', '/behaviour', behaviourChangesShape, (changes) => {
    platform.state.behaviour = changeBehaviour(platform.state.behaviour, changes)
    platform.changed()
    return platform.state.behaviour
  })
  on('GET', '/settings', settings)
  onBody('PATCH', '/settings', settingsShape, ({ latencyMs, syncDelayMs }) => {
    if (latencyMs !== undefined) platform.latencyMs = latencyMs
    if (syncDelayMs !== undefined) platform.state.syncDelayMs = syncDelayMs
    return settings()
  })
  on('DELETE', '/tokens', () => platform.tokens.expireAll())
  app.all('/_control/*', (c) => c.json({ error: 'There is no such control request.' }, 404))
}

function failure(c: Context<Env>, error: unknown): Response {
  if (error instanceof SvcsyncError) return c.json({ code: error.code, error: error.message }, 400)
  return c.json({ error: error instanceof Error ? error.message : 'Unknown failure.' }, 500)
}
