// Refusals that pass are waited out; those that stay fail the step, which was then not carried out, and nothing else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { type Lanes, openLanes } from '../harness/lanes.ts'
import { untruths } from '../harness/report-truth.ts'
import { sharedOut } from '../harness/thorough.ts'
import { writesOf } from '../harness/write-log.ts'
import { beginAnew, type WritePath, writePaths } from './write-paths.ts'

let lanes: Lanes
beforeAll(async () => {
  const settings = 'settings: { retry: { attempts: 3, maxDelay: 10ms }, sync: { timeout: 200ms } }'
  lanes = await openLanes(3, { env: { SECRET: 'a secret that nobody may see' }, settings }, beginAnew)
})
afterAll(() => lanes.close())

const status = (code: number, headers: Record<string, string> = {}, body?: object): Fault['effect'] => ({
  kind: 'status',
  status: code,
  headers,
  ...(body && { body }),
})
const held = { type: 'ResourceIsLocked', description: 'Somebody is at it.' }
/**
 * Every path meets one 429, one of those that say held or not now, and the token; each is met by some path: the last
 * numbers are which of how many.
 */
const passing: readonly (readonly [string, number, () => Fault['effect'], number, number])[] = [
  ['429 with seconds, twice', 2, () => status(429, { 'retry-after': '0' }), 0, 3],
  ['429 with a date, twice', 2, () => status(429, { 'retry-after': new Date().toUTCString() }), 1, 3],
  ['429 that says no more, twice', 2, () => status(429), 2, 3],
  ['503, twice', 2, () => status(503), 0, 4],
  ['503 with seconds, twice', 2, () => status(503, { 'retry-after': '0' }), 1, 4],
  ['423, twice', 2, () => status(423), 2, 4],
  ['409 that says locked, twice', 2, () => status(409, {}, held), 3, 4],
  ['a token that has expired', 1, () => ({ kind: 'expireTokens' }), 0, 1],
]

describe.concurrent.each(passing)('%s', (_name, count, effect, which, of) => {
  it.each(sharedOut(writePaths, which, of))('$name: is repeated, and done once', ({ method, path, manifest }) =>
    lanes.take(async (workspace) => {
      workspace.manifest(manifest)
      workspace.emulator.addFault({ match: { method, path }, count, effect: effect() })
      const { planned, report } = await workspace.run()
      expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
      expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
      expect(await workspace.changes()).toEqual([])
    }),
  )
})

/** Three sorts of three: refused, not now, perhaps carried out. */
const staying = [400, 403, 409, 423, 429, 503, 500, 502, 504].map((code, index) => [code, index] as const)

describe.concurrent.each(staying)('%i every time', (code, which) => {
  it.each(sharedOut(writePaths, which, 3))('$name: fails, and a later run does it', ({ method, path, manifest }) =>
    lanes.take(async (workspace) => {
      workspace.manifest(manifest)
      const effect = { ...status(code), carriedOut: false }
      workspace.emulator.addFault({ match: { method, path }, count: null, effect })
      const { planned, report } = await workspace.run()
      expect(report).toMatchObject({ outcome: 'partial', counts: { done: 0 } })
      // A 500, 502 or 504, and a 503 without `Retry-After`, may hide an effect that shows late.
      expect(report.steps[0]?.outcome).toBe([500, 502, 503, 504].includes(code) ? 'unknown' : 'failed')
      expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
      workspace.emulator.clearFaults()
      expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    }),
  )
})

/** The documented refusals for licences, substitutions and elements. */
const documented = {
  'assign licences': ['400 InvalidBodyParameterValue', '402 LicenseError', '409 LicenseError', '409 InvalidData'],
  'remove licences': ['400 InvalidInput', '405 UnsupportedInstallationType', '405 UnsupportedLicensingType'],
  'create a substitution': ['400 MissingRequiredBodyParameter', '403 InvalidScope', '409 ValidationError'],
  'update a substitution': ['400 InvalidBodyParameterValue', '404 ResourceNotFound', '409 ValidationError'],
  'delete a substitution': ['403 InsufficientAccountPermissions', '405 UnsupportedOperation'],
  'add to an element': ['403 InsufficientAccountPermissions', '404 ResourceNotFound', '409 InvalidData'],
  'remove from an element': ['400 InvalidInput', '404 ResourceNotFound', '409 ValidationError'],
}
const answers = Object.entries(documented).flatMap(([name, all]) =>
  all.map((answer) => [name, ...answer.split(' ')] as [string, string, string]),
)

describe.concurrent('an answer that is documented', () => {
  it.each(answers)('to %s, %s %s: fails with its words', (name, code, type) =>
    lanes.take(async (workspace) => {
      const { method, path, manifest } = writePaths.find((each) => each.name === name) as WritePath
      workspace.manifest(manifest)
      const effect = { ...status(Number(code), {}, { type, description: 'So it is.' }), carriedOut: false }
      workspace.emulator.addFault({ match: { method, path }, count: null, effect })
      const { planned, report } = await workspace.run()
      expect(report.steps).toMatchObject([
        {
          outcome: 'failed',
          reason: expect.stringMatching(`answered ${code} \\(${type}\\) to ${method} .*: So it is\\.$`),
        },
      ])
      // Which of the reasons for a 405 it is, those two types say.
      const lacks = ['UnsupportedInstallationType', 'UnsupportedLicensingType'].includes(type)
      if (lacks) expect(report.steps[0]?.hint).toBe('The installation lacks this function, or the licence for it.')
      expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
    }),
  )
})

it('waits as long as the platform asks for', () =>
  lanes.take(async (workspace) => {
    const [{ method, path, manifest }] = writePaths as [(typeof writePaths)[number]]
    workspace.manifest(manifest)
    workspace.emulator.addFault({ match: { method, path }, effect: status(429, { 'retry-after': '1' }) })
    const startedMs = Date.now()
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(990)
  }))

it('shows no secret that the platform quotes when it refuses it', () =>
  lanes.take(async (workspace) => {
    const { method, path, manifest } = writePaths.find(({ name }) => name === 'create a connection') as WritePath
    workspace.manifest(manifest)
    const body = { type: 'InvalidFieldData', description: 'The password "a secret that nobody may see" is too long.' }
    workspace.emulator.addFault({ match: { method, path }, effect: { kind: 'status', status: 400, body } })
    const report = await workspace.apply()
    expect(report.steps[0]?.reason).toContain('The password "${env:SECRET}" is too long.')
    expect(JSON.stringify(report)).not.toContain('nobody may see')
  }))

it('shows no secret of one step that the platform quotes in the answer to another, or while it is planned', () =>
  lanes.take(async (workspace) => {
    const { manifest } = writePaths.find(({ name }) => name === 'create a connection') as WritePath
    workspace.manifest(`${manifest}\nusers: [{ svcId: new@example.com }]`)
    const body = { type: 'InvalidFieldData', description: 'Elsewhere it is "a secret that nobody may see".' }
    const effect: Fault['effect'] = { kind: 'status', status: 400, body }
    workspace.emulator.addFault({ match: { method: 'POST', path: '/admin/users' }, effect })
    const report = await workspace.apply()
    expect(report.steps.find(({ address }) => address === 'user/new@example.com')?.reason).toContain(
      'Elsewhere it is "${env:SECRET}".',
    )
    expect(JSON.stringify(report)).not.toContain('nobody may see')
    workspace.emulator.addFault({ match: { method: 'GET', path: '/admin/user' }, effect })
    const { document } = await workspace.plan()
    expect(document.unreadable[0]?.reason).toContain('"${env:SECRET}"')
  }))
