// Nobody is taken from a list before those who come into it have come, nor an old login before its new one has its own.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { CollectionDifference } from '../compare/compare-collection.ts'
import { subjectKey } from '../model/elements.ts'
import { append } from '../model/group-by.ts'
import type { Element } from '../model/kind.ts'
import type { StepDraft } from './draft-steps.ts'

/** More pairs than these in one list, and the removals wait for one addition that waits for the others. */
const mostPairs = 10_000

/** Accounts that exchange their levels cannot all wait: what would close a circle does not. */
export function holdRemovals(
  change: Change,
  difference: CollectionDifference,
  drafts: Readonly<Record<'additions' | 'removals' | 'changes', readonly StepDraft[]>>,
  partOf: (element: Element) => string,
): void {
  const { additions, removals, changes } = drafts
  if (removals.length === 0 || additions.length + changes.length === 0) return
  const early = byPart(additions, partOf)
  const late = byPart(changes, partOf)
  const leaving = byPart(removals, partOf)
  const emptied = emptiedParts(change, difference, partOf)
  const parts = [...leaving.keys()].sort((a, b) => Number(emptied.has(b)) - Number(emptied.has(a)))
  for (const part of parts) {
    const arriving = [...(early.get(part) ?? []), ...(late.get(part) ?? [])]
    const own = leaving.get(part) ?? []
    for (const gate of gatesOf(arriving, own.length)) followGate(own, gate)
  }
  // A platform that refuses a level may refuse it to every account: only the first one to change risks its old level.
  for (const [part, own] of late) {
    const first = (early.get(part) ?? own)[0] as StepDraft
    const subjects = subjectsOf(own)
    for (const subject of subjectsOf([first])) subjects.delete(subject)
    followGate(
      removals.filter(({ step }) => step.elements?.some((element) => subjects.has(subjectKey(element)))),
      first,
    )
  }
}

/** All who arrive; where these are many, the last of them, which then waits for the others. */
function gatesOf(arriving: readonly StepDraft[], leaving: number): readonly StepDraft[] {
  const last = arriving.at(-1)
  if (last === undefined || arriving.length * leaving <= mostPairs) return arriving
  for (const each of arriving) if (each !== last) followGate([last], each)
  return [last]
}

/** Skips a draft that `gate` itself comes after, directly or through others. */
function followGate(drafts: readonly StepDraft[], gate: StepDraft): void {
  const before = allBefore(gate)
  for (const draft of drafts) {
    if (before.has(draft) || draft.after.includes(gate)) continue
    draft.after.push(gate)
    if (draft.follows === gate) draft.follows = undefined
  }
}

function allBefore(draft: StepDraft): ReadonlySet<StepDraft> {
  const seen = new Set([draft])
  for (const each of seen) {
    for (const before of each.after) seen.add(before)
    if (each.follows !== undefined) seen.add(each.follows)
  }
  return seen
}

function byPart(
  drafts: readonly StepDraft[],
  partOf: (element: Element) => string,
): ReadonlyMap<string, readonly StepDraft[]> {
  const result = new Map<string, StepDraft[]>()
  for (const draft of drafts) {
    for (const part of new Set(draft.step.elements?.map(partOf))) append(result, part, draft)
  }
  return result
}

function subjectsOf(drafts: readonly StepDraft[]): Set<string> {
  return new Set(drafts.flatMap(({ step }) => step.elements?.map(subjectKey) ?? []))
}

function emptiedParts(
  { live }: Change,
  { collection, removed }: CollectionDifference,
  partOf: (element: Element) => string,
): ReadonlySet<string> {
  const left = new Map<string, number>()
  for (const element of live?.collections[collection] ?? []) {
    const part = partOf(element)
    left.set(part, (left.get(part) ?? 0) + 1)
  }
  for (const element of removed) left.set(partOf(element), (left.get(partOf(element)) ?? 0) - 1)
  return new Set([...left].filter(([, count]) => count <= 0).map(([part]) => part))
}

/** Keys of the old accounts, by those of the new ones. */
export function replacedAccounts(changes: readonly Change[]): ReadonlyMap<string, string> {
  return new Map(
    changes.flatMap(({ desired }): [string, string][] => {
      const { key = '', replaces, absent } = desired ?? {}
      return replaces === undefined || absent || replaces === key ? [] : [[key, replaces]]
    }),
  )
}

/** In whatever list; but for a gift that waits for what is taken, where there is only so much. */
export function orderReplaced(drafts: readonly StepDraft[], replaced: ReadonlyMap<string, string>): void {
  for (const [key, old] of replaced) {
    const gives = ({ needs, change, step }: StepDraft): boolean =>
      needs.includes(key) || (step.verb === 'create' && isAccount(change) && keyOf(change) === key)
    const takes = ({ releases, change, step }: StepDraft): boolean =>
      releases.includes(old) || (step.verb === 'delete' && isAccount(change) && keyOf(change) === old)
    const takers = drafts.filter((draft) => takes(draft) && !gives(draft))
    if (takers.length === 0) continue
    const givers = drafts.filter(gives)
    givesFirst(drafts, new Set(takers))
    for (const giver of givers) {
      const before = allBefore(giver)
      for (const taker of takers) if (!before.has(taker) && !taker.after.includes(giver)) taker.after.push(giver)
    }
  }
}

const isAccount = (change: Change): boolean => kindOf(change).provides !== undefined

/** Objects that synchronise take one write at a time: their takers last. */
function givesFirst(drafts: readonly StepDraft[], takers: ReadonlySet<StepDraft>): void {
  const changes = new Set([...takers].map(({ change }) => change).filter((change) => kindOf(change).synchronises))
  for (const change of changes) {
    const own = drafts.filter((draft) => draft.change === change)
    const row = [...own.filter((draft) => !takers.has(draft)), ...own.filter((draft) => takers.has(draft))]
    for (const [index, draft] of row.entries()) {
      const last = row[index - 1]
      draft.follows = last === undefined || draft.after.includes(last) ? undefined : last
    }
  }
}
