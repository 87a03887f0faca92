// The facts about fields in a section's schema, worked out once per section.
import { getOrInsert } from './group-by.ts'
import { isMapping, type JsonObject } from './json.ts'
import type { Section } from './kind.ts'
import type { ObjectSchema, Schema } from './schema.ts'

interface SectionFields {
  readonly fields: readonly string[]
  /** The fields that name another object, with its kind. */
  readonly references: readonly { readonly field: string; readonly to: string }[]
  /** The fields that hold a name, with the field of its id: see the mark `nameOf`. */
  readonly names: readonly { readonly field: string; readonly id: string }[]
  /** The field of the identity, where that is an account: the objects are what an account has. */
  readonly holder: string | undefined
  /** The field for what svcsync does not know. */
  readonly open: string | undefined
  /** The paths of such fields, at any depth. */
  readonly openPaths: readonly (readonly string[])[]
  readonly collections: readonly { readonly field: string; readonly collection: string }[]
  /** Paths of what says when credentials beside it are sent anew. */
  readonly rotations: readonly (readonly string[])[]
}

const known = new WeakMap<Section, SectionFields>()

/** The fields of a section by purpose. Fields with the marks `identity` or `directive` are in neither list. */
export function fieldsOf(section: Section): SectionFields {
  return getOrInsert(known, section, sortFields)
}

/** The field in which the items of a section list a collection. */
export function fieldOfList(section: Section, name: string): string | undefined {
  return fieldsOf(section).collections.find(({ collection }) => collection === name)?.field
}

function sortFields({ schema: whole, identity }: Section): SectionFields {
  const fields: string[] = []
  const references: { field: string; to: string }[] = []
  const names: { field: string; id: string }[] = []
  const collections: { field: string; collection: string }[] = []
  for (const [field, schema] of Object.entries(whole.properties)) {
    if (schema.collection !== undefined) collections.push({ field, collection: schema.collection })
    else if (!schema.identity && !schema.directive) {
      fields.push(field)
      if (schema.reference !== undefined) references.push({ field, to: schema.reference })
      if (schema.nameOf !== undefined) names.push({ field, id: schema.nameOf })
    }
  }
  const openPaths = pathsIn(whole, ({ type }) => type === 'open')
  const open = openPaths.find(({ length }) => length === 1)?.[0]
  const holder = isAccount(whole.properties[identity]?.reference) ? identity : undefined
  const rotations = pathsIn(whole, ({ rotation }) => rotation === true)
  return { fields, references, names, open, openPaths, collections, holder, rotations }
}

/** Paths of properties at any depth; lists are left out. */
export function pathsIn({ properties }: ObjectSchema, isMeant: (part: Schema) => boolean): string[][] {
  return Object.entries(properties).flatMap(([key, part]) => {
    if (isMeant(part)) return [[key]]
    return part.type === 'object' ? pathsIn(part, isMeant).map((path) => [key, ...path]) : []
  })
}

/** True if the mark `reference` leads to an account. */
export function isAccount(to: string | undefined): boolean {
  return to === 'user' || to === 'account'
}

/** The schema of what a path of property names leads to; below a field with any keys, that field's own. */
export function schemaAt(schema: ObjectSchema, path: readonly string[]): Schema | undefined {
  let here: Schema | undefined = schema
  for (const key of path) {
    if (here?.type === 'open') return here
    if (here?.type !== 'object') return undefined
    here = here.properties[key]
  }
  return here
}

/** Without what svcsync does not know, at any depth. */
export function knownSettings(settings: JsonObject, schema: Schema | undefined): JsonObject {
  if (schema?.type !== 'object') return settings
  const known = Object.entries(settings).filter(
    ([key]) => Object.hasOwn(schema.properties, key) && schema.properties[key]?.type !== 'open',
  )
  return Object.fromEntries(
    known.map(([key, value]) => [key, isMapping(value) ? knownSettings(value, schema.properties[key]) : value]),
  )
}

/** The names of what `knownSettings` leaves out. */
export function strangersIn(settings: JsonObject, schema: Schema | undefined): string[] {
  if (schema?.type !== 'object') return []
  return Object.entries(settings).flatMap(([key, value]) => {
    const part = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
    if (part === undefined) return [key]
    if (part.type === 'open') return isMapping(value) ? Object.keys(value) : []
    return isMapping(value) ? strangersIn(value, part).map((name) => `${key}.${name}`) : []
  })
}

/** True where the platform never returns the value. */
export function isWriteOnly(schema: Schema): boolean {
  return schema.writeOnly === true || schema.secret === true
}
