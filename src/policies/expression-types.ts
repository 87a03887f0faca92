// What expressions may speak of, with its types: worked out from the schema of each kind, so that a misspelt field is
// found when a policy is read and not when it is too late.
import { type ObjectSchema as CelSchema, Environment } from '@marcbachmann/cel-js'
import type { Collection, Kind } from '@svcsync/core/model/kind.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'

/** More than any policy that a person wrote; with the length of an expression it keeps reading one cheap. */
const limits = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 1000, maxMapEntries: 200, maxCallArguments: 8 }

const options = { limits, enableOptionalTypes: true, homogeneousAggregateLiterals: false }

/** What a kind's objects are to a policy that looks at them in one way. */
export interface Scope {
  readonly kind: string
  readonly environment: Environment
  /** Variables, and fields at any depth: for hints. */
  readonly variables: readonly string[]
  readonly fields: readonly string[]
}

type Types = Readonly<Record<string, CelSchema | string>>

const account = { svcId: 'string', account: 'string' }
const privilege = { ...account, level: 'string', company: 'string' }
const item = { item: 'string', about: 'string', settings: 'dyn' }
const grant = {
  person: 'string',
  level: 'string',
  object: 'string',
  company: 'string',
  chain: 'list<string>',
  kind: 'string',
}
const unsure = { ...grant, why: 'string' }
const entry = { ...privilege, ...item, collection: 'string' }

/** With their types; those of `object`, `before` and `after` hang on the kind. */
const desiredVariables = {
  object: 'dyn',
  kind: 'string',
  address: 'string',
  partial: 'bool',
  whole: 'bool',
  target: { name: 'string', baseUrl: 'string' },
  today: 'string',
} satisfies Types
export const changeVariables = {
  ...desiredVariables,
  action: 'string',
  before: 'dyn',
  after: 'dyn',
  added: 'list<Entry>',
  removed: 'list<Entry>',
  changed: 'list<string>',
  access: { gained: 'list<Grant>', lost: 'list<Grant>', unknown: 'list<Unsure>' },
} satisfies Types

/** The variables of a policy for one kind, with their types. */
export function scopeOf(kind: Kind, on: 'desired' | 'change'): Scope {
  const isChange = on === 'change'
  const more = isChange ? [...Object.keys(changeVariables.access), ...Object.keys(unsure)] : []
  const fields = new Set<string>([...Object.keys(desiredVariables.target), ...Object.keys(entry), ...more])
  const environment = new Environment(options)
  const types = { Account: account, Privilege: privilege, Item: item, Entry: entry }
  const typesOfChanges = { Grant: grant, Unsure: unsure }
  for (const [name, schema] of Object.entries({ ...types, ...(isChange && typesOfChanges) })) {
    environment.registerType({ name, schema })
  }
  const [object, live] = [objectType(kind, false, fields), objectType(kind, true, fields)]
  const variables: Types = isChange
    ? { ...changeVariables, object, before: live, after: live }
    : { ...desiredVariables, object }
  for (const [name, type] of Object.entries(variables)) {
    if (typeof type === 'string') environment.registerVariable(name, type)
    else environment.registerVariable({ name, schema: type })
  }
  return { kind: kind.name, environment, variables: Object.keys(variables), fields: [...fields] }
}

/** Knows the variables and none of their types: what is evaluated is the plain data itself, which is three times as fast. */
export function evaluationEnvironment(matches: (text: string, pattern: string) => boolean): Environment {
  const environment = new Environment(options)
  for (const name of Object.keys(changeVariables)) environment.registerVariable(name, 'dyn')
  return environment.registerFunction(`string.${matchesName}(string): bool`, matches)
}

/** The name under which the engine knows our `matches`: its own cannot be replaced. */
export const matchesName = 'matchesInLinearTime'

function objectType(kind: Kind, live: boolean, fields: Set<string>): CelSchema {
  const [{ schema, identity }] = kind.sections
  const result: Record<string, CelSchema | string> = { [identity]: 'string' }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (property.directive || name === identity) continue
    fields.add(name)
    if (property.collection === undefined) result[name] = typeOf(property, live, fields)
    else result[name] = listType(kind.collections[property.collection])
  }
  fields.add(identity)
  return result as CelSchema
}

function listType(collection: Collection | undefined): string {
  if (collection?.of === 'items') return 'list<Item>'
  return collection?.part ? 'list<Privilege>' : 'list<Account>'
}

/** What may be null, or came from the platform, has a type only when it is there. */
function typeOf(schema: Schema, live: boolean, fields: Set<string>): CelSchema | string {
  if (schema.type === 'object') {
    const result: Record<string, CelSchema | string> = {}
    for (const [name, property] of Object.entries(schema.properties)) {
      fields.add(name)
      result[name] = typeOf(property, live, fields)
    }
    return result as CelSchema
  }
  if (live || schema.nullable) return 'dyn'
  switch (schema.type) {
    case 'string':
    case 'nameOrId':
      return 'string'
    case 'integer':
      return 'int'
    case 'boolean':
      return 'bool'
    case 'array':
      return 'list<dyn>'
    case 'shorthand':
    case 'open':
    case 'map':
      return 'dyn'
  }
}
