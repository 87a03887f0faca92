// If items are too few, each account waits for one that another gives back.
import { keyOf, kindOf } from '../compare/change.ts'
import { freeOf, movementsOf, type Stock } from '../compare/stock.ts'
import { groupBy } from '../model/group-by.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import type { Draft } from './draft.ts'

/** Each beyond the free ones waits for one removal, and no two for the same: there is always one to give. */
export function orderByStock(drafts: readonly Draft[], stocks: readonly Stock[]): void {
  const touched = new Set<Draft>()
  for (const stock of stocks) {
    for (const [gift, removals] of waitsFor(drafts, stock)) {
      const known = new Set(gift.after)
      const fresh = [...new Set(removals)].filter((removal) => !known.has(removal))
      gift.after.push(...fresh)
      if (fresh.length > 0) for (const each of [gift, ...fresh]) touched.add(each)
    }
  }
  if (touched.size > 0) untie(drafts)
}

function waitsFor(
  drafts: readonly Draft[],
  stock: Stock,
): readonly (readonly [gift: Draft, removals: readonly Draft[]])[] {
  const writes = drafts.filter(
    ({ change, step }) => kindOf(change) === stock.kind && step.collection === stock.collection,
  )
  const writesOf = (verb: 'add' | 'remove', item: string): ReadonlyMap<object, readonly Draft[]> =>
    groupBy(
      writes.filter(({ step }) => step.verb === verb && step.elements?.some((element) => element.item === item)),
      ({ change }) => change,
    )
  const deletions = new Map(
    drafts.filter(({ step }) => step.verb === 'delete').map((draft) => [keyOf(draft.change), draft]),
  )
  const movements = movementsOf([...new Set(writes.map(({ change }) => change))], stock)
  return [...movements].flatMap(([item, { given, freed }]) => {
    const supply = stock.supplies.get(item)
    if (supply === undefined) return []
    const [giving, freeing] = [writesOf('add', item), writesOf('remove', item)]
    // All writes of an object that free it: of many processes, each batch.
    const back = [
      ...freed.map((change) => freeing.get(change) ?? []),
      ...(stock.deletedHolders.get(item) ?? []).map((key) => [deletions.get(key)].flatMap((each) => each ?? [])),
    ]
    const owed = back.splice(0, Math.max(0, supply.assigned - supply.total)).flat()
    return given
      .slice(freeOf(supply))
      .flatMap((change, index) =>
        (giving.get(change) ?? []).map((gift) => [gift, [...owed, ...(back[index] ?? [])]] as const),
      )
  })
}

/** An object has what is new before it gives anything away; of each circle, one has to give first. */
function untie(drafts: readonly Draft[]): void {
  let pending = drafts
  while (pending.length > 0) {
    const knots = stronglyConnected(pending, ({ after }) => after).filter(({ length }) => length > 1)
    for (const knot of knots) {
      const inside = new Set(knot)
      const giver = knot
        .filter(
          ({ step, change, after }) =>
            step.verb === 'remove' && after.some((each) => inside.has(each) && each.change === change),
        )
        .reduce((a, b) => (a.change.address <= b.change.address ? a : b))
      const kept = giver.after.filter((each) => !inside.has(each) || each.change !== giver.change)
      giver.after.splice(0, giver.after.length, ...kept)
    }
    pending = knots.flat()
  }
}
