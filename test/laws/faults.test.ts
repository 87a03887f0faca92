// The law of plans under random faults: nothing is planned for what could not be read.
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
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

function prepare(live: World): void {
  workspace.emulator.clearFaults()
  workspace.emulator.load(tenantOf(live))
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
const readEffects: fc.Arbitrary<Fault['effect']> = fc.oneof(
  fc.constantFrom(403, 404, 405, 409, 500, 502).map((status): Fault['effect'] => ({ kind: 'status', status })),
  fc.constantFrom<Fault['effect']>(
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
  await tryLaw(
    fc.asyncProperty(situations, readFaults, async ({ live, items }, faults) => {
      prepare(live)
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
      // Without the list of processes, nobody knows the application of one.
      const isUnreadable = (address: string): boolean =>
        unreadable.has(address) || unreadable.has(address.replace(/^process\/main\/A\//, 'process/main/*/'))
      const readable = whole.document.changes.filter(({ address }) => !isUnreadable(address))
      expect(part.document.changes).toEqual(readable)
    }),
  )
})
