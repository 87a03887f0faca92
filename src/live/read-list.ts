// Reads the list of a kind: whole objects, or names with the ids to read them by.
import { append } from '@svcsync/core/model/group-by.ts'
import { isNamedBySvcId, nameKey } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  isMisread,
  type Kind,
  type ListRequest,
  type LivePart,
  type Location,
  type MisreadAnswer,
  type MisreadPart,
} from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { itemsOf, noIdentity } from './list-items.ts'
import { parseWhole, tellUnknownKeys } from './read-object.ts'
import { readPages } from './read-pages.ts'

interface ListSettings {
  readonly pageSize: number
  /** The least number of items to expect. */
  readonly expected?: number
  /** The number of requests that may be in flight. */
  readonly concurrency?: number | undefined
  /** Takes the objects of each page of a paged list, maybe some twice; the list then keeps only who they are. */
  onAsk?(): (parts: readonly LivePart[]) => void
}

/** An item of a list: one that cannot be read says at least which object it is, and spoils none of the others. */
export type ListedPart = LivePart | MisreadPart

export interface ListedParts extends ReadonlyMap<string, readonly ListedPart[]> {
  readonly pages: number
}

/** Advice about several objects that share a name, or that a target compares as one. */
export function howToTellApart(kind: Kind): string {
  if (isNamedBySvcId(kind))
    return 'They differ in case: if they are two accounts, say `svcIdCase: exact` in the target.'
  return kind.key === undefined
    ? 'Give them different names on the platform: svcsync cannot tell them apart.'
    : 'Delete all but one of them on the platform: svcsync cannot tell them apart.'
}

/** All items by the keys of their names. Several under one: the platform has them so, or they differ in case. */
export async function readList(
  port: PlatformPort,
  kind: Kind,
  at: Location,
  list: ListRequest,
  settings: ListSettings,
): Promise<ListedParts> {
  const { onAsk } = settings
  const read = (item: JsonObject): ListedPart | MisreadAnswer => {
    tellUnknownKeys(port, kind, [item])
    return readItem(port, kind, item, at)
  }
  let longestPage = 1
  const parts = list.paged
    ? await readPages(port, {
        path: list.path,
        key: list.key,
        size: settings.pageSize,
        expected: settings.expected,
        concurrency: settings.concurrency,
        mayBeMissing: list.mayBeMissing,
        read,
        onAsk() {
          const onParts = onAsk?.()
          return (page) => {
            longestPage = Math.max(longestPage, page.length)
            if (onParts === undefined) return page
            onParts(page.filter((part): part is LivePart => !isMisread(part)))
            return page.map((part) => (isMisread(part) ? part : { ...empty, name: part.name, self: part.self }))
          }
        },
        // As it is written: accounts that differ in case alone are two, and which of them is meant nobody can say.
        idOf: (item) => String(isNamedBySvcId(kind) ? item.svcId : (item.guid ?? item.id)),
      })
    : itemsOrObject(await port.send({ method: 'GET', path: list.path }), port, kind, at, list).map(read)
  const byName = new Map<string, ListedPart[]>()
  for (const [index, part] of parts.entries()) {
    if (!('name' in part)) throw noIdentity(list, index, part.misread)
    const key = nameKey(kind, part.name, port.normalise)
    // A list may tell an item twice. If the two differ, nobody knows which one is valid.
    if (!byName.get(key)?.some((other) => JSON.stringify(other) === JSON.stringify(part))) append(byName, key, part)
  }
  return Object.assign(byName, { pages: list.paged ? Math.ceil(parts.length / longestPage) : 1 })
}

const empty = { spec: {}, collections: {}, ready: true } as const

export function readItem(
  port: Pick<PlatformPort, 'timeZone' | 'names'>,
  kind: Kind,
  item: Json,
  at: Location,
): ListedPart | MisreadAnswer {
  return kind.parseItem === undefined ? parseWhole(port, kind, item, at) : kind.parseItem(item)
}

/** Some versions answer with the object itself where there is one. */
function itemsOrObject(
  answer: Json | undefined,
  port: PlatformPort,
  kind: Kind,
  at: Location,
  list: ListRequest,
): readonly JsonObject[] {
  const isObject = isJsonObject(answer) && answer[list.key] === undefined && 'name' in readItem(port, kind, answer, at)
  return isObject ? [answer] : itemsOf(answer, list)
}
