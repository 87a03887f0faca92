// The law of exceptions: they hide exactly the named parts. No plan or apply touches them; all else is planned as
// without them; expired exceptions show the difference again.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { proposeExceptions } from '../../src/core/plan/exceptions-for.ts'
import type { ChangeDocument, PlanDocument } from '../../src/core/plan/plan-document.ts'
import { fingerprintsOf, netMovements } from '../../src/core/plan/run-history.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { manifests, worlds } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: secrets,
    settings: 'guards: { removals: { max: 1000, percent: 100 }, deletions: { max: 1000, percent: 100 } }',
  })
  workspace.baseManifest('')
})
afterAll(() => workspace.close())

const [during, after] = [Date.parse('2026-02-01T00:00:00Z'), Date.parse('2026-03-02T00:00:00Z')]

/** The differences, each with its cause. */
function differencesIn({ changes }: Pick<PlanDocument, 'changes'>): Map<string, string | undefined> {
  const marks = fingerprintsOf(changes, 'ignore-case', sha256)
  const causes = changes.flatMap(({ action, cause: whole, differences }) =>
    action === 'update'
      ? differences.flatMap((difference) => {
          const { added, removed } = netMovements(difference)
          if (added === undefined || removed === undefined) return [difference.cause]
          return [...added, ...removed].map((element) => element.cause ?? difference.cause)
        })
      : [whole],
  )
  return new Map(marks.map(({ fingerprint }, index) => [fingerprint, causes[index] ?? undefined]))
}

/**
 * As if nobody knew who moved: an exception for each difference that one can name, with the difference that it is
 * about.
 */
function exceptable(changes: readonly ChangeDocument[]) {
  return changes.flatMap((change) => {
    const { action, differences } = change
    const parts =
      action === 'update' ? differences.flatMap((each) => apart(change, { ...each, ...netMovements(each) })) : [change]
    return parts.flatMap((part) => {
      const { cause: _, ...own } = part
      const [found] = proposeExceptions([{ ...own, differences: own.differences.map(withoutCauses) }])
      const [mark] = fingerprintsOf([part], 'ignore-case', sha256)
      const isName = action === 'update' && part.differences[0]?.path === 'name' && change.kind !== 'user'
      // An object that is missing as a whole is excepted as a whole.
      const isPart = mark?.act === 'set' && mark.path?.includes('.') && part.differences[0]?.before === undefined
      if (found?.subject == null || mark === undefined || isName || isPart) return []
      return [{ subject: found.subject, fingerprint: mark.fingerprint }]
    })
  })
}

type Difference = ChangeDocument['differences'][number]

const apart = (change: ChangeDocument, difference: Difference): ChangeDocument[] => {
  const { added, removed } = difference
  if (added === undefined && removed === undefined) return [{ ...change, differences: [difference] }]
  return [
    ...(added ?? []).map((each) => ({ ...change, differences: [{ ...difference, added: [each], removed: [] }] })),
    ...(removed ?? []).map((each) => ({ ...change, differences: [{ ...difference, added: [], removed: [each] }] })),
  ]
}

const withoutCauses = ({ cause: _, ...difference }: Difference): Difference => ({
  ...difference,
  ...(difference.added && { added: difference.added.map(({ cause: __, ...element }) => element) }),
  ...(difference.removed && { removed: difference.removed.map(({ cause: __, ...element }) => element) }),
})

/** Access without a business entity is named for all of them. */
function covers(one: ReturnType<typeof exceptable>[number], other: typeof one): boolean {
  if (one.fingerprint === other.fingerprint) return true
  const [a, b] = [one.subject, other.subject]
  if (!('person' in a) || !('person' in b) || a.company !== undefined) return false
  return a.person === b.person && a.level === b.level && a.object === b.object
}

it('hides exactly what is named, until it is over; and an apply touches nothing of it', async () => {
  const seen = { left: 0, overruled: 0, untouched: 0, kinds: new Set<string>() }
  const cases = worlds.chain((live) =>
    fc.record({ live: fc.constant(live), items: manifests(live), before: manifests(live) }),
  )
  await tryLaw(
    fc.asyncProperty(
      cases,
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async ({ live, items, before }, picks, hasBase) => {
        const run = { base: hasBase ? ('folder' as const) : undefined, nowMs: during }
        workspace.emulator.load(tenantOf(live))
        writeManifests(workspace, [items])
        writeManifests(workspace, [before], 'base/manifests')
        workspace.write('exceptions.yaml', 'exceptions: []\n')
        const whole = (await workspace.plan(run)).document
        const all = exceptable(whole.changes)
        if (all.length === 0) return
        const named = new Map(
          picks.map((pick) => all[pick % all.length] as (typeof all)[number]).map((each) => [each.fingerprint, each]),
        )
        const chosen = new Map(
          all.flatMap((each) =>
            [...named.values()].some((one) => covers(one, each)) ? [[each.fingerprint, each]] : [],
          ),
        )
        const lines = [...named.values()].map(({ subject }) =>
          JSON.stringify({
            ...('person' in subject ? { access: subject } : subject),
            ...{ until: '2026-03-01', reason: 'Law' },
          }),
        )
        workspace.write('exceptions.yaml', `exceptions:\n${lines.map((line) => `  - ${line}\n`).join('')}`)
        const excepted = (await workspace.plan(run)).document
        const causes = differencesIn(whole)
        const wins = (mark: string): boolean => hasBase && ![undefined, 'live'].includes(causes.get(mark))
        const hidden = [...chosen.keys()].filter((mark) => !wins(mark))
        const rest = [...causes.keys()].filter((mark) => !hidden.includes(mark))
        expect([...differencesIn(excepted).keys()].sort()).toEqual(rest.sort())
        const { left = [], overruled = [], idle, expired } = excepted.exceptions ?? {}
        expect([left.length, overruled.length, idle, expired]).toEqual([
          ...[hidden.length, chosen.size - hidden.length, [], []],
        ])
        for (const each of left) seen.kinds.add(`${each.address.split('/')[0]} ${each.act}`)
        const over = (await workspace.plan({ ...run, nowMs: after })).document
        expect([over.exceptions?.left, over.exceptions?.expired.length]).toEqual([[], chosen.size])
        seen.left += left.length
        seen.overruled += overruled.length
        if (hasBase) return
        const report = await workspace.apply({ ...run, guarded: 'as-allowed' })
        if (report.outcome !== 'converged' && report.outcome !== 'nothing-to-do') return
        expect(differencesIn((await workspace.plan(run)).document)).toEqual(new Map())
        workspace.write('exceptions.yaml', 'exceptions: []\n')
        const now = differencesIn((await workspace.plan(run)).document)
        // With an account that the plan deletes, the platform takes its entries.
        const deleted = excepted.changes.flatMap(({ action, address }) => (action === 'delete' ? [address] : []))
        const isGone = ({ element }: Pick<(typeof left)[number], 'element'>): boolean =>
          deleted.some((address) => address.endsWith(`/${element?.svcId}`))
        const kept = fingerprintsOf(whole.changes, 'ignore-case', sha256).filter(
          (each) => hidden.includes(each.fingerprint) && !isGone(each),
        )
        expect(JSON.stringify(kept.filter(({ fingerprint }) => !now.has(fingerprint)))).toEqual('[]')
        seen.untouched += hidden.length
      },
    ),
    1.5,
  )
  expect(Math.min(seen.left, seen.overruled, seen.untouched, seen.kinds.size)).toBeGreaterThan(3)
})
