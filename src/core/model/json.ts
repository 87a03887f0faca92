// JSON values: their types, and small readers of them.
import { Sensitive } from './sensitive.ts'

type JsonScalar = string | number | boolean | null
export type Json = JsonScalar | JsonObject | readonly Json[]
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same of what is no secret. */
export function isMapping(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof Sensitive)
}

/** Undefined: the text is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let here = value
  for (const key of path) here = isMapping(here) ? here[key] : undefined
  return here
}

export function setAt(item: Record<string, Json | undefined>, path: readonly string[], value: Json | undefined): void {
  let here = item
  for (const key of path.slice(0, -1)) {
    here[key] ??= {}
    here = here[key] as Record<string, Json | undefined>
  }
  here[path.at(-1) as string] = value
}

/** A copy in which a path of keys leads to the value, or to nothing; what stands beside it stays. */
export function withValueAt(
  object: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: Json | undefined,
): JsonObject {
  const { [key]: part, ...others } = object
  const replaced = rest.length === 0 ? value : withValueAt(isMapping(part) ? part : {}, rest, value)
  return replaced === undefined ? others : { ...object, [key]: replaced }
}

/** JSON with sorted keys and without blanks. A sensitive value appears as its reference. */
export function canonicalJson(value: Json | undefined): string {
  if (value instanceof Sensitive) return canonicalJson(value.toJSON())
  if (Array.isArray(value)) return `[${value.map((part: Json) => canonicalJson(part)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const part = (value as { readonly [key: string]: Json | undefined })[key]
    if (part !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(part)}`
  }
  return `{${text}}`
}
