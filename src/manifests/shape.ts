// Schemas in the form in which the walk uses them: lookups made ready, marks turned into plain flags.
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { ObjectSchema, Schema, StringSchema } from '@svcsync/core/model/schema.ts'
import { isWriteOnly } from '@svcsync/core/model/schema-fields.ts'

interface ShapeBase {
  readonly nullable: boolean
}

interface TextShape extends ShapeBase {
  readonly type: 'text'
  /** Allowed values. The map gives the one string that all items share. */
  readonly allowed: ReadonlyMap<string, string> | undefined
  readonly minLength: number
  readonly maxLength: number
  readonly secret: boolean
  /** The platform never returns it, so that it is sent and never compared. */
  readonly writeOnly: boolean
  /** Names and directives: they are compared and shown, so nothing from the environment or a file may go in. */
  readonly inClear: boolean
  /** Words that are not allowed may be known to the installation. */
  readonly grows?: true
  readonly moment?: 'from' | 'until' | undefined
}

interface ListShape extends ShapeBase {
  readonly type: 'list'
  readonly items: Shape
  readonly minItems: number
  /** A list of declarations: a key with nothing behind it is an empty list. */
  readonly ofDeclarations: boolean
}

export interface Field {
  readonly name: string
  readonly shape: Shape
  /** Holds declarations of its own: it does not become part of the item. */
  readonly apart: boolean
}

export interface MappingShape extends ShapeBase {
  readonly type: 'mapping'
  readonly fields: ReadonlyMap<string, Field>
  readonly byLength: readonly (readonly Field[] | undefined)[]
  readonly required: readonly string[]
  /** Exactly one of these must be there. Empty: no such rule. */
  readonly exactlyOne: readonly string[]
  /** Its items are declarations. */
  readonly section: Pick<Declaration, 'kind' | 'section'> | undefined
  /** The mapping is an environment: `text` at length, or `settings`. It is read as what its short form says. */
  readonly environment: 'text' | 'settings' | undefined
  /** Takes keys for anchors: see `isFragment`. */
  readonly fragments: boolean
  readonly inLine?: true
  /** A whole manifest, inside a file that is something else. */
  readonly isManifest?: true
}

/** A key that declares nothing: aliases and merge keys below it take their values from it. */
export function isFragment(shape: Shape, key: string): boolean {
  return shape.type === 'mapping' && shape.fragments && key.startsWith('x-')
}

export interface MapShape extends ShapeBase {
  readonly type: 'map'
  readonly values: Shape
  readonly known?: ReadonlyMap<string, Shape>
}

/** `any`: scalars by the core schema of YAML, mappings and lists of the same. */
export type Shape =
  | TextShape
  | (ShapeBase & { readonly type: 'integer'; readonly minimum: number })
  | (ShapeBase & { readonly type: 'any' })
  | (ShapeBase & { readonly type: 'boolean' })
  | ListShape
  | MappingShape
  | MapShape
  | (ShapeBase & { readonly type: 'shorthand'; readonly short: TextShape; readonly long: MappingShape })

export const anyText: TextShape = {
  type: 'text',
  nullable: true,
  allowed: undefined,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  secret: false,
  inClear: false,
  writeOnly: false,
}
const anyValue: Shape = { type: 'any', nullable: true }
export const openMap: MapShape = { type: 'map', nullable: false, values: anyValue }
export const openList: ListShape = {
  type: 'list',
  nullable: false,
  items: anyValue,
  minItems: 0,
  ofDeclarations: false,
}

