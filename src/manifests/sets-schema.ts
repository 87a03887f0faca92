// Named sets of accounts, as manifests and the project file write them.
import { accountEntrySchema } from '@svcsync/core/model/account-entry.ts'
import { type AccountSet, addSet } from '@svcsync/core/model/account-sets.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'
import { offsetOfKey, type Source } from '@svcsync/core/model/source.ts'
import type { Problem } from '@svcsync/errors/index.ts'

export const setsSchema: Schema = {
  type: 'map',
  description: 'Sets of accounts by name. `{ set: NAME }` in any list of accounts stands for everybody in the set.',
  examples: [{ clerks: ['anna.nowak@example.com', 'maria.wolska@example.com'] }],
  values: { type: 'array', items: accountEntrySchema(), description: 'The accounts in the set.' },
}

/** Adds the sets of a mapping to the known ones; a duplicate name is a problem. */
export function collectSets(
  value: Json | undefined,
  source: Source,
  sets: Map<string, AccountSet>,
  problems: Problem[],
): void {
  if (!isJsonObject(value)) return
  for (const [index, [name, items]] of Object.entries(value).entries()) {
    if (!Array.isArray(items)) continue
    const place = source.placeAt(offsetOfKey(source, value, index))
    addSet(sets, { name, items, source, place }, problems)
  }
}
