// Why an answer cannot be read, and which of its keys nobody knows.
import { getOrInsert } from './group-by.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Kind, MisreadAnswer } from './kind.ts'
import type { ObjectSchema } from './schema.ts'

/** Keys that any answer may have beside the fields of its kind. */
const common: readonly string[] = ['id', 'guid', 'svcId', 'name', 'type', 'status', 'links']

const ofElements: readonly string[] = ['username', 'email', 'level', 'company']

/** Keys that its kind does not know, and whether each is a field of the object. They are read past. */
export function unknownKeys({ sections, alsoTold = [] }: Kind, answer: JsonObject): readonly [string, boolean][] {
  const fields = keysBeside(sections[0].schema, answer, alsoTold)
  const { schema } = sections[0]
  const inLists = Object.keys(schema.properties).flatMap((key) =>
    keysOfItems(answer[key], [...ofElements, ...alsoTold]).map((each) => `${key}[].${each}`),
  )
  return [
    ...fields.map((key): [string, boolean] => [shortened(key), true]),
    ...inLists.map((key): [string, boolean] => [shortened(key), false]),
  ]
}

/** The keys of the first item, which speaks for the others in its list. */
export function keysOfItems(list: Json | undefined, known: readonly string[]): readonly string[] {
  const first: Json | undefined = Array.isArray(list) ? (list as readonly Json[])[0] : undefined
  return isJsonObject(first) ? unknownKeysOf(first, known) : []
}

function keysBeside({ properties }: ObjectSchema, answer: JsonObject, others: readonly string[]): readonly string[] {
  return Object.entries(answer).flatMap(([key, value]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (schema === undefined) return common.includes(key) || others.includes(key) ? [] : [key]
    if (schema.type !== 'object' || !isJsonObject(value)) return []
    return keysBeside(schema, value, ['breakInheritance']).map((below) => `${key}.${below}`)
  })
}

/** The same at the top of the answer, with the values. Undefined: none. */
export function unknownFields(kind: Kind, answer: JsonObject): JsonObject | undefined {
  const known = getOrInsert(knownByKind, kind, keysKnownOf)
  let result: Record<string, Json | undefined> | undefined
  // Asked of each user of a hundred thousand.
  for (const key in answer) {
    if (key in known) continue
    result ??= {}
    result[key] = answer[key]
  }
  return result
}

const knownByKind = new WeakMap<Kind, object>()

function keysKnownOf({ sections, alsoTold = [] }: Kind): object {
  const others = Object.fromEntries([...common, ...alsoTold].map((key) => [key, true]))
  return Object.assign(Object.create(null), sections[0].schema.properties, others)
}

/** A key is missing, or holds another sort: keys that nobody knows may be it under the installation's name. */
export function missingKey(answer: JsonObject, key: string, known: readonly string[]): MisreadAnswer {
  const value = answer[key]
  if (value !== undefined) return { misread: `\`${key}\` is ${jsonType(value)}` }
  const others = unknownKeysOf(answer, known)
    .slice(0, 3)
    .map((each) => `\`${shortened(each)}\``)
  const met = others.length === 0 ? '' : `, and has ${others.join(', ')}, which svcsync does not know`
  return { misread: `it has no \`${key}\`${met}` }
}

function jsonType(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return 'a number'
  return value === '' ? 'empty' : 'a text'
}

/** Keys of an answer that are neither known of its kind nor of any. */
export function unknownKeysOf(answer: JsonObject, known: readonly string[]): readonly string[] {
  return Object.keys(answer).filter((each) => !known.includes(each) && !common.includes(each))
}

export function shortened(word: string): string {
  return word.length > 60 ? `${word.slice(0, 60)}…` : word
}
