// The accounts that a live object refers to: its manager, its members, whoever has privileges on it.
import { accountsIn } from '../core/model/elements.ts'
import type { LiveItem } from '../core/model/live-tree.ts'
import { fieldsOf, isAccount } from '../core/model/schema-fields.ts'

/** Each as often as it is used. */
export function accountsUsedBy({ kind, identity, spec, collections }: LiveItem): readonly string[] {
  const { references, holder } = fieldsOf(kind.sections[0])
  const values = references.map(({ field, to }) => (isAccount(to) ? spec[field] : undefined))
  const named = [holder && identity, ...values].filter((value) => typeof value === 'string')
  return [...named, ...Object.values(collections).flatMap(accountsIn)]
}
