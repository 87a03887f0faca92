// Reads the list of a kind: whole objects, or names with the ids to read them by.
import type { FoldSvcId } from '../core/address.ts'
import { nameKey } from '../core/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Kind, ListRequest, LivePart, Location } from '../core/kind.ts'
import type { PlatformPort } from '../core/platform-port.ts'
import { failureCodes, PlatformError } from '../errors/index.ts'
import { otherShape } from './read-object.ts'
import { readPages } from './read-pages.ts'

export interface ListSettings {
  readonly fold: FoldSvcId
  readonly pageSize: number
  /** How many items there are likely to be at least. */
  readonly expected?: number
  /** As in PagedList, with objects; of paged lists only. An object may come twice. */
  onAsk?(): (parts: readonly LivePart[]) => void
  /** Called with the number of items that are no such object. */
  onOther?(items: number): void
}

/** All items by name (folded where the kind compares so). Several under one name: the platform has them so. */
export async function readList(
  port: PlatformPort,
  kind: Kind,
  at: Location,
  list: ListRequest,
  settings: ListSettings,
): Promise<ReadonlyMap<string, readonly LivePart[]>> {
  const watch = settings.onAsk && watchParts(kind, at, () => settings.onAsk?.())
  const items = list.paged
    ? await readPages(port, {
        path: list.path,
        key: list.key,
        size: settings.pageSize,
        expected: settings.expected,
        onAsk: watch,
        idOf: (item) =>
          kind.comparesBy === 'svcId' ? settings.fold(String(item.svcId)) : String(item.guid ?? item.id),
      })
    : itemsOf(await port.send({ method: 'GET', path: list.path }), list)
  const byName = new Map<string, LivePart[]>()
  for (const item of items) {
    const part = readItem(kind, item, at)
    // One without a name is nobody's that is looked for.
    if (part === undefined) {
      settings.onOther?.(1)
      continue
    }
    const name = nameKey(kind, part.name, settings.fold)
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [part])
    else known.push(part)
  }
  // Objects that are there must not pass for absent because their names are called otherwise here.
  if (items.length > 0 && byName.size === 0) throw otherShape(kind, list.path)
  return byName
}

/** An item of a list, whole or not. Undefined: it has another shape. */
export function readItem(kind: Kind, item: Json, at: Location): LivePart | undefined {
  return kind.parseItem === undefined ? kind.parse(item, at) : kind.parseItem(item)
}

function watchParts(kind: Kind, at: Location, onAsk: () => ((parts: readonly LivePart[]) => void) | undefined) {
  return () => {
    const onParts = onAsk()
    return (items: readonly JsonObject[]): void =>
      onParts?.(items.map((item) => readItem(kind, item, at)).filter((part) => part !== undefined))
  }
}

/** Some versions answer with the object itself where there is one. */
function itemsOf(answer: Json | undefined, list: ListRequest): readonly JsonObject[] {
  const items = isJsonObject(answer) ? answer[list.key] : undefined
  if (Array.isArray(items)) {
    const all: readonly Json[] = items
    return all.filter((item): item is JsonObject => isJsonObject(item))
  }
  if (isJsonObject(answer) && items === null) return []
  if (isJsonObject(answer) && typeof answer.name === 'string') return [answer]
  throw new PlatformError(
    failureCodes.listMissing,
    `GET ${list.path} answered without \`${list.key}\``,
    { kind: 'unreadable', method: 'GET', path: list.path },
    { hint: 'Check apiVersion and baseUrl of the target.' },
  )
}
