// The accounts that a live object refers to: its manager, its members, whoever has privileges on it.
import { accountsIn } from '../core/model/elements.ts'
import type { LiveItem } from '../core/model/live-tree.ts'
import { fieldsOf } from '../core/model/schema-fields.ts'

/** Each as often as it is used. */
export function accountsUsedBy({ kind, spec, collections }: LiveItem): readonly string[] {
  const [section] = kind.sections
  const references = fieldsOf(section).fields.filter((field) => {
    const schema = section.schema.properties[field]
    return schema?.reference === 'user' || schema?.reference === 'account'
  })
  const named = references.map((field) => spec[field]).filter((value) => typeof value === 'string')
  return [...named, ...Object.values(collections).flatMap(accountsIn)]
}
