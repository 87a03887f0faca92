// A value of a manifest → YAML: texts with their references made harmless, names beside ids, places for credentials.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { ObjectSchema, Schema } from '@svcsync/core/model/schema.ts'
import { isWriteOnly } from '@svcsync/core/model/schema-fields.ts'
import { yamlReference } from '@svcsync/core/model/yaml-text.ts'
import type { LayoutNode } from '@svcsync/format/layout.ts'
import type { AccountNames } from './account-names.ts'
import { type Comments, entry, item, list, mapping, scalar } from './yaml-node.ts'

interface ValueContext {
  readonly nameOf: AccountNames
  /** The identity of the object: the first word of the variables that its credentials could come from. */
  readonly identity: string
}

type Described = Comments & { readonly node: LayoutNode }

/** `path` leads to the value from the item. `flow`: a mapping in braces. */
export function valueNode(
  schema: Schema | undefined,
  value: Json,
  context: ValueContext,
  path: readonly string[],
  flow = false,
): Described {
  if (typeof value === 'string') {
    const name = isAccount(schema) ? context.nameOf.beside(value) : undefined
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
function entryNode(schema: ObjectSchema, value: Json, context: ValueContext, path: readonly string[]): Described {
  const { node } = valueNode(schema, value, { ...context, nameOf: context.nameOf.none() }, path, true)
  const svcId = isJsonObject(value) && typeof value.svcId === 'string' ? value.svcId : ''
  const name = context.nameOf.beside(svcId)
  return { node, beside: name }
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
