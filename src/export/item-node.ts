// A live object → its item in a manifest: identity, what it has, and what is in it.
import { elementKey, type KeyedElement } from '@svcsync/core/model/elements.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Collection } from '@svcsync/core/model/kind.ts'
import type { LiveItem, UnreadPart } from '@svcsync/core/model/live-tree.ts'
import type { ObjectSchema, Schema } from '@svcsync/core/model/schema.ts'
import { fieldsOf, isWriteOnly } from '@svcsync/core/model/schema-fields.ts'
import { yamlReference } from '@svcsync/core/model/yaml-text.ts'
import type { Entry, LayoutNode } from '@svcsync/format/layout.ts'
import { keyRanks } from '@svcsync/format/sort-keys.ts'
import type { MappingShape, Shape } from '@svcsync/manifests/shape.ts'
import { accountsUsedBy, nameComment } from './account-names.ts'
import { type Extent, fitValue } from './fitting.ts'
import { entry, item, item as itemEntry, list, mapping, scalar } from './yaml-node.ts'

interface ItemContext {
  readonly extent: Extent
  /** The name of an account as a comment, where its svcId does not tell it. */
  readonly nameOf: (svcId: string) => string | undefined
  /** The children inside the item. */
  childrenOf(item: LiveItem): readonly LiveItem[]
  leave(what: UnreadPart): void
  /** Why an account is to be deleted. Undefined: it is not. */
  doomOf(svcId: string): string | undefined
  /** Counts an object. */
  onItem(): void
}

/** A section with its items. Undefined: there is nothing to say of any. */
export function sectionEntry(
  key: string,
  items: readonly LiveItem[],
  shape: Shape,
  context: ItemContext,
): Entry | undefined {
  const nodes = items.map((each) =>
    itemNode(each, (shape as Extract<Shape, { type: 'list' }>).items as MappingShape, context),
  )
  const entries = nodes.filter((node) => node !== undefined).map((node) => itemEntry(node))
  return entries.length === 0 ? undefined : entry(key, list(entries))
}

/** Undefined: there is nothing to say of it, or it cannot be said. `shape`: of the items of its section. */
function itemNode(item: LiveItem, shape: MappingShape, context: ItemContext): LayoutNode | undefined {
  const { kind } = item
  const [section] = kind.sections
  const { properties, required = [] } = section.schema
  const isTold = item.wanted && !leaveUserOfDeleted(item, context)
  const values = isTold ? valuesOf(item, context) : {}
  const missing = required.find((key) => key !== section.identity && values[key] === undefined)
  if (isTold && missing !== undefined) {
    // The parent has already reported fields that cannot be declared.
    if (item.spec[missing] == null) context.leave({ ...item, reason: `It cannot be declared without \`${missing}\`` })
    return undefined
  }
  for (const { path, message, severity } of kind.check?.({ ...values, [section.identity]: item.identity }) ?? []) {
    if (severity === 'warning') continue
    const field = String(path[0])
    delete values[field]
    context.leave({ ...item, field, reason: message })
  }
  const entries: Entry[] = []
  for (const [key, value] of Object.entries(values)) {
    const { node, ...comments } = valueNode(properties[key], value, { ...context, identity: item.identity }, [key])
    entries.push(entry(key, node, comments))
  }
  entries.push(...innerEntries(item, shape, context))
  if (isTold && entries.length > 0) entries.push(...emptyLevels(item, context, entries))
  if (entries.length === 0 && (kind.lifecycle === 'found' || !isTold)) return undefined
  if (isTold) context.onItem()
  const reference = (key: string, { identity, called }: LiveItem): Entry => {
    const { node } = valueNode(properties[key], identity, { ...context, identity }, [key])
    return entry(key, node, { beside: called && nameComment(called) })
  }
  if (kind.key === undefined) entries.push(reference(section.identity, item))
  // A process names its application: another one may have, or get, a process of the same name.
  if (kind.parent !== undefined && item.parent !== undefined && properties[kind.parent] !== undefined) {
    entries.push(reference(kind.parent, item.parent))
  }
  const ranks = keyRanks(shape)
  const rank = ({ key }: Entry) => ranks.get(key?.name ?? '') ?? ranks.size
  return mapping(entries.sort((a, b) => rank(a) - rank(b)))
}

/** Leaves it out, where it does: as long as the account is there, so is what holds on to it. */
function leaveUserOfDeleted(item: LiveItem, { doomOf, leave }: ItemContext): boolean {
  const doomed = accountsUsedBy(item).find((svcId) => doomOf(svcId) !== undefined)
  if (doomed === undefined) return false
  const hint = 'Apply that first, and export again.'
  leave({ ...item, reason: `It uses \`${doomed}\`, and ${doomOf(doomed)}`, hint })
  return true
}

