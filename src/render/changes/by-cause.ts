// Parts a plan with a base by whose change it is: the manifests', the platform's, or of both.
import { type AccessDocument, countAccess } from '@svcsync/core/access/describe-access.ts'
import type { Cause } from '@svcsync/core/compare/cause.ts'
import { showElement } from '@svcsync/core/model/elements.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type {
  CausedElement,
  ChangeDocument,
  DifferenceDocument,
  PlanDocument,
  StepDocument,
} from '@svcsync/core/plan/plan-document.ts'
import { withElements } from '@svcsync/core/plan/report.ts'
import type { HistoryDocument } from '@svcsync/core/plan/run-history.ts'

type CauseSide = 'declared' | 'live' | 'both'

/** A plan, or what drift makes of it. */
export type ShownPlan = PlanDocument & {
  readonly pending?: PlanDocument['changes']
  readonly history?: HistoryDocument
}

export function selectSide(plan: PlanDocument, part: CauseSide): PlanDocument {
  if (!plan.base) return part === 'declared' ? plan : { ...plan, changes: [] }
  return { ...plan, changes: plan.changes.flatMap((change) => changeIn(change, part) ?? []) }
}

/**
 * Drift with a base: what moved on the platform is drift, and what was merged and not applied is `pending`. Without a
 * base it is all the same. `access`: of the drift alone. `steps` stay those of an apply, which does both; the counts
 * are of the drift.
 */
export function driftOf(plan: PlanDocument, access?: AccessDocument): ShownPlan {
  if (!plan.base) return { ...plan, pending: [] }
  const changes = plan.changes.flatMap((change) => {
    const parts = (['live', 'both'] as const).flatMap((part) => changeIn(change, part) ?? [])
    const [first] = parts
    return first === undefined
      ? []
      : { ...first, differences: mergeDifferences(parts.flatMap(({ differences }) => differences)) }
  })
  const count = (action: ChangeDocument['action']): number =>
    changes.filter((change) => change.action === action).length
  return {
    ...plan,
    changes,
    counts: {
      ...plan.counts,
      ...{ create: count('create'), update: count('update'), delete: count('delete') },
      ...countElements(changes),
      steps: countHealing(plan.steps, changes),
      ...(access && { gained: countAccess(access, 'gained'), lost: countAccess(access, 'lost') }),
    },
    ...(access && { access }),
    pending: selectSide(plan, 'declared').changes,
  }
}

function countElements(changes: readonly ChangeDocument[]): { readonly added: number; readonly removed: number } {
  const differences = changes.flatMap((change) => change.differences)
  const sum = (side: 'added' | 'removed') =>
    differences.reduce((all, difference) => all + (difference[side]?.length ?? 0), 0)
  return { added: sum('added'), removed: sum('removed') }
}

/** The steps that an apply without what is pending would have as well. */
function countHealing(steps: readonly StepDocument[], changes: readonly ChangeDocument[]): number {
  const byAddress = new Map(changes.map((change) => [change.address, change]))
  return steps.filter(({ address, collection, elements = [] }) => {
    const change = byAddress.get(address)
    if (change === undefined || change.action !== 'update') return change !== undefined
    if (collection === undefined) return change.differences.some(({ added }) => added === undefined)
    const lists = change.differences.filter(({ path }) => path === collection)
    const own = new Set(
      lists.flatMap(({ added = [], removed = [] }) => [...added, ...removed].map((each) => showElement(each))),
    )
    return elements.some((element) => own.has(showElement(element)))
  }).length
}

const sideOf = (cause: Cause | null | undefined): CauseSide =>
  cause === 'live' || cause === 'both' ? cause : 'declared'

function changeIn(change: ChangeDocument, part: CauseSide): ChangeDocument | undefined {
  const { action, differences } = change
  if (action !== 'update') {
    // It comes or goes as one.
    return sideOf(change.cause) === part ? change : undefined
  }
  const mine = differences.flatMap((difference) => differenceIn(difference, part) ?? [])
  if (mine.length === 0) return undefined
  // All of it is: nothing is copied, and no digest made.
  const isWhole = mine.length === differences.length && mine.every((each, index) => each === differences[index])
  return isWhole ? change : { ...change, differences: mine }
}

function differenceIn(difference: DifferenceDocument, part: CauseSide): DifferenceDocument | undefined {
  const { added, removed } = difference
  if (added === undefined || removed === undefined) return sideOf(difference.cause) === part ? difference : undefined
  const of = (elements: readonly CausedElement[]) => elements.filter(({ cause }) => sideOf(cause) === part)
  const own = { added: of(added), removed: of(removed) }
  const count = own.added.length + own.removed.length
  if (count === 0) return undefined
  if (count === added.length + removed.length) return difference
  return withElements(difference, own)
}

/** `listed`: of the same list. */
export function isAmong(
  { svcId, level, company, item, about }: Element,
  entries: NonNullable<DifferenceDocument['outsideTime']>,
): boolean {
  return entries.some(
    (each) =>
      (item === undefined ? each.svcId === svcId : each.item === item) &&
      each.level === level &&
      (each.company ?? each.about)?.guid === (company ?? about)?.guid,
  )
}

/** The removed entries whose time is over. */
export function countEnded({ removed = [], outsideTime = [] }: DifferenceDocument): number {
  const ended = outsideTime.filter(({ event }) => event === 'ended')
  return ended.length === 0 ? 0 : removed.filter((element) => isAmong(element, ended)).length
}

function mergeDifferences(differences: readonly DifferenceDocument[]): DifferenceDocument[] {
  const result = new Map<string, DifferenceDocument>()
  for (const difference of differences) {
    const { path, added = [], removed = [] } = difference
    const earlier = result.get(path)
    result.set(
      path,
      earlier?.added === undefined
        ? difference
        : { ...earlier, added: [...earlier.added, ...added], removed: [...(earlier.removed ?? []), ...removed] },
    )
  }
  return [...result.values()]
}
