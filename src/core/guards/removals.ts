// Guard `removals`: one run takes no more entries away than the project allows, of a kind and from one list.
import { inCode } from '@svcsync/errors/index.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { groupBy } from '../model/group-by.ts'
import type { Kind } from '../model/kind.ts'
import { defineGuard, type Finding, isDeletion, type Limits } from './guard.ts'
import { exceeds, exceedsShare, minimumForShares, percentText } from './limits.ts'

export const removalsGuard = defineGuard({
  name: 'removals',
  counts: true,
  truth: 'No more members, owners and privileges are removed than the limits say, of a kind and from one list.',
  on: 'removals',
  needs: ['changes', 'listed', 'limits'],
  find({ changes, listed, limits: { removals: limits } }) {
    const removed = sum(changes, removedBy)
    return [...removalsByKind(changes, limits, listed), ...removalsByList(changes, limits)].map(
      ({ sentence, ...finding }) => ({
        ...finding,
        sentence: removed === finding.numbers.count ? sentence : `${sentence} This plan removes ${removed} in all.`,
        allow: removed,
      }),
    )
  },
})

function sum<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0)
}

/** Members of a deleted group lose their membership, too. */
function removedBy(change: Change): number {
  return isDeletion(change) ? liveIn(change) : sum(change.collections, ({ removed }) => removed.length)
}

/** All that is in the lists of a kind. */
export function listedIn(changes: readonly Change[]): Map<string, number> {
  const live = changes.filter((change) => change.live !== undefined)
  return new Map([...groupBy(live, kindOf)].map(([{ name }, own]) => [name, sum(own, liveIn)]))
}

function liveIn({ live }: Change): number {
  return sum(Object.values(live?.collections ?? {}), ({ length }) => length)
}

function removalsByKind(changes: readonly Change[], limits: Limits, listed: ReadonlyMap<string, number>): Finding[] {
  const live = changes.filter((change) => change.live !== undefined)
  return [...groupBy(live, kindOf)].flatMap(([kind, own]) => {
    const count = sum(own, removedBy)
    const total = Math.max(sum(own, liveIn), listed.get(kind.name) ?? 0)
    if (exceeds(count, total, limits) === undefined) return []
    const what = `${count} of ${total} ${listsOf(kind)} of ${kind.title.toLowerCase()} that were read would be removed`
    const addresses = own.filter((change) => removedBy(change) > 0).map(({ address }) => address)
    return [tooMany(what, count, total, limits, addresses)]
  })
}

/** `members and owners`, or `privileges`: a heading such as "Process privileges" says the latter already. */
function listsOf(kind: Kind): string {
  const names = Object.keys(kind.collections)
  return names.some((name) => kind.title.toLowerCase().endsWith(name)) ? 'entries' : names.join(' and ')
}

function removalsByList(changes: readonly Change[], limits: Limits): Finding[] {
  return changes.flatMap(({ live, collections, address }) =>
    collections.flatMap(({ collection, removed: { length: count } }): Finding[] => {
      const total = live?.collections[collection]?.length ?? 0
      if (live === undefined || !exceedsShare(count, total, limits.percent)) return []
      const what = `${inCode(address)} would lose ${count} of ${total} ${collection}`
      return [tooMany(what, count, total, limits, [address])]
    }),
  )
}

function tooMany(what: string, count: number, total: number, limits: Limits, addresses: readonly string[]): Finding {
  return {
    sentence: `${what} (${percentText(count, total)}). ${limitsText(limits)}`,
    numbers: { count, total, max: limits.max, percent: limits.percent },
    addresses,
  }
}

function limitsText({ max, percent }: Limits): string {
  const shares = `${percent} % of a kind and of each list from ${minimumForShares} on`
  return `The limits of one run are ${max} of a kind, and ${shares}.`
}
