// What expressions may speak of, with its types: worked out from the schema of each kind, so that a misspelt field is
// found when a policy is read and not when it is too late.
import { type ObjectSchema as CelSchema, Environment } from '@marcbachmann/cel-js'
import type { Collection, Kind } from '../core/model/kind.ts'
import type { Schema } from '../core/model/schema.ts'

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

const desiredVariables = ['object', 'kind', 'address', 'partial', 'whole', 'target', 'today'] as const
export const changeVariables = [
  ...desiredVariables,
  'action',
  'before',
  'after',
  'added',
  'removed',
  'changed',
  'access',
] as const

/** The variables of a policy for one kind, with their types. */
export function scopeOf(kind: Kind, on: 'desired' | 'change'): Scope {
  const fields = new Set<string>([
    'name',
    'baseUrl',
    ...Object.keys(entry),
    ...(on === 'change' ? ['gained', 'lost', 'unknown', ...Object.keys(unsure)] : []),
  ])
  const environment = new Environment(options)
    .registerType({ name: 'Account', schema: account })
    .registerType({ name: 'Privilege', schema: privilege })
    .registerType({ name: 'Item', schema: item })
    .registerType({ name: 'Entry', schema: entry })
    .registerVariable({ name: 'object', schema: objectType(kind, false, fields) })
    .registerVariable('kind', 'string')
    .registerVariable('address', 'string')
    .registerVariable('partial', 'bool')
    .registerVariable('whole', 'bool')
    .registerVariable('today', 'string')
    .registerVariable({ name: 'target', schema: { name: 'string', baseUrl: 'string' } })
  if (on === 'change') {
    environment
      .registerVariable('action', 'string')
      .registerVariable({ name: 'before', schema: objectType(kind, true, fields) })
      .registerVariable({ name: 'after', schema: objectType(kind, true, fields) })
      .registerVariable('added', 'list<Entry>')
      .registerVariable('removed', 'list<Entry>')
      .registerVariable('changed', 'list<string>')
      .registerType({ name: 'Grant', schema: grant })
      .registerType({ name: 'Unsure', schema: unsure })
      .registerVariable({
        name: 'access',
        schema: { gained: 'list<Grant>', lost: 'list<Grant>', unknown: 'list<Unsure>' },
      })
  }
  const variables = on === 'change' ? changeVariables : desiredVariables
  return { kind: kind.name, environment, variables, fields: [...fields] }
}

/** Knows the variables and none of their types: what is evaluated is the plain data itself, which is three times as fast. */
export function evaluationEnvironment(matches: (text: string, pattern: string) => boolean): Environment {
  const environment = new Environment(options)
  for (const name of changeVariables) environment.registerVariable(name, 'dyn')
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
