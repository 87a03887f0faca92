// Takes fields in doubt out of what is told of live objects, and says so once for each name of a kind.
import { addressStart } from '../core/model/address.ts'
import { howToName, shownMet, stillDoubted } from '../core/model/doubts.ts'
import { getOrInsert } from '../core/model/group-by.ts'
import { isMapping, type Json, type JsonObject } from '../core/model/json.ts'
import type { Doubt } from '../core/model/known-names.ts'
import type { Live } from '../core/model/live.ts'
import type { LeftOut, LiveItem } from '../core/model/live-tree.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'

type Found = Pick<Doubt, 'name'> & { readonly item: LiveItem; readonly met: Set<string>; count: number }

export function leaveDoubted(
  told: ReadonlyMap<LiveItem, Live>,
  { names }: Pick<PlatformPort, 'names'>,
): { readonly told: ReadonlyMap<LiveItem, Live>; readonly leftOut: readonly LeftOut[] } {
  const found = new Map<string, Found>()
  const without = [...told].map(([item, live]): readonly [LiveItem, Live] => {
    // A word is told as it stands, where manifests can have it.
    const doubted = stillDoubted(live, live.kind, names).doubted?.filter(({ isWord }) => !isWord) ?? []
    if (doubted.length === 0) return [item, live]
    let { spec } = live
    for (const { path, name, met } of doubted) {
      spec = withoutField(spec, path)
      const none = { name, item, met: new Set<string>(), count: 0 }
      const entry = getOrInsert(found, `${addressStart(item.kind, item)} ${name}`, (): Found => none)
      entry.count += 1
      for (const each of met) entry.met.add(each)
    }
    return [item, { ...live, spec }]
  })
  return { told: found.size === 0 ? told : new Map(without), leftOut: [...found.values()].map(leftOutOf) }
}

function leftOutOf({ name, item: { kind, database, parent }, met, count }: Found): LeftOut {
  const told = `the platform tells ${shownMet(met)} instead, which svcsync does not know`
  return {
    ...{ kind, database, parent, address: addressStart(kind, { database, parent }), field: name },
    reason: `${kind.title}, ${count}: ${told}`,
    hint: howToName(name, [...met]),
  }
}

function withoutField(spec: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: value, ...others } = spec
  if (rest.length === 0) return others
  return isMapping(value) ? { ...spec, [key]: withoutField(value, rest) as Json } : spec
}
