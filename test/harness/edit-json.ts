// Edits of any data at any place: what somebody may do to a file.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/core/model/json.ts'

export type JsonPath = readonly (string | number)[]

/** Every place in some data, the whole included. */
export function pathsIn(value: Json, path: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [path]
  const isList = Array.isArray(value)
  const parts = Object.entries(value as JsonObject)
  return [path, ...parts.flatMap(([key, part]) => pathsIn(part as Json, [...path, isList ? Number(key) : key]))]
}

/** The data with another value at a place; undefined takes out what is there. It shares all other parts. */
export function edited(value: Json, [key, ...rest]: JsonPath, to: Json | undefined): Json | undefined {
  if (key === undefined) return to
  const copy = (Array.isArray(value) ? [...value] : { ...(value as JsonObject) }) as Record<string, Json> | Json[]
  const part = edited((copy as Record<string | number, Json>)[key] as Json, rest, to)
  if (part !== undefined) (copy as Record<string | number, Json>)[key] = part
  else if (Array.isArray(copy)) copy.splice(Number(key), 1)
  else delete copy[key]
  return copy as Json
}

/** Arbitrary values in an edited file. */
export const editedValues: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom<Json | undefined>(
    undefined,
    null,
    '',
    'f@example.com',
    'user/f@example.com',
    '7',
    0,
    1,
    true,
    [],
    {},
  ),
  fc.constantFrom<Json>('done', 'delete', 'passed', 'allowed', 'additive', 'case-sensitive'),
  fc.string(),
)
