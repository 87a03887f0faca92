// Groups whose members administer something, by what is declared: directly, or through groups that they are in.
import type { Desired } from '@svcsync/core/model/desired.ts'
import { elementsOf } from '@svcsync/core/model/desired.ts'
import { subjectKey } from '@svcsync/core/model/elements.ts'

/** By the key of a group, what it leads to: an address. Accounts that hold it themselves are among the keys. */
export function administratorsAmong(desired: readonly Desired[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { kind, collections, address } of desired) {
    const { collection = '', level } = kind.administeredBy ?? {}
    if (level === undefined) continue
    for (const element of elementsOf(collections[collection]))
      if (element.level === level && !found.has(subjectKey(element))) found.set(subjectKey(element), address)
  }
  const groups = new Map(
    desired.flatMap((object) => (object.kind.provides === 'group' ? [[object.key, object] as const] : [])),
  )
  for (const [key, address] of found) {
    const { kind, collections } = groups.get(key) ?? {}
    for (const [name, list] of Object.entries(collections ?? {})) {
      if (!kind?.collections[name]?.nests) continue
      for (const element of elementsOf(list))
        if (!found.has(subjectKey(element))) found.set(subjectKey(element), address)
    }
  }
  return found
}
