// Fields that an answer may tell under a name of the installation's own.
import { inCode } from '@svcsync/errors/index.ts'
import { getOrInsert } from './group-by.ts'
import { isJsonObject, type Json, type JsonObject, valueAt } from './json.ts'
import type { Kind } from './kind.ts'
import type { DoubtedName, KnownNames } from './known-names.ts'
import { shortened, unknownKeysOf } from './misread.ts'
import { quoted } from './near-misses.ts'
import type { Schema, StringSchema } from './schema.ts'
import { schemaAt } from './schema-fields.ts'
import { isStandIn, stemsOf } from './stand-in-names.ts'
import { isWireName } from './wire-name.ts'

interface StandIns {
  readonly growing: readonly Place[]
  readonly keys: readonly {
    readonly path: readonly string[]
    readonly schema: Schema
    readonly beside: readonly string[]
    readonly like: RegExp
  }[]
  readonly words: readonly {
    readonly path: readonly string[]
    readonly words: readonly string[]
    readonly schema: StringSchema
  }[]
}

const standInsOf = new WeakMap<Kind, StandIns>()

function findStandIns({ sections: [{ schema, identity }], alsoTold = [] }: Kind): StandIns {
  const paths = everyPath(schema.properties)
  return {
    keys: paths.flatMap(({ path, schema: own }) => {
      const name = path.at(-1) ?? ''
      if (name === identity || own.directive || own.collection || !isStandIn(name)) return []
      const parent = schemaAt(schema, path.slice(0, -1))
      const siblings = parent?.type === 'object' ? Object.keys(parent.properties) : []
      return { path, schema: own, beside: [...siblings, ...alsoTold, 'breakInheritance'], like: namesLike(name) }
    }),
    growing: paths.filter(({ schema: own }) => own.grows),
    words: paths.flatMap(({ path, schema: own }) => {
      const words = own.type === 'string' ? (own.enum ?? []).filter(isStandIn) : []
      return words.length === 0 ? [] : { path, words, schema: own as StringSchema }
    }),
  }
}

export function wordsAt(kind: Kind): readonly Place[] {
  return getOrInsert(standInsOf, kind, findStandIns).growing
}

export function standInNames(kind: Kind): readonly string[] {
  const { keys, words } = getOrInsert(standInsOf, kind, findStandIns)
  return [...keys.map(({ path }) => path.at(-1) ?? ''), ...words.flatMap((each) => each.words)]
}

/** The key of a kind for shown names: a name that may mean another one is only shown. */
export function shownNamesKey({ name }: Kind): string {
  return `${name}: shown`
}

interface Place {
  readonly path: readonly string[]
  readonly schema: Schema
}

function everyPath(properties: Readonly<Record<string, Schema>>, above: readonly string[] = []): readonly Place[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name]
    return [{ path, schema }, ...(schema.type === 'object' ? everyPath(schema.properties, path) : [])]
  })
}

export function learnNames(names: KnownNames, kind: Kind, answer: JsonObject): void {
  const { keys, words, growing } = getOrInsert(standInsOf, kind, findStandIns)
  for (const { path } of keys) if (valueAt(answer, path) !== undefined) names.learn(kind.name, path.at(-1) ?? '')
  for (const { path, words: own } of words) {
    const word = valueAt(answer, path)
    if (typeof word === 'string' && own.includes(word)) names.learn(kind.name, word)
  }
  for (const { path } of growing) {
    const word = valueAt(answer, path)
    if (typeof word === 'string') names.learn(shownNamesKey(kind), word)
  }
}

const nothing: readonly DoubtedName[] = []

/** The doubts of one answer, whatever others tell. */
export function doubtsIn(kind: Kind, answer: JsonObject): readonly DoubtedName[] {
  const { keys, words } = getOrInsert(standInsOf, kind, findStandIns)
  if (keys.length === 0 && words.length === 0) return nothing
  const isToldOtherwise = hasNode(kind, answer)
  const ofKeys = keys.flatMap(({ path, schema, beside, like }): DoubtedName[] => {
    const parent = path.length === 1 ? answer : valueAt(answer, path.slice(0, -1))
    const name = path.at(-1) ?? ''
    if (!isJsonObject(parent) || parent[name] !== undefined) return []
    if (schema.type === 'object' && path.length === 1 && isToldOtherwise) return []
    const met = unknownKeysOf(parent, beside).filter((key) => like.test(key) && fitsType(schema, parent[key]))
    return met.length > 0 ? [{ path, name, isWord: false, met }] : []
  })
  const ofWords = words.flatMap(({ path, words: own, schema }): DoubtedName[] => {
    const word = valueAt(answer, path)
    if (typeof word !== 'string' || word === '' || isKnownWord(schema, word)) return []
    return own.filter((name) => namesLike(name).test(word)).map((name) => ({ path, name, isWord: true, met: [word] }))
  })
  return [...ofKeys, ...ofWords]
}

/** An object has one node of settings, so none is missing if the answer has one. */
function hasNode({ sections: [{ schema }] }: Kind, answer: JsonObject): boolean {
  return Object.entries(schema.properties).some(([key, { type }]) => type === 'object' && isJsonObject(answer[key]))
}

function fitsType({ type }: Schema, value: Json | undefined): boolean {
  if (value === null) return true
  return type === 'object' ? isJsonObject(value) : typeof value === 'string'
}

export function isKnownWord(schema: Schema, word: string): boolean {
  if (schema.type !== 'string' || schema.enum === undefined) return true
  return schema.enum.includes(word) || schema.aliases?.[word] !== undefined
}

/** A hint. `met`: what may be it. */
export function wireNameHint(name: string, met: readonly string[]): string {
  const likely = met.find(isWireName)
  const itself = `\`${name}: ${name}\``
  return likely === undefined
    ? `Write its name here into \`wireNames\` of the target; if it is called so, ${itself}.`
    : `If ${inCode(likely)} is its name here, ` +
        `write \`wireNames: { ${name}: ${likely} }\` into the target; if not, ${itself}.`
}

export function formatMet(met: Iterable<string>): string {
  return quoted([...met].slice(0, 3).map(shortened))
}

/** Without those that others have cleared up since. */
export function withoutSettledDoubts<Part extends { readonly doubted?: readonly DoubtedName[] | undefined }>(
  part: Part,
  kind: Kind,
  names: KnownNames | undefined,
): Part {
  const { doubted } = part
  if (doubted === undefined || names === undefined) return part
  const left = doubted.filter(
    ({ name, met }) => !names.knows(kind.name, name) && !met.every((each) => names.knows(kind.name, each)),
  )
  return left.length === doubted.length ? part : { ...part, doubted: left.length === 0 ? undefined : left }
}

/** Names that an installation may use: only the neutral parts can be other words. */
function namesLike(name: string): RegExp {
  const open = stemsOf(name).reduce((text, stem) => text.replaceAll(new RegExp(stem, 'gi'), '.+'), name)
  return new RegExp(`^${open}$`, 'i')
}
