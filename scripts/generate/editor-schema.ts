// JSON Schema for editors, from the declarations of shape: draft-07 and nothing beyond it, which every language server
// reads.
import type { Kind } from '../../src/core/model/kind.ts'
import type { ObjectSchema, Schema } from '../../src/core/model/schema.ts'
import { documentSchema, sectionSchemaOf } from '../../src/manifests/manifest-shape.ts'
import { inheritSchema, longEnvironment } from '../../src/manifests/shape.ts'
import { policiesSchemaOf, policyTestSchema, testManifests } from '../../src/policies/policies-schema.ts'
import { exceptionsSchemaOf } from '../../src/project/exceptions.ts'
import { projectSchemaOf, targetsSchemaOf } from '../../src/project/project-schema.ts'
import { exampleOf } from './example-of.ts'

type JsonSchema = Record<string, unknown>

/** Manifests allow variables for numbers and flags; the project file does not. */
interface Dialect {
  readonly variables: boolean
}

const variable = '^\\$\\{var:[A-Za-z0-9_][A-Za-z0-9_.-]*\\}$'
/** Editors show `patternErrorMessage` instead of the pattern. */
const credential = {
  pattern: '^\\$\\{(env:[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\\}$',
  patternErrorMessage: 'A credential never stands in a manifest: write ${env:NAME} or ${file:PATH}.',
}

const fragments =
  'A place for anchors (`x-office: &office`), which `*office` and `<<: *office` use. It declares nothing.'

/** Source of `schemas/manifest.schema.json`. */
export function manifestSchemaSource(kinds: readonly Kind[]): string {
  const dialect = { variables: true }
  return source({
    title: 'Manifest of svcsync',
    description: 'The desired configuration of an installation of the Svc platform.',
    type: 'object',
    additionalProperties: false,
    ...(documentSchema.fragments && { patternProperties: { '^x-': described(fragments) } }),
    properties: {
      ...(objectSchema(documentSchema, dialect).properties as JsonSchema),
      ...sectionsWithin(kinds, undefined, dialect),
    },
  })
}

/** Source of `schemas/project.schema.json`. */
export function projectSchemaSource(kinds: readonly Kind[]): string {
  return source({
    title: 'Project file of svcsync',
    description: 'The project: its manifests, its installations, and the settings of svcsync.',
    ...schemaOf('', projectSchemaOf(kinds), { variables: false }),
  })
}

/** Source of `schemas/targets.schema.json`. */
export function targetsSchemaSource(kinds: readonly Kind[]): string {
  return source({
    title: 'Targets of svcsync',
    description: 'Installations by name, in a file that `targets: { from }` of the project file names.',
    ...schemaOf('', targetsSchemaOf(kinds), { variables: false }),
  })
}

/** Source of `schemas/policies.schema.json`. */
export function policiesSchemaSource(kinds: readonly Kind[]): string {
  const dialect = { variables: false }
  const { properties, ...rest } = schemaOf('', policiesSchemaOf(kinds), dialect)
  const items = objectSchema(policyTestSchema, dialect)
  const keys = items.properties as JsonSchema
  // Beside this one, wherever the package lies.
  for (const name of testManifests) {
    const { description, examples } = policyTestSchema.properties[name] as Schema
    keys[name] = { ...described(description), examples, allOf: [{ $ref: 'manifest.schema.json' }] }
  }
  return source({
    title: 'Policies of svcsync',
    description: 'Rules that declared objects, or changes of them, must keep.',
    ...rest,
    properties: {
      ...(properties as JsonSchema),
      tests: {
        type: 'array',
        ...described('Tests of policies, of this file or of others.'),
        examples: [policyTestSchema.examples],
        items,
      },
    },
  })
}

/** Source of `schemas/exceptions.schema.json`. */
export function exceptionsSchemaSource(kinds: readonly Kind[]): string {
  return source({
    title: 'Exceptions of svcsync',
    description: 'Accepted differences from the manifests, with their ends and reasons.',
    ...schemaOf('', exceptionsSchemaOf(kinds), { variables: false }),
  })
}

