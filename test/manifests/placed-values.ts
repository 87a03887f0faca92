// Values with the offsets at which they stand, as the loader has them and as the yaml package finds them, to compare.
import { isMap, isScalar, isSeq, type Node, parseAllDocuments, Scalar } from 'yaml'
import type { Declaration } from '../../src/core/model/declaration.ts'
import type { Kind, Section } from '../../src/core/model/kind.ts'
import type { Schema } from '../../src/core/model/schema.ts'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { offsetOf, type Source } from '../../src/core/model/source.ts'

/** A value with its offset at every level; an empty value has no offset of its own. */
export interface Placed {
  readonly at: number | undefined
  readonly value: unknown
  /** The place of the key that leads to it. */
  readonly key?: number | undefined
}

/** The items of each section, by the keys that lead to it: `processes.workflows`. */
export type PlacedItems = Record<string, Placed[]>

export function placedByLoader(declarations: readonly Declaration[]): PlacedItems {
  const items: PlacedItems = {}
  for (const declaration of declarations) {
    let path = declaration.section.key
    for (let { parent } = declaration; parent !== undefined; parent = parent.parent)
      path = `${parent.section.key}.${path}`
    items[path] ??= []
    items[path]?.push(fromLoaded(declaration.source, declaration.item, undefined))
  }
  return items
}

function fromLoaded(source: Source, value: unknown, at: number | undefined): Placed {
  if (value === null) return { at: undefined, value }
  if (value instanceof Sensitive) return { at, value: value.template }
  if (typeof value !== 'object') return { at, value }
  const own = (index: number) => offsetOf(source, value, index)
  const start = own(0)
  if (Array.isArray(value)) {
    return { at: start, value: value.map((item, index) => fromLoaded(source, item, own(1 + index))) }
  }
  const entries = Object.entries(value).map(([key, part], index) => [
    key,
    { key: own(1 + 2 * index), ...fromLoaded(source, part, own(2 + 2 * index)) },
  ])
  return { at: start, value: Object.fromEntries(entries) }
}

/** The same by the yaml package, with the types that the kinds' schemas give. */
export function placedByYaml(text: string, kinds: readonly Kind[]): PlacedItems {
  const items: PlacedItems = {}
  const readSections = (node: unknown, within: string | undefined, path: string): Set<unknown> => {
    const taken = new Set<unknown>()
    if (!isMap(node)) return taken
    for (const pair of node.items) {
      const found = sectionOf(kinds, String((pair.key as Scalar).value), within)
      if (found === undefined) continue
      taken.add(pair)
      const { kind, section } = found
      const own = `${path}${section.key}`
      for (const item of isSeq(pair.value) ? pair.value.items : []) {
        items[own] ??= []
        const index = items[own].push({ at: undefined, value: undefined }) - 1
        const nested = readSections(item, section.partial ? 'none' : kind.name, `${own}.`)
        items[own][index] = fromYaml(item, section.schema, nested)
      }
    }
    return taken
  }
  for (const document of parseAllDocuments(text))
    readSections((document as { contents: unknown }).contents, undefined, '')
  return items
}

function sectionOf(kinds: readonly Kind[], key: string, within: string | undefined) {
  for (const kind of kinds) {
    const section: Section | undefined = kind.sections.find((each) => each.key === key && each.within === within)
    if (section !== undefined) return { kind, section }
  }
  return undefined
}

function fromYaml(node: unknown, schema: Schema | undefined, leftOut: ReadonlySet<unknown>): Placed {
  const start = (node as Node | null)?.range?.[0]
  if (isSeq(node)) {
    const items = schema?.type === 'array' ? schema.items : undefined
    return { at: start, value: node.items.map((item) => fromYaml(item, items, leftOut)) }
  }
  if (isMap(node) && schema?.type === 'string' && schema.environment) {
    // An environment at length: its value, where the mapping stands.
    const value = node.get('value', true)
    return { at: start, value: value === undefined ? null : fromYaml(value, schema, leftOut).value }
  }
  if (isMap(node)) {
    const shape = schema?.type === 'shorthand' ? schema.long : schema
    const entries = node.items.flatMap((pair) => {
      if (leftOut.has(pair)) return []
      const name = String((pair.key as Scalar).value)
      const field = shape?.type === 'object' ? shape.properties[name] : undefined
      return [[name, { key: (pair.key as Node).range?.[0], ...fromYaml(pair.value, field, leftOut) }]]
    })
    return { at: start, value: Object.fromEntries(entries) }
  }
  if (!isScalar(node) || node.value === null) return { at: undefined, value: null }
  const typed = schema?.type === 'integer' || schema?.type === 'boolean'
  return { at: start, value: typed || node.type !== Scalar.PLAIN ? node.value : node.source }
}
