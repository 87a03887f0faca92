// A rotation's answer that is lost cannot be settled by reading back: what is sent is sent again, and otherwise nobody
// says that it is done.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const manifest = (server: string) => `database: main
connections:
  - { name: ERP, type: SQL, sql: { common: { server: ${server}, integratedAuthentication: false, user: u, password: "\${env:SECRET}" } } }
`
const rotate = ['connection/main/ERP#common']

let workspace: Workspace
beforeAll(async () => {
  const settings = 'settings: { retry: { attempts: 3, maxDelay: 10ms } }'
  workspace = await openWorkspace({ tenant: sampleTenant, env: { SECRET: 'a secret that nobody may see' }, settings })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(sampleTenant)
  workspace.manifest(manifest('s'))
  await workspace.apply()
  await workspace.control('DELETE', '/requests')
})

const failing = (effect: Fault['effect'], count: number | null): void => {
  workspace.emulator.addFault({ match: { method: 'PATCH' }, count, effect })
}
const carriedOut = (): number => writesOf(workspace.emulator).filter((each) => each.carriedOut).length

const lost: readonly (readonly [string, Fault['effect']])[] = [
  ['a reset after the effect', { kind: 'reset', carriedOut: true }],
  ['a reset before the effect', { kind: 'reset', carriedOut: false }],
  ['a 500 after the effect', { kind: 'status', status: 500, carriedOut: true }],
  ['a 504 before the effect', { kind: 'status', status: 504, carriedOut: false }],
  ['a page of a gateway', { kind: 'text', carriedOut: false }],
]

describe.each(lost)('%s', (_name, effect) => {
  it('is sent again until it is answered: the same credentials twice are harmless', async () => {
    failing(effect, 1)
    const report = await workspace.apply({ rotate })
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(writesOf(workspace.emulator)).toHaveLength(2)
    expect(writesOf(workspace.emulator).at(-1)).toMatchObject({ carriedOut: true })
  })

  it('is unknown when no answer comes at all, also where something beside it can be seen', async () => {
    for (const server of ['s', 'other']) {
      workspace.manifest(manifest(server))
      failing(effect, null)
      const report = await workspace.apply({ rotate })
      expect(report.counts).toMatchObject({ done: 0, unchanged: 0, unknown: 1 })
      expect(report.outcome).not.toBe('converged')
      await workspace.control('DELETE', '/faults')
    }
  })
})

it.each([
  ['400', { kind: 'status', status: 400 }],
  ['403', { kind: 'status', status: 403 }],
] as const)('a refusal by %s has failed: that all else is as declared proves nothing', async (_status, effect) => {
  failing(effect, null)
  const report = await workspace.apply({ rotate })
  expect(report.counts).toMatchObject({ failed: 1, done: 0, unchanged: 0 })
  expect(carriedOut()).toBe(0)
  await workspace.control('DELETE', '/faults')
})

it.each([
  ['429', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
  ['423', { kind: 'status', status: 423 }],
  ['503 with a time', { kind: 'status', status: 503, headers: { 'retry-after': '0' } }],
] as const)('%s is waited for, and then it is done', async (_status, effect) => {
  failing(effect, 1)
  expect(await workspace.apply({ rotate })).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
  expect(carriedOut()).toBe(1)
})
