// Slips that people make in manifests: each turns a valid text into another, with the place at which a problem is due.

import { type Document, isMap, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { page } from '../../src/core/model/capabilities/page.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { ObjectSchema } from '../../src/core/model/schema.ts'
import { type LineColumn, placeOf, type Site, sitesOf } from './mutation-sites.ts'

export interface Mutant {
  readonly name: string
  readonly text: string
  readonly place: LineColumn
  /** A code of a problem that must be there; undefined: any. */
  readonly code: string | undefined
}

/** The language of the file: sections of kinds, and their companions. */
export interface Language {
  readonly kinds: readonly Kind[]
  readonly top?: ObjectSchema
}

type Change = (site: Site) => Iterable<readonly [what: string, mutate: (text: string) => Mutant]>

/** Makes a mutant: thousands are known, and most of them tried only where everything is. */
export type MakeMutant = () => Mutant

function mutantsOf(text: string, { kinds, top }: Language, change: Change): MakeMutant[] {
  return sitesOf(text, kinds, top).flatMap((site) =>
    [...change(site)].map(([what, mutate]) => () => ({ ...mutate(text), name: `${what} ${site.path.join('.')}` })),
  )
}

/** A text has hundreds of mutants: it is parsed once for those that come one after another. */
let parsed: { readonly text: string; readonly document: Document } | undefined
function documentOf(text: string): Document {
  if (parsed?.text !== text) parsed = { text, document: parseDocument(text) }
  return parsed.document.clone()
}

function edited(text: string, site: Site, edit: (parent: YAMLMap, pair: Pair, index: number) => unknown): string {
  const document = documentOf(text)
  const parent = document.getIn(site.path.slice(0, -1), true) ?? document.contents
  if (!isMap(parent)) throw new TypeError('a key stands in a mapping')
  const index = parent.items.findIndex(({ key }) => (key as Scalar).value === site.path.at(-1))
  edit(parent, parent.items[index] as Pair, index)
  return String(document)
}

export const withoutRequired = (text: string, language: Language): MakeMutant[] =>
  mutantsOf(text, language, function* (site) {
    if (!site.required) return
    yield [
      'drop',
      () => {
        const mutated = edited(text, site, (parent, _, index) => parent.items.splice(index, 1))
        return { name: '', text: mutated, place: placeOf(mutated, site.path.slice(0, -1), 'value'), code: 'SVC1103' }
      },
    ]
  })

export const misspelt = (text: string, language: Language): MakeMutant[] =>
  mutantsOf(text, language, function* (site) {
    if (site.isEntry || site.isNamed) return
    const key = String(site.path.at(-1))
    const middle = key.length >> 1
    const slips = {
      'a letter left out of': key.slice(0, middle) + key.slice(middle + 1),
      'a letter twice in': key.slice(0, middle) + key.slice(middle - 1),
      'two letters swapped in': key.slice(0, middle - 1) + key[middle] + key[middle - 1] + key.slice(middle + 1),
      'another case of': key.charAt(0) === key.charAt(0).toUpperCase() ? key.toLowerCase() : key.toUpperCase(),
    }
    for (const [what, slip] of Object.entries(slips)) {
      // A letter may be swapped for itself; and a slip that gives another known key could not be told from that key.
      if (slip === key || site.siblings.includes(slip)) continue
      yield [
        what,
        () => {
          const mutated = edited(text, site, (_, pair) => {
            ;(pair.key as Scalar).value = slip
          })
          return {
            name: '',
            text: mutated,
            place: placeOf(mutated, [...site.path.slice(0, -1), slip], 'key'),
            code: 'SVC1101',
          }
        },
      ]
    }
  })

export const doubled = (text: string, language: Language): MakeMutant[] =>
  mutantsOf(text, language, function* (site) {
    if (site.isEntry) return
    yield [
      'twice',
      () => {
        const mutated = edited(text, site, (parent, pair) => parent.items.push(pair.clone()))
        return { name: '', text: mutated, place: placeOf(mutated, site.path, 'key'), code: 'SVC1004' }
      },
    ]
  })

const list = ['x']
const mapping = { x: 'y' }

/** Values that a field does not take, and how they are called. */
function wrongFor({ schema, isEntry }: Site): Readonly<Record<string, unknown>> {
  switch (schema.type) {
    case 'string':
      if (schema.secret) return { literal: 'hunter2', list, mapping, number: 5 }
      if ('format' in schema) return { 'other text': 'x', list, mapping, boolean: true }
      return schema.enum ? { 'other text': 'x', list, mapping, number: 5, boolean: true } : { list, mapping }
    case 'nameOrId':
      return { list, mapping, 'empty text': '' }
    case 'integer':
      return { text: 'four', 'quoted number': '4', fraction: 1.5, boolean: true, list, mapping }
    case 'boolean':
      return { yes: 'yes', 'quoted flag': 'true', number: 1, list, mapping }
    case 'shorthand':
      return { list, mapping }
    case 'open':
    case 'map':
      return { text: 'x', list, number: 5 }
    case 'array':
      return { text: 'x', mapping, number: 5, flag: true }
    case 'section':
      return { text: 'x', mapping, number: 5 }
    case 'object':
      return { text: 'x', list, number: 5, ...(isEntry && { 'list in the list': [['x']] }) }
  }
}

export const retyped = (text: string, language: Language): MakeMutant[] =>
  mutantsOf(text, language, function* (site) {
    for (const [what, value] of Object.entries(wrongFor(site))) {
      yield [`${what} for`, () => put(text, site, value)]
    }
  })

export const nulled = (text: string, language: Language): MakeMutant[] =>
  mutantsOf(text, language, function* (site) {
    // Null clears a field that can be cleared: that is what it is written for.
    if ('nullable' in site.schema && site.schema.nullable) return
    yield ['null for', () => ({ ...put(text, site, null), code: 'SVC1107' })]
  })

/** Pairs of texts that must mean the same: a number or a flag in a text field is the text that is written there. */
export function unquoted(text: string, { kinds, top }: Language): (readonly [plain: string, quoted: string])[] {
  return sitesOf(text, kinds, top).flatMap((site) => {
    const { schema } = site
    // An object outside all lists is identified by its number alone.
    if (kinds.some((kind) => page.of(kind) && kind.sections[0].schema.properties[String(site.path.at(-1))] === schema))
      return []
    if (schema.type !== 'nameOrId' && (schema.type !== 'string' || schema.enum || schema.secret || schema.moment))
      return []
    return [42, true, 1.5].map((value) => [put(text, site, value).text, put(text, site, String(value)).text] as const)
  })
}

function put(text: string, { path }: Site, value: unknown): Mutant {
  const document = documentOf(text)
  document.setIn(path, document.createNode(value))
  const mutated = String(document)
  return { name: '', text: mutated, place: placeOf(mutated, path, 'value'), code: undefined }
}
