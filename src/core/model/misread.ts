// Says why an answer cannot be read: the key that is missing or the word that nobody knows, and what was met instead. And
// which keys of one that can be read nobody knows.
import { isJsonObject, type JsonObject } from './json.ts'
import type { Kind, Misread } from './kind.ts'
import type { ObjectSchema } from './schema.ts'

/** Keys that any answer may have beside the fields of its kind. */
const common: readonly string[] = ['id', 'guid', 'svcId', 'name', 'type', 'status', 'links']

/**
 * Keys of an answer that its kind does not know, each with what it stands under. They are read past: never compared, and
 * never sent back.
 */
export function unknownKeys({ sections, alsoTold = [] }: Kind, answer: JsonObject): readonly string[] {
  return keysBeside(sections[0].schema, answer, alsoTold).map(shortened)
}

function keysBeside({ properties }: ObjectSchema, answer: JsonObject, others: readonly string[]): readonly string[] {
  return Object.entries(answer).flatMap(([key, value]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (schema === undefined) return common.includes(key) || others.includes(key) ? [] : [key]
    if (schema.type !== 'object' || !isJsonObject(value)) return []
    return keysBeside(schema, value, ['breakInheritance']).map((below) => `${key}.${below}`)
  })
}

/** A key is missing. Keys that nobody knows may be it, under the name that this installation gives it. */
export function lacking(answer: JsonObject, key: string, known: readonly string[]): Misread {
  const others = strangersIn(answer, known)
    .slice(0, 3)
    .map((each) => `\`${shortened(each)}\``)
  const met = others.length === 0 ? '' : `, and has ${others.join(', ')}, which svcsync does not know`
  return { misread: `it has no \`${key}\`${met}` }
}

/** Keys of an answer that are neither known of its kind nor of any. */
export function strangersIn(answer: JsonObject, known: readonly string[]): readonly string[] {
  return Object.keys(answer).filter((each) => !known.includes(each) && !common.includes(each))
}

/**
 * Something that may be left out is not there, and an object stands under a key that nobody knows: what is left out may be
 * there under another name. Other values are fields that svcsync does not know yet.
 */
export function renamedPart(
  answer: JsonObject,
  optional: readonly string[],
  known: readonly string[],
): Misread | undefined {
  const absent = optional.find((key) => answer[key] === undefined)
  if (absent === undefined) return undefined
  const all = [...optional, ...known, ...common]
  const stranger = Object.keys(answer).find((key) => !all.includes(key) && isJsonObject(answer[key]))
  return stranger === undefined
    ? undefined
    : { misread: `it has no \`${absent}\`, and has \`${shortened(stranger)}\`, which svcsync does not know` }
}

export function unknownWord(key: string, word: string): Misread {
  return { misread: `\`${key}\` is \`${shortened(word)}\`, which svcsync does not know` }
}

function shortened(word: string): string {
  return word.length > 60 ? `${word.slice(0, 60)}…` : word
}
