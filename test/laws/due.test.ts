// The law of `--due`: it does what time brought about since the last apply, that and nothing else.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

const accounts = ['a', 'b', 'c'].map((name) => `${name}@example.com`)
const lists = ['whole', 'added', 'levels'] as const
type List = (typeof lists)[number]

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())

/** Half days since the beginning: that one bound is that of another is what goes wrong first. */
const moments = fc.integer({ min: 0, max: 4 })
const at = (moment: number): string => new Date(Date.UTC(2026, 0, 1, 12 * moment)).toISOString()

interface Entry {
  readonly svcId: string
  readonly from: number | null
  readonly until: number | null
}
const bounds = fc
  .record({ from: fc.option(moments), until: fc.option(moments) })
  .filter(({ from, until }) => from === null || until === null || from < until)
const entries: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(...accounts.map((svcId) => fc.option(bounds.map((own) => ({ svcId, ...own })))))
  .map((all) => all.flatMap((entry) => entry ?? []))

const cases = fc.record({
  declared: fc.record({ whole: entries, added: entries, levels: entries }),
  /** When the accounts end, by their places. */
  ends: fc.tuple(...accounts.map(() => fc.option(moments))),
  times: fc.uniqueArray(moments, { minLength: 2, maxLength: 2 }).map((both) => both.toSorted((a, b) => a - b)),
  /** Accounts put into the two groups, or removed from them, between the two runs. */
  byHand: fc.subarray(['whole', 'added'].flatMap((group) => accounts.map((svcId) => ({ group, svcId })))),
  hasBase: fc.boolean(),
})

const user = (svcId: string, until: number | null): string =>
  `{ svcId: ${svcId}${until === null ? '' : `, until: "${at(until)}"`} }`
const item = ({ svcId, from, until }: Entry): string =>
  `{ svcId: ${svcId}${from === null ? '' : `, from: "${at(from)}"`}${until === null ? '' : `, until: "${at(until)}"`} }`
const manifestOf = (
  { whole, added, levels }: Readonly<Record<List, readonly Entry[]>>,
  ends: readonly (number | null)[],
): string => `database: main
users: [${accounts.map((svcId, index) => user(svcId, ends[index] ?? null)).join(', ')}]
groups: [{ svcId: whole@example.com, name: Whole, members: [${whole.map(item).join(', ')}] }]
memberships: [{ group: added@example.com, members: [${added.map(item).join(', ')}] }]
processes: [{ application: A, process: P, privileges: { Start: [${levels.map(item).join(', ')}] } }]
`
const tenant = {
  users: accounts.map((svcId) => ({ svcId, name: svcId })),
  groups: ['whole', 'added'].map((name) => ({ svcId: `${name}@example.com`, name: 'Whole', members: [] })),
  databases: [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P', privileges: [] }] }] }],
}

type Held = Readonly<Record<List, ReadonlySet<string>>>
const held = async (): Promise<Held> => {
  const { groups = [], databases = [] } = (await workspace.control('GET', '/state')) as typeof tenant
  const membersOf = (name: string): string[] =>
    groups.find(({ svcId }) => svcId === `${name}@example.com`)?.members ?? []
  const privileges: { svcId: string }[] = databases[0]?.applications[0]?.processes[0]?.privileges ?? []
  return {
    whole: new Set(membersOf('whole')),
    added: new Set(membersOf('added')),
    levels: new Set(privileges.map(({ svcId }) => svcId)),
  }
}
const shown = (all: Held) => Object.fromEntries(lists.map((list) => [list, [...all[list]].sort()]))

it('does what began and ended since the last apply, and leaves nothing of it for a later one', async () => {
  await tryLaw(
    fc.asyncProperty(cases, async ({ declared: written, ends, times, byHand, hasBase }) => {
      const [last = 0, now = 0] = times
      const [lastMs, nowMs] = [Date.parse(at(last)), Date.parse(at(now))]
      workspace.emulator.load(tenant as never)
      workspace.manifest(manifestOf(written, ends))
      workspace.baseManifest(manifestOf(written, ends))
      const endOf = (svcId: string): number | null => ends[accounts.indexOf(svcId)] ?? null
      const isGone = (svcId: string, moment: number): boolean => (endOf(svcId) ?? Infinity) <= moment
      // With an account ends what it has.
      const declared = Object.fromEntries(
        lists.map((list) => [
          list,
          written[list].flatMap((entry) => {
            const until = Math.min(entry.until ?? Infinity, endOf(entry.svcId) ?? Infinity)
            return (entry.from ?? -1) >= until ? [] : [{ ...entry, until: until === Infinity ? null : until }]
          }),
        ]),
      ) as unknown as Record<List, readonly Entry[]>
      await workspace.apply({ nowMs: lastMs })
      const edited = new Map<string, boolean>()
      for (const { group, svcId } of byHand) {
        if (isGone(svcId, last)) continue
        const isIn = (await held())[group as List].has(svcId)
        edited.set(`${group} ${svcId}`, !isIn)
        const edit = { group: `${group}@example.com`, members: [svcId] }
        workspace.emulator.edit(isIn ? { removeMembers: edit } : { addMembers: edit })
      }
      const before = await held()
      const isBetween = (moment: number | null) => moment !== null && moment > last && moment <= now
      const expected = Object.fromEntries(
        lists.map((list) => {
          const over = declared[list].filter(({ until }) => isBetween(until)).map(({ svcId }) => svcId)
          const begun = declared[list].filter(({ from, until }) => isBetween(from) && (until === null || until > now))
          const left = [...before[list]].filter((svcId) => !over.includes(svcId) && !isGone(svcId, now))
          return [list, new Set([...left, ...begun.map(({ svcId }) => svcId)])]
        }),
      ) as unknown as Held
      const run = { nowMs, due: { sinceMs: lastMs }, base: hasBase ? ('ledger' as const) : undefined }
      await workspace.apply(run)
      expect(shown(await held())).toEqual(shown(expected))
      const users = (workspace.emulator.state() as unknown as typeof tenant).users.map(({ svcId }) => svcId)
      expect(users).toEqual(accounts.filter((svcId) => !isGone(svcId, now)))
      // A later apply finds what was done by hand alone.
      const later = (await workspace.plan({ nowMs })).document.changes.flatMap(({ address, differences }) =>
        differences.flatMap(({ added = [], removed = [] }) =>
          [...added, ...removed].map(({ svcId }) => `${address.slice(6).replace('@example.com', '')} ${svcId}`),
        ),
      )
      expect(later.filter((each) => !edited.has(each))).toEqual([])
      const again = await workspace.plan(run)
      expect(again.plan.steps).toEqual([])
    }),
    0.6,
  )
})