function shapeOf(schema: Schema): Shape {
  const nullable = schema.nullable === true
  switch (schema.type) {
    case 'string':
      if (schema.environment) return environmentShape(schema)
      return {
        type: 'text',
        nullable,
        allowed: schema.enum && new Map(schema.enum.map((value) => [value, value])),
        ...(schema.grows && { grows: true }),
        minLength: schema.minLength ?? 0,
        maxLength: schema.maxLength ?? Number.POSITIVE_INFINITY,
        secret: schema.secret === true,
        writeOnly: isWriteOnly(schema),
        moment: schema.moment,
        inClear:
          schema.moment !== undefined ||
          schema.identity === true ||
          schema.directive === true ||
          schema.reference !== undefined ||
          schema.nameOf !== undefined ||
          schema.enum !== undefined,
      }
    case 'nameOrId':
      return { ...anyText, nullable, minLength: 1, inClear: true }
    case 'integer':
      return { type: 'integer', nullable, minimum: schema.minimum ?? Number.MIN_SAFE_INTEGER }
    case 'boolean':
      return { type: 'boolean', nullable }
    case 'array':
      return { ...openList, nullable, items: shapeOf(schema.items), minItems: schema.minItems ?? 0 }
    case 'open':
      return { ...openMap, nullable }
    case 'map':
      return mapShapeOf(schema)
    case 'shorthand':
      return {
        type: 'shorthand',
        nullable,
        short: shapeOf(schema.short) as TextShape,
        long: mappingShapeOf(schema.long, []),
      }
    case 'object':
      return mappingShapeOf(schema, [])
  }
}

export function mapShapeOf({ nullable, values, known }: Extract<Schema, { type: 'map' }>): MapShape {
  const own = Object.entries(known ?? {}).map(([key, schema]) => [key, shapeOf(schema)] as const)
  return { type: 'map', nullable: nullable === true, values: shapeOf(values), ...(known && { known: new Map(own) }) }
}

function environmentShape(schema: StringSchema): Shape {
  const { environment: _, ...short } = schema
  const long = { ...mappingShapeOf(longEnvironment(schema), []), environment: 'text' } as const
  return { type: 'shorthand', nullable: false, short: shapeOf(short) as TextShape, long }
}

function groupByLength(fields: Iterable<Field>): Field[][] {
  const groups: Field[][] = []
  for (const field of fields) {
    groups[field.name.length] ??= []
    groups[field.name.length]?.push(field)
  }
  return groups
}

/** The shape of a mapping, with fields that hold declarations of other kinds beside its own. */
export function mappingShapeOf(
  schema: ObjectSchema,
  apart: readonly Field[],
  section?: MappingShape['section'],
): MappingShape {
  const fields = new Map<string, Field>()
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!property.derived) fields.set(name, { name, shape: shapeOf(property), apart: false })
  }
  if (schema.environment && schema.inherited && !fields.has('inherit')) {
    const inherit: Field = { name: 'inherit', shape: shapeOf(inheritSchema), apart: false }
    // It stands first: what follows depends on it.
    const settings = [...fields]
    fields.clear()
    for (const [name, field] of [['inherit', inherit] as const, ...settings]) fields.set(name, field)
  }
  for (const field of apart) fields.set(field.name, field)
  const { required = [], exactlyOne = [], nullable, fragments = false, inLine } = schema
  const environment = schema.environment ? 'settings' : undefined
  return {
    type: 'mapping',
    nullable: nullable === true,
    fields,
    byLength: groupByLength(fields.values()),
    required,
    exactlyOne,
    section,
    environment,
    fragments,
    ...(inLine && { inLine }),
  }
}

export const inheritSchema = {
  type: 'boolean',
  directive: true,
  description:
    '`true`: the environment has no own value and inherits `common`, ' +
    'the same as `null` instead of the mapping. `false`: it has its own value.',
} as const satisfies Schema

/** The mapping that may replace the text of an environment. */
export function longEnvironment(schema: StringSchema): ObjectSchema {
  const { environment, nullable: _, inherited, description: __, ...text } = schema
  const value: StringSchema = { ...text, description: 'The value; an empty text is a value, too.' }
  // Under `common`, an environment has only a value.
  if (!inherited) return { type: 'object', required: ['value'], properties: { value } }
  return {
    type: 'object',
    ...(environment && { environment }),
    inherited,
    properties: { value, inherit: inheritSchema },
  }
}
