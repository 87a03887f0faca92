// Every place of a manifest at which something can be written wrongly, with what the kinds' schemas say of it.
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type Scalar } from 'yaml'
import type { Kind } from '../../src/core/model/kind.ts'
import type { ObjectSchema, Schema } from '../../src/core/model/schema.ts'
import { documentSchema } from '../../src/manifests/manifest-shape.ts'
import { inheritSchema, longEnvironment } from '../../src/manifests/shape.ts'

export type Path = readonly (string | number)[]

/** The items of a section have no schema of their own. */
type SiteSchema = Schema | { readonly type: 'section' }

export interface Site {
  readonly path: Path
  readonly schema: SiteSchema
  /** The keys that may accompany its key, and the necessity of that key. */
  readonly siblings: readonly string[]
  readonly required: boolean
  /** An entry of a list: no key leads to it. */
  readonly isEntry: boolean
  /** The key that leads to it is a name that its author chose. */
  readonly isNamed?: true
}

function mappingOf(schema: SiteSchema): ObjectSchema | undefined {
  if (schema.type === 'object') return schema
  if (schema.type === 'shorthand') return schema.long
  return schema.type === 'string' && schema.environment ? longEnvironment(schema) : undefined
}

/** `top`: what stands at the top beside the sections of kinds; of a file without these, all there is. */
export function sitesOf(text: string, kinds: readonly Kind[], top: ObjectSchema = documentSchema): Site[] {
  const sites: Site[] = []
  const sectionsIn = (within: string | undefined) =>
    kinds.flatMap((kind) =>
      kind.sections.filter((each) => each.within === within).map((section) => ({ kind, section })),
    )

  const visit = (node: unknown, schema: SiteSchema, path: Path): void => {
    if (isSeq(node) && schema.type === 'array') {
      for (const [index, item] of node.items.entries()) {
        const own = [...path, index]
        sites.push({ path: own, schema: schema.items, siblings: [], required: false, isEntry: true })
        visit(item, schema.items, own)
      }
    } else if (isMap(node) && schema.type === 'map') {
      for (const pair of node.items) {
        const own = [...path, String((pair.key as Scalar).value)]
        sites.push({ path: own, schema: schema.values, siblings: [], required: false, isEntry: false, isNamed: true })
        visit(pair.value, schema.values, own)
      }
    } else if (isMap(node)) {
      const long = mappingOf(schema)
      if (long !== undefined) visitMapping(node.items, long, path, 'none')
    }
  }
  const visitMapping = (items: readonly Pair[], schema: ObjectSchema, path: Path, within: string | undefined): void => {
    const properties: ObjectSchema['properties'] = {
      ...schema.properties,
      ...(schema.environment && schema.inherited && { inherit: inheritSchema }),
    }
    const nested = sectionsIn(within)
    const siblings = [...Object.keys(properties), ...nested.map(({ section }) => section.key)]
    for (const pair of items) {
      const key = String((pair.key as Scalar).value)
      const own = [...path, key]
      const site = {
        path: own,
        siblings,
        required: [...(schema.required ?? []), ...(schema.exactlyOne ?? [])].includes(key),
        isEntry: false,
      }
      const property = properties[key]
      if (property !== undefined) {
        sites.push({ ...site, schema: property })
        visit(pair.value, property, own)
        continue
      }
      const found = nested.find(({ section }) => section.key === key)
      if (found === undefined || !isSeq(pair.value)) continue
      sites.push({ ...site, schema: { type: 'section' } })
      visitSection(pair.value.items, found, own)
    }
  }
  const visitSection = (
    items: readonly unknown[],
    { kind, section }: ReturnType<typeof sectionsIn>[number],
    path: Path,
  ) => {
    for (const [index, item] of items.entries()) {
      const entry = [...path, index]
      sites.push({ path: entry, schema: section.schema, siblings: [], required: false, isEntry: true })
      if (isMap(item)) visitMapping(item.items as Pair[], section.schema, entry, section.partial ? 'none' : kind.name)
    }
  }
  const { contents } = parseDocument(text)
  if (isMap(contents)) visitMapping(contents.items as Pair[], top, [], undefined)
  return sites
}

export interface LineColumn {
  readonly line: number
  readonly column: number
}

/** The place in `text` of the value at `path`, or of the last key that leads to it. */
export function placeOf(text: string, path: Path, of: 'key' | 'value', which: 'first' | 'last' = 'last'): LineColumn {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  let node: unknown = document.contents
  let key: unknown
  for (const part of path) {
    if (isMap(node)) {
      const pairs = node.items.filter((pair) => isScalar(pair.key) && pair.key.value === part)
      const pair = pairs.at(which === 'last' ? -1 : 0)
      key = pair?.key
      node = pair?.value
    } else if (isSeq(node)) node = node.items[Number(part)]
  }
  const start = ((of === 'key' ? key : node) as Node).range?.[0] ?? 0
  const { line, col } = lines.linePos(start)
  return { line, column: col }
}
