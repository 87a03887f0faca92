// Where there are too few items for all who are to get one, each waits for one that is given back.
import { keyOf, kindOf } from '../compare/change.ts'
import { freeOf, movementsOf, type Stock } from '../compare/stock.ts'
import { append } from '../model/group-by.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import type { Draft } from './draft.ts'

/**
 * Who gets one of those that are free waits for nobody. Each other waits for one removal, and no two for the same: so there is
 * always one to give, in whatever order the steps end. Where more are assigned than there are, all wait for as many removals first.
 */
export function orderByStock(drafts: readonly Draft[], stocks: readonly Stock[]): void {
  const touched = new Set<Draft>()
  for (const stock of stocks) {
    const writes = drafts.filter(
      ({ change, step }) => kindOf(change) === stock.kind && step.collection === stock.collection,
    )
    // The last write of an object frees it: of many processes, the last batch.
    const giving = new Map(
      writes.filter(({ step }) => step.verb === 'add').map((draft) => [draft.change, [] as Draft[]]),
    )
    const freeing = new Map<object, Draft[]>()
    for (const draft of writes) {
      if (draft.step.verb === 'add') giving.get(draft.change)?.push(draft)
      else append(freeing, draft.change, draft)
    }
    const deletions = new Map(
      drafts.filter(({ step }) => step.verb === 'delete').map((draft) => [keyOf(draft.change), draft]),
    )
    for (const [item, { given, freed }] of movementsOf([...new Set(writes.map(({ change }) => change))], stock)) {
      const supply = stock.supplies.get(item)
      if (supply === undefined) continue
      const ofItem = (draft: Draft) => draft.step.elements?.some((element) => element.item === item)
      const back = [
        ...freed.map((change) => (freeing.get(change) ?? []).filter(ofItem)),
        ...(stock.deletedHolders.get(item) ?? []).map((key) => [deletions.get(key)].flatMap((each) => each ?? [])),
      ]
      const owed = back.splice(0, Math.max(0, supply.assigned - supply.total)).flat()
      for (const [index, change] of given.slice(freeOf(supply)).entries()) {
        for (const gift of (giving.get(change) ?? []).filter(ofItem)) {
          const known = new Set(gift.after)
          for (const removal of new Set([...owed, ...(back[index] ?? [])])) {
            if (known.has(removal)) continue
            gift.after.push(removal)
            touched.add(gift).add(removal)
          }
        }
      }
    }
  }
  if (touched.size > 0) untie(drafts)
}

/**
 * An object gives nothing away before it has what is new. Where objects exchange what there is only once, one of each circle
 * has to.
 */
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
