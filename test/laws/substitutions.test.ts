// The law of substitutions: however the platform pages, tells dates and loses answers, what is declared is there once,
// under the number it had, and what is not declared is as it was.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

const people = ['anna', 'jan']
const days = ['2100-01-01', '2100-03-01', '2100-05-01', '2100-07-01']
/** By day: the end, the application, and what becomes of it. */
const end = fc.constantFrom('10', '20')
const application = fc.constantFrom('A', 'B', undefined)
const live = fc.array(fc.option(fc.record({ end, application })), { minLength: days.length, maxLength: days.length })
const wanted = fc.array(fc.option(fc.record({ end, application, absent: fc.constantFrom(true, false, false) })), {
  minLength: days.length,
  maxLength: days.length,
})
const behaviours = fc.record({
  firstPage: fc.constantFrom('documented' as const, 0 as const, 1 as const),
  pageCap: fc.constantFrom(1, 2, 200),
  substitutionDates: fc.constantFrom('asWritten', 'asUtc', 'withoutOffset'),
  pastSubstitutions: fc.constantFrom('accepted', 'refused'),
} as const)
const losses = fc.array(
  fc.record({
    method: fc.constantFrom('POST', 'PATCH', 'DELETE'),
    nth: fc.integer({ min: 1, max: 3 }),
    carriedOut: fc.boolean(),
  }),
  { maxLength: 3 },
)

/** What clocks show before summer time, in it, and from which day it is: hours are not whole everywhere. */
const zones = {
  'Europe/Warsaw': ['+01:00', '+02:00', '2100-03-28'],
  'America/St_Johns': ['-03:30', '-02:30', '2100-03-14'],
  'Asia/Kolkata': ['+05:30', '+05:30', ''],
} as const
type Zone = keyof typeof zones
const names = Object.keys(zones) as Zone[]

const workspaces = new Map<Zone, Workspace>()
beforeAll(async () => {
  for (const zone of names) {
    const settings = `settings: { timeZone: ${zone}, retry: { maxDelay: 5ms } }`
    workspaces.set(zone, await openWorkspace({ settings }))
  }
})
afterAll(async () => {
  for (const workspace of workspaces.values()) await workspace.close()
})

const guid = (name: string) => `${name.toLowerCase()}0000000-0000-4000-8000-000000000000`
const lastDay = (day: string, of: string) => `${day.slice(0, 8)}${of}`
/** What is there, by the day on which it begins. */
function there(workspace: Workspace) {
  const state = workspace.emulator.state().substitutions ?? []
  return state.map(({ id, startDate, endDate, activeApplications: active }) => {
    const names = active?.applications?.map(({ name }) => name)
    return { id, day: startDate.slice(0, 10), end: endDate.slice(8, 10), applications: names ?? [] }
  })
}

it('are there once, and under their numbers', async () => {
  await tryLaw(
    fc.asyncProperty(
      live,
      wanted,
      behaviours,
      losses,
      fc.constantFrom(...names),
      async (before, after, behaviour, faults, zone) => {
        const workspace = workspaces.get(zone) as Workspace
        const offsetOn = (day: string) => zones[zone][day < zones[zone][2] ? 0 : 1]
        workspace.emulator.clearFaults()
        workspace.emulator.load({
          users: people.map((svcId) => ({ svcId, name: svcId })),
          databases: [{ id: 1, applications: ['A', 'B'].map((name) => ({ name, guid: guid(name) })) }],
          substitutions: before.flatMap((each, at) => {
            const day = days[at] ?? ''
            if (each === null) return []
            const limits =
              each.application === undefined ? [] : [{ guid: guid(each.application), dbId: 1, name: each.application }]
            return {
              startDate: `${day}T00:00:00${offsetOn(day)}`,
              endDate: `${lastDay(day, each.end)}T23:59:59${offsetOn(lastDay(day, each.end))}`,
              type: 'TaskDelegation',
              originalPerson: { svcId: 'anna' },
              substitutePerson: { svcId: 'jan' },
              activeApplications: { allApplications: limits.length === 0, applications: limits, processes: [] },
            }
          }),
        } as unknown as Tenant)
        workspace.emulator.setBehaviour(behaviour)
        const known = there(workspace)
        const substitutions = after.flatMap((each, at) => {
          const from = days[at] ?? ''
          const least = { person: 'ANNA', substitute: 'jan', type: 'TaskDelegation', from }
          if (each === null) return []
          if (each.absent) return { ...least, absent: true }
          const applications = each.application === undefined ? [] : [each.application]
          return { ...least, to: lastDay(from, each.end), applications }
        })
        workspace.manifest(stringify({ database: 'main', substitutions }))
        for (const { carriedOut, ...match } of faults) {
          const { method, nth } = match
          workspace.emulator.addFault({
            match: { method, path: '/admin/substitutions*' },
            nth,
            effect: { kind: 'reset', carriedOut },
          })
        }
        expect((await workspace.apply()).outcome).toMatch(/converged|nothing-to-do/)
        const found = there(workspace)
        for (const [at, day] of days.entries()) {
          const [own, second] = found.filter((each) => each.day === day)
          const [was] = known.filter((each) => each.day === day)
          const wish = after[at]
          expect(second).toBeUndefined()
          if (wish == null) expect(own).toEqual(was)
          else if (wish.absent) expect(own).toBeUndefined()
          else
            expect(own).toMatchObject({
              end: wish.end,
              applications: wish.application === undefined ? [] : [wish.application],
            })
          if (own !== undefined && was !== undefined) expect(own.id).toBe(was.id)
        }
        expect(await workspace.changes()).toEqual([])
      },
    ),
  )
})
