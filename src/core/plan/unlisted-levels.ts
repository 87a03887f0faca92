// Who holds what at levels that no manifest lists, of objects that were read anyway: left alone, and no reason to say nothing.
import { type Change, kindOf } from '../compare/change.ts'
import type { KeyedElement } from '../model/elements.ts'
import { append, by } from '../model/group-by.ts'
import type { Plan } from './plan.ts'
import type { PlanDocument } from './plan-document.ts'

type Levels = NonNullable<PlanDocument['unlistedLevels']>
type Account = Levels['listed'][number]['accounts'][number]

/** So many accounts are named; the rest is counted. */
const most = 1000

/** null: the plan speaks of a part of the objects alone, or of what was done. */
export function unlistedLevels({ changes, base, due }: Pick<Plan, 'changes' | 'base' | 'due'>): Levels | null {
  if (due !== undefined || base?.from === 'journal') return null
  const listed: Levels['listed'][number][] = []
  const notRead: string[] = []
  let entries = 0
  let levels = 0
  const inherited = { entries: 0, objects: 0, listed: [] as typeof listed }
  for (const change of changes) {
    const { collections } = kindOf(change)
    for (const name in collections) {
      const partOf = collections[name]?.part
      if (partOf === undefined || change.desired === undefined || change.live === undefined) continue
      const live = change.live.collections[name]
      if (live === undefined) notRead.push(change.address)
      const found = beside(change, name, live ?? [])
      for (const [level, accounts] of found) {
        levels += 1
        entries += show(change, level, accounts, entries, listed)
      }
      const above = change.live.inherited?.[name] ?? []
      if (above.length > 0) inherited.objects += 1
      for (const [level, accounts] of byLevel(above)) {
        inherited.entries += show(change, level, accounts, inherited.entries, inherited.listed)
      }
    }
  }
  return { entries, levels, listed, ...(inherited.entries > 0 && { inherited }), notRead }
}

/** As far as there is room. Gives how many there are. */
function show(
  { address }: Change,
  level: string,
  accounts: readonly Account[],
  before: number,
  listed: Levels['listed'][number][],
): number {
  const shown = accounts.slice(0, Math.max(0, most - before))
  if (shown.length > 0) listed.push({ address, level, accounts: shown })
  return accounts.length
}

/** By level; without those that the plan takes away. */
function beside({ desired, collections }: Change, name: string, live: readonly KeyedElement[]): [string, Account[]][] {
  const wanted = desired?.collections[name]
  if (wanted?.parts === 'all') return []
  const removed = new Set(collections.find(({ collection }) => collection === name)?.removed)
  // Where the platform tells no levels, that is said of the list.
  return byLevel(live.filter((element) => !removed.has(element) && !wanted?.parts.includes(element.level ?? '')))
}

function byLevel(elements: readonly KeyedElement[]): [string, Account[]][] {
  const found = new Map<string, Account[]>()
  for (const { svcId, level, company } of elements) {
    if (svcId === undefined || level === undefined) continue
    append(found, level, { svcId, ...(company && { company: company.name }) })
  }
  return [...found].sort(by(([level]) => level))
}
