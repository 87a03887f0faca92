// The items of a list in an answer, whatever it lists: all of them are objects, or the list is not believed.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import { failureCodes, PlatformError } from '@svcsync/errors/index.ts'

interface ListPlace {
  readonly path: string
  readonly key: string
}

/** Throws a PlatformError for an answer without the list, and for an item that is no object. */
export function itemsOf(answer: Json | undefined, list: ListPlace): readonly JsonObject[] {
  const items = isJsonObject(answer) ? answer[list.key] : undefined
  // The documents call null an empty list only for groups: elsewhere, svcsync would create everything a second time.
  if (!Array.isArray(items)) {
    const isMissing = isJsonObject(answer) && items === undefined
    const misread = isMissing ? `: ${missingKey(answer, list.key, ['page', 'size']).misread}` : ''
    throw new PlatformError(
      failureCodes.listMissing,
      `The answer to GET ${list.path} holds no list of ${list.key}${misread}`,
      { kind: 'unreadable', method: 'GET', path: list.path },
      { hint: 'Check apiVersion, baseUrl and wireNames of the target.' },
    )
  }
  const all: readonly Json[] = items
  const stranger = all.findIndex((item) => !isJsonObject(item))
  if (stranger >= 0) throw noIdentity(list, stranger)
  return all as readonly JsonObject[]
}

/** An item that does not say which object it is may be any: with one of them, nobody knows what the list holds. */
export function noIdentity({ path, key }: ListPlace, index: number, misread?: string): PlatformError {
  return new PlatformError(
    failureCodes.noIdentity,
    `Item ${index + 1} of ${key} in the answer to GET ${path} does not ` +
      `say which object it is${misread === undefined ? '' : `: ${misread}`}`,
    { kind: 'unreadable', method: 'GET', path },
    { hint: 'Check apiVersion and wireNames of the target; svcsync does not use an incomplete list.' },
  )
}