/** The values of an item besides its identity. */
export function valuesOf(
  item: Pick<LiveItem, 'kind' | 'address' | 'database' | 'spec' | 'collections'>,
  context: Pick<ItemContext, 'extent' | 'leave'>,
): Record<string, Json> {
  const [section] = item.kind.sections
  const { properties } = section.schema
  const { fields, collections } = fieldsOf(section)
  const onMisfit = (path: readonly string[], why: string): void =>
    context.leave({ ...item, field: path.join('.'), reason: `svcsync cannot export it: ${why}` })
  const values: Record<string, Json> = {}
  for (const field of fields) {
    const schema = properties[field]
    const value = schema && fitValue(schema, item.spec[field], { ...context, onMisfit }, [field])
    if (value !== undefined) values[field] = value
  }
  for (const { field, collection } of collections) {
    const elements = item.collections[collection]
    const definition = item.kind.collections[collection]
    if (elements === undefined || definition === undefined) continue
    // Without any privilege, the rest of the item decides: see `emptied`.
    if (elements.length === 0 && !writesEmpty(definition, context.extent)) continue
    values[field] = knownParts(field, definition.toManifest(sorted(elements)))
  }
  return values

  /** Privileges in the order of their levels, without unknown levels. */
  function knownParts(field: string, value: Json): Json {
    const schema = properties[field]
    if (schema?.type !== 'object') return value
    const parts = value as JsonObject
    for (const part of Object.keys(parts)) {
      if (schema.properties[part] === undefined) onMisfit([field, part], `the level \`${part}\` is not known`)
    }
    const levels = Object.keys(schema.properties).map((part) => [
      part,
      parts[part] ?? (context.extent === 'sparse' ? undefined : []),
    ])
    return Object.fromEntries(levels.filter(([, list]) => list !== undefined)) as JsonObject
  }
}

function writesEmpty({ part }: Collection, extent: Extent): boolean {
  return extent === 'complete' || (extent === 'lists' && part === undefined)
}

/** Empty lists with levels of exported objects: `{}` manages all levels in one line. */
function emptyLevels({ kind, collections }: LiveItem, { extent }: ItemContext, entries: readonly Entry[]): Entry[] {
  if (extent === 'sparse') return []
  const missing = fieldsOf(kind.sections[0]).collections.filter(({ field, collection }) => {
    return collections[collection]?.length === 0 && !entries.some(({ key }) => key?.name === field)
  })
  return missing.map(({ field }) => entry(field, mapping([])))
}

/** Each once, by account: the platform's order says nothing. */
function sorted(elements: readonly KeyedElement[]): KeyedElement[] {
  const byKey = new Map<string, KeyedElement>()
  for (const element of elements) {
    const key = elementKey(element)
    if (!byKey.has(key)) byKey.set(key, element)
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, element]) => element)
}

function innerEntries(item: LiveItem, shape: MappingShape, context: ItemContext): Entry[] {
  const entries: Entry[] = []
  for (const { name, shape: field, apart } of shape.fields.values()) {
    if (!apart) continue
    const items = context.childrenOf(item).filter(({ kind }) => kind.sections[0].key === name)
    const section = sectionEntry(name, items, field, context)
    if (section !== undefined) entries.push(section)
  }
  return entries
}

interface ValueContext extends Pick<ItemContext, 'nameOf'> {
  /** The identity of the object: the first word of the variables that its credentials could come from. */
  readonly identity: string
}

type DescribedNode = Parameters<typeof entry>[2] & { readonly node: LayoutNode }

/** `path` leads to the value from the item. `flow`: a mapping in braces. */
function valueNode(
  schema: Schema | undefined,
  value: Json,
  context: ValueContext,
  path: readonly string[],
  flow = false,
): DescribedNode {
  if (typeof value === 'string') {
    const name = isAccount(schema) ? context.nameOf(value) : undefined
    return { node: scalar(value), beside: name }
  }
  if (Array.isArray(value)) {
    const parts: readonly Json[] = value
    const inner = schema?.type === 'array' ? schema.items : undefined
    const items = parts.map((each) => {
      const { node, ...comments } = valueNode(inner, each, context, path)
      return item(node, comments)
    })
    return { node: list(items) }
  }
  if (!isJsonObject(value)) return { node: scalar(value as number | boolean | null) }
  if (schema?.type === 'shorthand') return entryNode(schema.long, value, context, path)
  const properties = schema?.type === 'object' ? schema.properties : {}
  const entries = Object.entries(value).map(([key, part]) => {
    const { node, ...comments } = valueNode(properties[key], part as Json, context, [...path, key])
    return entry(key, node, comments)
  })
  // An environment of its own of which nothing can be told: the word leaves room for what is to be filled in below it.
  if (entries.length === 0 && schema?.type === 'object' && schema.environment && schema.inherited) {
    entries.push(entry('inherit', scalar(false)))
  }
  const below = schema?.type === 'object' ? placesForSecrets(schema, context.identity, path) : []
  return { node: mapping(entries, { flow, below }) }
}

/** An entry of a list of accounts that says more than the account: in braces, its name behind it. */
function entryNode(schema: ObjectSchema, value: Json, context: ValueContext, path: readonly string[]): DescribedNode {
  const { node } = valueNode(schema, value, { ...context, nameOf: () => undefined }, path, true)
  const svcId = isJsonObject(value) && typeof value.svcId === 'string' ? value.svcId : ''
  return { node, beside: context.nameOf(svcId) }
}

function isAccount(schema: Schema | undefined): boolean {
  const text = schema?.type === 'shorthand' ? schema.short : schema
  return text?.reference === 'account' || text?.reference === 'user'
}

/** Lines to be filled in: what the platform never returns. */
function placesForSecrets({ properties }: ObjectSchema, identity: string, path: readonly string[]): string[] {
  const hidden = Object.entries(properties).filter(([, part]) => isWriteOnly(part))
  return hidden.map(([key, part]) =>
    part.secret ? `${key}: ${yamlReference(variableName([identity, ...path.slice(1), key]))}` : `${key}:`,
  )
}

/** `ERP_TEST_PASSWORD`; what holds everywhere goes without the word. */
function variableName(words: readonly string[]): string {
  const name = words
    .filter((word) => word !== 'common')
    .map((word) =>
      word
        .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
        .normalize('NFKD')
        .replace(/\p{M}/gu, ''),
    )
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
  return /^[A-Z]/.test(name) ? name : `SECRET_${name}`
}
