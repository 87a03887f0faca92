// Laws under random faults: nothing is planned for what could not be read, and a run that fails in any way tells the
// truth about it, so that a second one finishes the work without doing anything twice.
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Fault, FaultEffect } from '../../src/emulator/index.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { type LoggedWrite, writesOf } from '../harness/write-log.ts'
import { situations } from './arbitraries.ts'
import { lawRuns } from './law-runs.ts'
import { secrets, tenantOf, type World, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: secrets,
    settings: 'settings: { retry: { attempts: 3, maxDelay: 5ms }, sync: { timeout: 500ms } }',
  })
})
afterAll(() => workspace.close())
beforeEach(() => workspace.emulator.clearFaults())

const behaviours = fc.record({
  afterDelete: fc.constantFrom('goneAtOnce', 'goneAfterSync'),
  afterCreate: fc.constantFrom('visibleAtOnce', 'visibleAfterSync'),
  writeWhileWaiting: fc.constantFrom('accepted', 'locked'),
  inheritedEnvironments: fc.constantFrom('omitted', 'shown'),
  emptyMembers: fc.constantFrom('emptyList', 'null'),
  emptyText: fc.constantFrom('asWritten', 'asNull', 'asEmptyText'),
  // A create that is repeated in error leaves two of one name.
  duplicateNames: fc.constant('accepted'),
} as const)

async function prepare(live: World, behaviour: object, syncDelayMs: number): Promise<void> {
  workspace.emulator.clearFaults()
  workspace.emulator.load(tenantOf(live))
  workspace.emulator.setBehaviour(behaviour)
  await workspace.control('PATCH', '/settings', { syncDelayMs })
  await workspace.control('DELETE', '/requests')
}

const readPaths = [
  '/admin/user',
  '/admin/users',
  '/admin/group',
  '/admin/groups',
  '/db/1/admin/constants*',
  '/db/1/admin/connections*',
  '/db/1/applications',
  '/db/1/*/admin/privileges',
  '/db/1/processes/*/admin/constants*',
  '*',
]
const readEffects: fc.Arbitrary<FaultEffect> = fc.oneof(
  fc.constantFrom(403, 404, 405, 409, 500, 502).map((status): FaultEffect => ({ kind: 'status', status })),
  fc.constantFrom<FaultEffect>(
    { kind: 'truncate' },
    { kind: 'text' },
    { kind: 'cut' },
    { kind: 'text', contentType: 'application/json', body: '{}' },
  ),
)
const readFaults: fc.Arbitrary<Fault[]> = fc.array(
  fc.record({
    match: fc.record({ method: fc.constant('GET'), path: fc.constantFrom(...readPaths) }),
    nth: fc.integer({ min: 1, max: 4 }),
    count: fc.constantFrom(1, 2, 3, null),
    effect: readEffects,
  }),
  { minLength: 1, maxLength: 3 },
)

it('plans nothing for what it could not read, and the same as ever for the rest', async () => {
  await fc.assert(
    fc.asyncProperty(situations, readFaults, async ({ live, items }, faults) => {
      await prepare(live, {}, 0)
      writeManifests(workspace, [items])
      const whole = await workspace.plan()
      // A 404 that lies about an object makes it look absent: no client could tell.
      const honest = faults.filter(({ effect }) => effect.status !== 404)
      for (const fault of honest) workspace.emulator.addFault(fault)
      let part: Awaited<ReturnType<Workspace['plan']>>
      try {
        part = await workspace.plan()
      } catch (error) {
        // The run as a whole was refused, with a reason.
        expect(error).toBeInstanceOf(SvcsyncError)
        return
      }
      const unreadable = new Set(part.document.unreadable.map(({ address }) => address))
      expect(part.document.steps.filter(({ address }) => unreadable.has(address))).toEqual([])
      const readable = whole.document.changes.filter(({ address }) => !unreadable.has(address))
      expect(part.document.changes).toEqual(readable)
    }),
    lawRuns(),
  )
}, 90_000)

const writeEffects: fc.Arbitrary<FaultEffect> = fc.oneof(
  fc.record({ kind: fc.constant('reset' as const), carriedOut: fc.boolean() }),
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(500, 502, 504), carriedOut: fc.boolean() }),
  fc.constantFrom<FaultEffect>(
    { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    { kind: 'status', status: 503 },
    { kind: 'status', status: 409, body: { type: 'ResourceIsLocked', description: 'Somebody is at it.' } },
    { kind: 'status', status: 400 },
    { kind: 'expireTokens' },
    { kind: 'truncate' },
    { kind: 'cut' },
  ),
)
const writeFaults: fc.Arbitrary<Fault[]> = fc.array(
  fc.record({
    match: fc.record({
      method: fc.constantFrom('POST', 'POST', 'PATCH', 'DELETE', 'GET'),
      path: fc.constantFrom(
        '/admin/*',
        '/db/*',
        '/admin/user*',
        '/admin/group*',
        '*/privileges/*',
        '*/constants*',
        '*/connections*',
      ),
    }),
    nth: fc.integer({ min: 1, max: 3 }),
    count: fc.constantFrom(1, 1, 2, 4),
    effect: writeEffects,
  }),
  { minLength: 1, maxLength: 4 },
)

it('tells the truth whatever happens, and a second run finishes without doing anything twice', async () => {
  const delays = fc.constantFrom(0, 0, 8)
  await fc.assert(
    fc.asyncProperty(
      situations,
      writeFaults,
      behaviours,
      delays,
      async ({ live, items }, faults, behaviour, syncDelayMs) => {
        await prepare(live, behaviour, syncDelayMs)
        writeManifests(workspace, [items])
        for (const fault of faults) workspace.emulator.addFault(fault)
        const first = await workspace.run().catch((error: unknown) => {
          expect(error).toBeInstanceOf(SvcsyncError)
          return undefined
        })
        const writes = writesOf(workspace.emulator)
        if (first === undefined) expect(writes).toEqual([])
        else expect(untruths(first.report, first.planned.plan.steps, writes)).toEqual([])
        workspace.emulator.clearFaults()
        const second = await workspace.run()
        expect(second.report.outcome).toMatch(/^(converged|nothing-to-do)$/)
        expect(await workspace.changes()).toEqual([])
        expect(createdTwice(writesOf(workspace.emulator))).toEqual([])
      },
    ),
    lawRuns(),
  )
}, 90_000)

function createdTwice(writes: readonly LoggedWrite[]): string[] {
  const seen = new Set<string>()
  return writes.flatMap(({ method, path, body, carriedOut }) => {
    if (!carriedOut || method !== 'POST' || /\/(add|remove)$/.test(path)) return []
    const { svcId, name } = body as { svcId?: string; name?: string }
    const key = `${path} ${svcId ?? name}`
    if (seen.has(key)) return [key]
    seen.add(key)
    return []
  })
}
