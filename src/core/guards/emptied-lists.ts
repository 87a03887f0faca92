// Lists from which a plan takes the last one.
import { byCount, inCode } from '@svcsync/errors/index.ts'
import type { Aftermath } from '../access/aftermath.ts'
import type { Change } from '../compare/change.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { type Finding, isDeletion } from './guard.ts'

export function emptiedLists(change: Change, aftermath: Aftermath): string[] {
  if (change.live === undefined || isDeletion(change)) return []
  return Object.keys(change.live.collections).filter(
    (name) =>
      aftermath.elements(change, name, 'before').length > 0 && aftermath.elements(change, name, 'after').length === 0,
  )
}

/** One for each list that is left with nobody, and that nobody has declared to be empty. */
export function findEmptied(
  changes: readonly Change[],
  aftermath: Aftermath,
  concerns: (change: Change, collection: string) => boolean,
): Finding[] {
  return changes.flatMap((change) =>
    emptiedLists(change, aftermath)
      .filter((collection) => concerns(change, collection) && !isDeclaredEmpty(change, collection))
      .map((collection): Finding => {
        const { address } = change
        const before = aftermath.elements(change, collection, 'before').length
        const whole = byCount(before, `the only one of its ${collection}`, `all ${before} of its ${collection}`)
        const isAdditive = change.desired?.collections[collection]?.mode === 'additive'
        const why = isAdditive ? 'the list is additive' : `no manifest declares \`${collection}: []\``
        return {
          sentence: `${inCode(address)} would lose ${whole}, but ${why}.`,
          numbers: { before, after: 0 },
          addresses: [address],
          allow: address,
        }
      }),
  )
}

/** Written as `[]` or null: a list whose entries are over, or whose set is empty, may not be meant so. */
function isDeclaredEmpty({ desired }: Change, collection: string): boolean {
  if (desired?.collections[collection]?.mode !== 'exclusive') return false
  return desired.declarations.some((declaration) =>
    fieldsOf(declaration.section).collections.some(({ field, collection: filled }) => {
      const value = declaration.item[field]
      return filled === collection && (value === null || (Array.isArray(value) && value.length === 0))
    }),
  )
}
