// _control: how tests and people look into the emulator and disturb it, without token, latency or faults.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SvcsyncError } from '@svcsync/errors/index.ts'
import { behaviourChangesShape, changeBehaviour } from '../behaviour.ts'
import { parseJson, readBytes } from '../http/body.ts'
import { faultShape } from '../http/faults.ts'
import type { Platform } from '../http/platform.ts'
import { count, either, listOf, partial } from '../shape/shape.ts'
import { saveTenant } from '../tenant/save-tenant.ts'
import { applyEdits, parseAs } from './edits.ts'

export const controlPrefix = '/_control'
const settingsShape = partial({ latencyMs: count, syncDelayMs: count })
const faultsShape = either(listOf(faultShape), faultShape)
type ControlRequests = Readonly<Record<string, (body: unknown) => unknown>>

/** By method and path; what is undefined answers with an empty object. */
export function controlRequests(platform: Platform, load: (tenant: unknown) => void): ControlRequests {
  const settings = () => ({ latencyMs: platform.latencyMs, syncDelayMs: platform.state.syncDelayMs })
  return {
    'GET /requests': () => ({ requests: platform.log.show() }),
    'DELETE /requests': () => platform.log.clear(),
    'GET /faults': () => ({ faults: platform.faults.list() }),
    'DELETE /faults': () => platform.faults.clear(),
    'POST /faults': (body) => ({
      numbers: [parseAs(faultsShape, body)].flat().map((fault) => platform.faults.add(fault)),
    }),
    'GET /state': () => saveTenant(platform.state),
    'PUT /state': load,
    'POST /edits': (edits) => {
      applyEdits(platform.state, [edits].flat())
      platform.changed()
    },
    'GET /behaviour': () => platform.state.behaviour,
    'PATCH /behaviour': (body) => {
      platform.state.behaviour = changeBehaviour(platform.state.behaviour, parseAs(behaviourChangesShape, body))
      platform.changed()
      return platform.state.behaviour
    },
    'GET /settings': settings,
    'PATCH /settings': (body) => {
      const { latencyMs = platform.latencyMs, syncDelayMs = platform.state.syncDelayMs } = parseAs(settingsShape, body)
      platform.latencyMs = latencyMs
      platform.state.syncDelayMs = syncDelayMs
      return settings()
    },
    'DELETE /tokens': () => platform.tokens.expireAll(),
  }
}

export async function answerControl(requests: ControlRequests, incoming: IncomingMessage, outgoing: ServerResponse) {
  const { method = 'GET', url = '' } = incoming
  const send = (status: number, value: unknown) => {
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
  const name = `${method} ${url.slice(controlPrefix.length).replace(/\?.*/s, '')}`
  const handle = Object.hasOwn(requests, name) ? requests[name] : undefined
  if (handle === undefined) return send(404, { error: 'There is no such control request.' })
  try {
    const text = method === 'GET' || method === 'DELETE' ? '' : (await readBytes(incoming)).toString()
    send(200, handle(text === '' ? {} : parseJson(text)) ?? {})
  } catch (error) {
    if (error instanceof SvcsyncError) return send(400, { code: error.code, error: error.message })
    send(500, { error: error instanceof Error ? error.message : 'Unknown failure.' })
  }
}
