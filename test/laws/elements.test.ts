// The law of elements: whatever an element and its process give to whom, and whichever answers are lost, what is
// declared is all that the element gives, or is among it; what comes from the process stays, and nobody asks the
// platform to take it.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { tryLaw } from './law-runs.ts'

const people = ['anna', 'jan', 'nina', 'staff']
const levels = ['Administrator', 'ModifyWithoutDeleting', 'ReadOnly']
const given = fc
  .subarray(people.flatMap((svcId) => levels.map((level) => ({ svcId, level }))))
  .map((list) => list.slice(0, 6))
const losses = fc.array(
  fc.record({
    method: fc.constantFrom('POST', 'DELETE'),
    nth: fc.integer({ min: 1, max: 3 }),
    carriedOut: fc.boolean(),
  }),
  { maxLength: 3 },
)

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'settings: { retry: { maxDelay: 5ms } }' })
})
afterAll(() => workspace.close())

type Privilege = { readonly svcId: string; readonly level: string }
type Held = { readonly privileges: Privilege[]; readonly elements: { readonly privileges: Privilege[] }[] }
const texts = (list: readonly Privilege[]) => list.map(({ svcId, level }) => `${svcId} ${level}`).sort()
/** Of an installation that keeps one level for each: the last one. */
const oneEach = (list: readonly Privilege[]) => [...new Map(list.map((each) => [each.svcId, each])).values()]

it('have what is declared, and what they inherit', async () => {
  await tryLaw(
    fc.asyncProperty(
      ...[given, given, given, losses],
      fc.constantFrom('exclusive', 'additive'),
      fc.constantFrom('several' as const, 'single' as const),
      async (process, own, wanted, faults, mode, privilegeLevels) => {
        const isSingle = privilegeLevels === 'single'
        const [before, after] = [own, wanted].map((list) => (isSingle ? oneEach(list) : list)) as [
          Privilege[],
          Privilege[],
        ]
        workspace.emulator.clearFaults()
        workspace.emulator.load({
          users: people.slice(0, 3).map((svcId) => ({ svcId, name: svcId })),
          groups: [{ svcId: 'staff', name: 'staff' }],
          databases: [
            {
              id: 1,
              applications: [
                {
                  name: 'A',
                  processes: [
                    {
                      name: 'P',
                      privileges: process.filter(({ level }) => level !== 'ModifyWithoutDeleting'),
                      elements: [{ id: 7, privileges: before }],
                    },
                  ],
                },
              ],
            },
          ],
        } as unknown as Tenant)
        workspace.emulator.setBehaviour({ privilegeLevels })
        await workspace.control('DELETE', '/requests')
        const there = () =>
          workspace.emulator.state().databases?.[0]?.applications?.[0]?.processes?.[0] as unknown as Held
        const above = texts(there().privileges)
        const privileges = Object.fromEntries(
          levels.map((each) => [
            each,
            after.flatMap(({ svcId, level }) => (level === each ? [svcId.toUpperCase()] : [])),
          ]),
        )
        const element = { element: 7, privileges, manage: { privileges: mode } }
        workspace.manifest(stringify({ database: 'main', elements: [element] }))
        for (const { carriedOut, method, nth } of faults) {
          const match = { method, path: '/db/1/elements/*' }
          workspace.emulator.addFault({ match, nth, effect: { kind: 'reset', carriedOut } })
        }
        expect((await workspace.apply()).outcome).toMatch(/converged|nothing-to-do/)
        const found = texts(there().elements[0]?.privileges ?? [])
        if (mode === 'exclusive') expect(found).toEqual(texts(after))
        else expect(found).toEqual(expect.arrayContaining(texts(isSingle ? after : [...before, ...after])))
        expect(texts(there().privileges)).toEqual(above)
        expect(writesOf(workspace.emulator).filter(({ status }) => status === 409)).toEqual([])
        expect(await workspace.changes()).toEqual([])
      },
    ),
    0.5,
  )
})
