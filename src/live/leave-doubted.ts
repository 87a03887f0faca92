// Removes doubtful fields from live objects, with one warning for each name of a kind.
import { addressStart } from '@svcsync/core/model/address.ts'
import { formatMet, wireNameHint, withoutSettledDoubts } from '@svcsync/core/model/doubts.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isMapping, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { DoubtedName } from '@svcsync/core/model/known-names.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { LiveItem, UnreadPart } from '@svcsync/core/model/live-tree.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { schemaAt } from '@svcsync/core/model/schema-fields.ts'

type DoubtedField = Pick<DoubtedName, 'name' | 'isWord'> & {
  readonly item: LiveItem
  readonly met: Set<string>
  count: number
}

export function leaveDoubted(
  told: ReadonlyMap<LiveItem, Live>,
  { names }: Pick<PlatformPort, 'names'>,
): { readonly told: ReadonlyMap<LiveItem, Live>; readonly leftOut: readonly UnreadPart[] } {
  const found = new Map<string, DoubtedField>()
  const without = [...told].map(([item, live]): readonly [LiveItem, Live] => {
    const { schema } = live.kind.sections[0]
    // A word that no manifest can have is left out by itself.
    const doubted = (withoutSettledDoubts(live, live.kind, names).doubted ?? []).filter(
      ({ isWord, path }) => !isWord || schemaAt(schema, path)?.grows === true,
    )
    let { spec } = live
    // A word may mean one of several names, so the field appears once.
    const apart = doubted.filter(({ path }, at) => doubted.findIndex((each) => each.path === path) === at)
    for (const { path, name: own, met, isWord } of apart) {
      const name = isWord ? path.slice(-1).join() : own
      spec = withoutField(spec, path)
      const none = { name, isWord, item, met: new Set<string>(), count: 0 }
      const entry = getOrInsert(found, `${addressStart(item.kind, item)} ${name}`, (): DoubtedField => none)
      entry.count += 1
      for (const each of met) entry.met.add(each)
    }
    return [item, { ...live, spec }]
  })
  return { told: new Map(without), leftOut: [...found.values()].map(leftOutOf) }
}

function leftOutOf({ name, isWord, item: { kind, database, parent }, met, count }: DoubtedField): UnreadPart {
  const told = `answers lack it, and hold ${formatMet(met)}, which svcsync does not know`
  return {
    ...{ kind, database, parent, address: addressStart(kind, { database, parent }), field: name },
    reason: `${kind.title}, ${count}: ${told}`,
    hint: isWord
      ? 'Write its documented name into `wireNames` of the target, or the word with itself if it is new.'
      : wireNameHint(name, [...met]),
  }
}

function withoutField(spec: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: value, ...others } = spec
  if (rest.length === 0) return others
  return isMapping(value) ? { ...spec, [key]: withoutField(value, rest) as Json } : spec
}
