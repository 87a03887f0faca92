// An item of a manifest on its way into a saved plan and back: what is sensitive travels as its reference.
import { type Place, RefusedError } from '@svcsync/errors/index.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import { Sensitive } from '../model/sensitive.ts'
import type { Path } from '../model/source.ts'
import { misfitOf } from '../plan/misfit.ts'

interface SavedReference {
  readonly reference: string
  readonly place: Place
}

/** `placeOf`: where what a path leads to was written. */
export function saveItem(value: Json, placeOf: (path: Path) => Place, path: Path = []): Json {
  if (value instanceof Sensitive) {
    return { reference: value.template, place: placeOf(path) } satisfies SavedReference as unknown as Json
  }
  if (Array.isArray(value)) return value.map((part: Json, index) => saveItem(part, placeOf, [...path, index]))
  if (!isJsonObject(value)) return value
  const result: Record<string, Json> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) result[key] = saveItem(part, placeOf, [...path, key])
  }
  return result
}

/** `resolve`: undefined where it has reported why. A reference of another form would be sent as somebody's password. */
export function restoreItem(
  value: Json,
  resolve: (template: string, path: Path, place: Place) => Sensitive | undefined,
  path: Path = [],
): Json | undefined {
  if (Array.isArray(value))
    return value.map((part: Json, index) => restoreItem(part, resolve, [...path, index]) ?? null)
  if (!isJsonObject(value)) return value
  if (value.reference !== undefined) {
    if (misfitOf(value, 'plan.schema.json#/definitions/reference') !== undefined) {
      throw new RefusedError(
        'SVC2103',
        `The reference \`${path.join('.')}\` in the plan has not the form that svcsync saves`,
        {
          hint: 'The file was edited. Make it again with `svcsync plan --out`.',
        },
      )
    }
    const { reference, place } = value as unknown as SavedReference
    return resolve(reference, path, place) as unknown as Json | undefined
  }
  const result: Record<string, Json | undefined> = {}
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) result[key] = restoreItem(part, resolve, [...path, key])
  }
  return result
}