function source(schema: JsonSchema): string {
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, undefined, 2)}\n`
}

function sectionsWithin(kinds: readonly Kind[], container: string | undefined, dialect: Dialect): JsonSchema {
  const properties: JsonSchema = {}
  for (const kind of kinds) {
    for (const section of kind.sections) {
      if (section.within !== container) continue
      const nested = section.partial ? {} : sectionsWithin(kinds, kind.name, dialect)
      properties[section.key] = {
        type: ['array', 'null'],
        ...described(section.partial ? section.schema.description : kind.description),
        examples: [[exampleOf(section.key, section.schema)]],
        items: {
          // The title that editors show for an item: without one, they take the title of the whole schema.
          title: section.partial ? `Item of ${section.key}` : titleOf(kind),
          ...described(section.schema.description),
          ...objectSchema(sectionSchemaOf(section), dialect, nested),
        },
      }
    }
  }
  return properties
}

/** `Form type` for `form-type`. */
function titleOf({ name }: Kind): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
}

/** `name`: the key that leads to it; empty where none does. */
function schemaOf(name: string, schema: Schema, dialect: Dialect): JsonSchema {
  const { description } = schema
  // Editors show all values of a list.
  const isListed = schema.type === 'string' && schema.enum !== undefined
  const example = isListed || name === '' ? undefined : exampleOf(name, schema)
  const examples = schema.examples ?? (example === undefined ? undefined : [example])
  const clears = schema.inherited ? '`null` restores inheritance.' : '`null` clears it.'
  const notes = schema.nullable && !description?.includes('`null`') ? [clears] : []
  return { ...described(description, notes), ...(examples && { examples }), ...typeOf(schema, dialect) }
}

function described(description: string | undefined, notes: readonly string[] = []): JsonSchema {
  if (description === undefined) return {}
  return { description, markdownDescription: [description, ...notes].join(' ') }
}

function typeOf(schema: Schema, dialect: Dialect): JsonSchema {
  const orNull = (...types: string[]) => {
    const all = schema.nullable ? [...types, 'null'] : types
    return all.length === 1 ? all[0] : all
  }
  switch (schema.type) {
    case 'string':
      if (schema.environment) {
        const { environment: _, description: __, examples: ___, ...short } = schema
        return {
          ...byForm(typeOf(short, dialect), {
            title: 'Environment at length',
            ...objectSchema(longEnvironment(schema), dialect),
          }),
        }
      }
      if (schema.secret) return { type: orNull('string'), ...credential }
      if (schema.enum) {
        return { type: orNull('string'), enum: schema.nullable ? [...schema.enum, null] : schema.enum }
      }
      // A number in a text field keeps its digits, so an editor need not complain.
      return {
        type: orNull('string', 'number', 'boolean'),
        ...(schema.minLength && { minLength: schema.minLength }),
        ...(schema.maxLength && { maxLength: schema.maxLength }),
      }
    case 'nameOrId':
      return { type: orNull('string', 'number', 'boolean'), minLength: 1 }
    case 'integer': {
      const minimum = schema.minimum === undefined ? {} : { minimum: schema.minimum }
      if (!dialect.variables) return { type: orNull('integer'), ...minimum }
      return { type: orNull('integer', 'string'), ...minimum, pattern: variable }
    }
    case 'boolean':
      return dialect.variables ? { type: orNull('boolean', 'string'), pattern: variable } : { type: orNull('boolean') }
    case 'array':
      return {
        type: orNull('array'),
        items: schemaOf('', schema.items, dialect),
        ...(schema.minItems && { minItems: schema.minItems }),
      }
    case 'open':
      return { type: orNull('object'), additionalProperties: {} }
    case 'map':
      return {
        type: orNull('object'),
        ...(schema.known && { properties: keysOf(schema.known, dialect) }),
        additionalProperties: schemaOf('', schema.values, dialect),
      }
    case 'shorthand':
      return byForm(schemaOf('', schema.short, dialect), objectSchema(schema.long, dialect))
    case 'object': {
      const { type, ...rest } = objectSchema(schema, dialect)
      return { type: orNull(type as string), ...rest }
    }
  }
}

function keysOf(schemas: Readonly<Record<string, Schema>>, dialect: Dialect): JsonSchema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(name, schema, dialect)]))
}

function objectSchema(schema: ObjectSchema, dialect: Dialect, nested: JsonSchema = {}): JsonSchema {
  const properties: JsonSchema = {}
  const inherits = schema.environment && schema.inherited
  // Beside settings it stands first, as `fmt` puts it.
  if (inherits && !schema.properties.inherit) properties.inherit = schemaOf('inherit', inheritSchema, dialect)
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!property.derived) properties[name] = schemaOf(name, property, dialect)
  }
  return {
    type: 'object',
    additionalProperties: false,
    ...(inherits && inheritanceRules(schema)),
    ...(schema.required && { required: schema.required }),
    ...(schema.exactlyOne && { oneOf: schema.exactlyOne.map((name) => ({ required: [name] })) }),
    properties: { ...properties, ...nested },
  }
}

/**
 * A value with a short and a long form. Of alternatives that fit equally badly, editors report the first: a mapping
 * with a misspelt key must give the key, and a text the allowed texts.
 */
function byForm(short: JsonSchema, long: JsonSchema): JsonSchema {
  return { anyOf: [long, short] }
}

/** An inheriting environment has no values; a text that does not inherit has one. */
function inheritanceRules({ properties }: ObjectSchema): JsonSchema {
  // A condition that required `inherit` would be offered as something to write, under the title of the item.
  const whereSaid = (inherit: boolean, then: JsonSchema) => ({
    if: { properties: { inherit: { enum: [inherit] } } },
    then,
  })
  const nothingElse = whereSaid(true, { maxProperties: 1 })
  if (!properties.inherit) return { dependencies: { inherit: nothingElse } }
  const hasValue = whereSaid(false, { required: ['value'] })
  return { minProperties: 1, dependencies: { inherit: { allOf: [nothingElse, hasValue] } } }
}
