// The laws of licences: a plan that the guard lets pass never runs out, in whatever order its steps end; and whatever
// becomes of a request about several users, each is told the truth, and gets and loses everything once.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { requestClock } from '../harness/request-clock.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { tryLaw } from './law-runs.ts'
import { licencesMissing } from './licences-missing.ts'

const people = ['u0', 'u1', 'u2', 'u3', 'u4']
const types = ['User', 'PowerUser', 'ExternalUser'] as const
const holdings = fc.array(fc.subarray([...types]), { minLength: people.length, maxLength: people.length })
/** Below 0: more are assigned than there are. */
const left = fc.constantFrom(0, 0, 1, 2, -1, -2)
const spare = fc.record({ User: left, PowerUser: left, ExternalUser: fc.constant(0) })

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'settings: { retry: { maxDelay: 5ms } }', clock: requestClock() })
})
afterAll(() => workspace.close())

it('gives what there is and what it frees, and refuses what does not add up', async () => {
  const seen = { refused: 0, tight: 0 }
  await tryLaw(
    fc.asyncProperty(holdings, holdings, spare, fc.constantFrom(1, 4), async (before, after, left, concurrency) => {
      const count = (lists: readonly (readonly string[])[], type: string) =>
        lists.filter((list) => list.includes(type)).length
      const available = Object.fromEntries(types.map((type) => [type, Math.max(0, count(before, type) + left[type])]))
      const assigned = people.map((svcId, at) => ({ svcId, licenses: before[at] ?? [] }))
      const users = people.map((svcId) => ({ svcId, name: svcId }))
      workspace.emulator.load({ users, licenses: { available, assigned } })
      const licenses = people.map((svcId, at) => ({ svcId, licenses: (after[at] ?? []).map((type) => ({ type })) }))
      const items = licenses.map((item) => ({ section: 'licenses' as const, item }))
      workspace.manifest(stringify({ licenses }))
      const lacking = licencesMissing(workspace.emulator.state(), items)
      const { planned, report } = await workspace.run({ concurrency })
      const verdict = planned.plan.guards.find(({ guard, allow }) => guard === 'enough-licences' && allow !== undefined)
      expect(verdict?.allow).toBe(lacking === 0 ? undefined : `enough-licences=${lacking}`)
      if (lacking > 0) seen.refused++
      // Who is refused by the platform is one of those for whom there is none.
      expect(report.counts.failed <= lacking && (lacking > 0 || report.outcome === 'converged')).toBe(true)
      if (lacking > 0 || report.steps.length === 0) return
      if (planned.document.steps.some(({ verb, dependsOn }) => verb === 'add' && dependsOn.length > 0)) seen.tight++
      expect(await workspace.changes()).toEqual([])
    }),
  )
  expect(Math.min(seen.refused, seen.tight)).toBeGreaterThan(0)
})

const faults = fc.array(
  fc.record({
    nth: fc.integer({ min: 1, max: 3 }),
    effect: fc.constantFrom<Fault['effect']>(
      { kind: 'reset', carriedOut: true },
      { kind: 'reset', carriedOut: false },
      { kind: 'status', status: 500, carriedOut: true },
      { kind: 'status', status: 400, carriedOut: false },
      { kind: 'status', status: 409, body: { type: 'ResourceIsLocked' }, carriedOut: false },
      { kind: 'text', carriedOut: true },
    ),
  }),
  { maxLength: 2 },
)
const batches = fc.constantFrom('wholeOrNot', 'untilRefused')

it('tells the truth of each user, whoever of a request is refused and whatever is lost', async () => {
  const seen = { refused: 0, lost: 0, shared: 0 }
  await tryLaw(
    fc.asyncProperty(
      ...[holdings, holdings, fc.subarray(people), faults, batches, fc.constantFrom(1, 4)],
      async (before, after, robots, broken, licenseBatches, concurrency) => {
        const { emulator } = workspace
        const users = people.filter((each) => !robots.includes(each)).map((svcId) => ({ svcId, name: svcId }))
        const accounts = robots.map((svcId) => ({ svcId, name: svcId, type: 'ApiApplication' }) as const)
        const assigned = people.map((svcId, at) => ({ svcId, licenses: before[at] ?? [] }))
        emulator.load({ users, accounts, licenses: { assigned } })
        emulator.setBehaviour({ licenseBatches })
        await workspace.control('DELETE', '/requests')
        for (const each of broken) emulator.addFault({ match: { method: 'POST', path: '*/licenses/assign' }, ...each })
        const licenses = people.map((svcId, at) => ({ svcId, licenses: (after[at] ?? []).map((type) => ({ type })) }))
        workspace.manifest(stringify({ licenses }))
        const { planned, report } = await workspace.run({ concurrency })
        emulator.clearFaults()
        const held = new Map(emulator.state().licenses?.assigned?.map(({ svcId, ...own }) => [svcId, own.licenses]))
        const holds = (svcId: string, item = '') => JSON.stringify(held.get(svcId) ?? []).includes(`"${item}"`)
        for (const step of planned.plan.steps) {
          const told = report.steps.find(({ id }) => id === step.id)
          const effects = step.elements?.map(({ item }) => holds(step.at.name ?? '', item) === (step.verb === 'add'))
          if (told?.outcome === 'done') expect([told, effects]).toEqual([told, effects?.map(() => true)])
          else if (told?.outcome !== 'unknown') expect([told, effects?.every(Boolean)]).toEqual([told, false])
        }
        const wrong = report.steps.filter(({ outcome }) => outcome !== 'done')
        if (broken.length === 0) {
          const isRobot = ({ address }: { address: string }) => robots.includes(address.replace('license/', ''))
          expect(wrong.filter((each) => !isRobot(each))).toEqual([])
        }
        const writes = writesOf(emulator)
        const items = writes
          .filter(({ carriedOut }) => carriedOut)
          .flatMap(({ body }) =>
            Object.entries(body as Record<string, { svcId: string; licenses: { type: string }[] }[]>).flatMap(
              ([key, list]) => list.flatMap((each) => each.licenses.map(({ type }) => `${key} ${each.svcId} ${type}`)),
            ),
          )
        expect(items).toHaveLength(new Set(items).size)
        if (robots.length > 0 && wrong.length > 0) seen.refused++
        if (writes.some(({ status }) => status === null)) seen.lost++
        if (writes.some(({ body }) => Object.values(body as object).some((list) => list.length > 1))) seen.shared++
        await workspace.run()
        const left = await workspace.changes()
        expect(left.filter((line) => !robots.some((each) => line.includes(each)))).toEqual([])
      },
    ),
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
})
