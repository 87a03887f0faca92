// Guards `last-owner` and `emptied-group`: no group loses its last owner or its last member, unless its list is written `[]`.
import { inCode } from '../../errors/index.ts'
import type { Aftermath } from '../access/aftermath.ts'
import type { Change } from '../compare/change.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Finding, Guard } from './guard.ts'
import { emptiedLists } from './protected-stay-whole.ts'

export const ownersRemain: Guard = {
  name: 'last-owner',
  counts: false,
  truth: 'Every group that has an owner keeps one, unless `owners: []` is declared.',
  find: ({ changes, aftermath }) =>
    emptied(changes, aftermath, (change, collection) => {
      const part = change.live?.kind.administeredBy
      return part?.collection === collection && part.level === undefined
    }),
}

export const groupsStayFilled: Guard = {
  name: 'emptied-group',
  counts: false,
  truth: 'Every group in which there is somebody keeps a member, unless `members: []` is declared.',
  find: ({ changes, aftermath }) =>
    emptied(changes, aftermath, (change, collection) => change.live?.kind.collections[collection]?.nests === true),
}

function emptied(
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
        const whole = before === 1 ? `the only one of its ${collection}` : `all ${before} of its ${collection}`
        return {
          sentence: `${inCode(address)} would lose ${whole}, and no manifest says \`${collection}: []\`.`,
          numbers: { before, after: 0 },
          addresses: [address],
          allow: address,
        }
      }),
  )
}

/** Written as an empty list or as null: a list whose entries are over, or whose set is empty, is not meant so for certain. */
function isDeclaredEmpty({ desired }: Change, collection: string): boolean {
  if (desired?.collections[collection]?.mode !== 'exclusive') return false
  return desired.declarations.some((declaration) =>
    fieldsOf(declaration.section).collections.some(({ field, collection: filled }) => {
      const value = declaration.item[field]
      return filled === collection && (value === null || (Array.isArray(value) && value.length === 0))
    }),
  )
}
