// Holders of levels that no manifest lists, for objects that were read anyway.
import { type Change, kindOf } from '../compare/change.ts'
import { hasUnknownLevel, type KeyedElement, subjectKey } from '../model/elements.ts'
import { append, compareBy } from '../model/group-by.ts'
import type { Plan } from './plan.ts'
import type { PlanDocument } from './plan-document.ts'

type UnlistedLevelsDocument = NonNullable<PlanDocument['unlistedLevels']>
type UnlistedList = UnlistedLevelsDocument['listed'][number]
type Account = UnlistedList['accounts'][number]
type UntoldLevels = NonNullable<UnlistedLevelsDocument['untold']>

const most = 1000

/** null: the plan speaks of a part of the objects alone, or of what was done. */
export function unlistedLevels({
  changes,
  base,
  due,
}: Pick<Plan, 'changes' | 'base' | 'due'>): UnlistedLevelsDocument | null {
  if (due !== undefined || base?.from === 'journal') return null
  const own = { entries: 0, levels: 0, listed: [] as UnlistedList[] }
  const inherited = { entries: 0, objects: 0, listed: [] as UnlistedList[] }
  const untold = {
    entries: 0,
    lists: [] as UntoldLevels['lists'][number][],
    listed: [] as UntoldLevels['listed'][number][],
  }
  const notRead: string[] = []
  for (const change of changes) {
    const { collections } = kindOf(change)
    for (const name in collections) {
      if (collections[name]?.part === undefined || change.desired === undefined || change.live === undefined) continue
      const live = change.live.collections[name]
      if (live === undefined) notRead.push(change.address)
      tellUntold(change, name, untold)
      const found = accountsByUnlistedLevel(change, name, live ?? [])
      own.levels += found.length
      show(change, found, own)
      const above = change.live.inherited?.[name] ?? []
      if (above.length > 0) inherited.objects += 1
      show(change, byLevel(above), inherited)
    }
  }
  return { ...own, ...(inherited.entries > 0 && { inherited }), ...(untold.lists.length > 0 && { untold }), notRead }
}

/** A list without told levels, and who has something in it that neither manifests nor the base explain. */
function tellUntold(
  { address, live, collections }: Change,
  name: string,
  into: {
    entries: number
    readonly lists: UntoldLevels['lists'][number][]
    readonly listed: UntoldLevels['listed'][number][]
  },
): void {
  const isNotTold = (element: KeyedElement): boolean => hasUnknownLevel(element, live?.kind.collections[name])
  if (!live?.asTold?.[name]?.some(isNotTold)) return
  into.lists.push({ address, path: name })
  const difference = collections.find(({ collection }) => collection === name)
  const moved = new Set(
    [...(difference?.removed ?? []), ...(difference?.added ?? []).map(({ element }) => element)].map(subjectKey),
  )
  const left = (live.collections[name] ?? []).filter((element) => isNotTold(element) && !moved.has(subjectKey(element)))
  const accounts = left.flatMap(({ svcId }): Account[] => (svcId === undefined ? [] : [{ svcId }]))
  const shown = accounts.slice(0, Math.max(0, most - into.entries))
  if (shown.length > 0) into.listed.push({ address, accounts: shown })
  into.entries += accounts.length
}

function show(
  { address }: Change,
  found: readonly [level: string, accounts: readonly Account[]][],
  into: { entries: number; readonly listed: UnlistedList[] },
): void {
  for (const [level, accounts] of found) {
    const shown = accounts.slice(0, Math.max(0, most - into.entries))
    if (shown.length > 0) into.listed.push({ address, level, accounts: shown })
    into.entries += accounts.length
  }
}

/** By level; without those that the plan takes away. */
function accountsByUnlistedLevel(
  { desired, collections }: Change,
  name: string,
  live: readonly KeyedElement[],
): [string, Account[]][] {
  const wanted = desired?.collections[name]
  if (wanted?.parts === 'all') return []
  const removed = new Set(collections.find(({ collection }) => collection === name)?.removed)
  // Levels that the platform does not tell are reported for the list.
  return byLevel(live.filter((element) => !removed.has(element) && !wanted?.parts.includes(element.level ?? '')))
}

function byLevel(elements: readonly KeyedElement[]): [string, Account[]][] {
  const found = new Map<string, Account[]>()
  for (const { svcId, level, company } of elements) {
    if (svcId === undefined || level === undefined) continue
    append(found, level, { svcId, ...(company && { company: company.name }) })
  }
  return [...found].sort(compareBy(([level]) => level))
}
