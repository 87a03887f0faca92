// The types of expressions, from the schema of each kind: a misspelt field is found when a policy is read.
import { type ObjectSchema as CelSchema, Environment } from '@marcbachmann/cel-js'
import type { Collection, Kind } from '@svcsync/core/model/kind.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'
import { InternalError } from '@svcsync/errors/index.ts'

/** More than any policy that a person wrote; with the length of an expression it keeps reading one cheap. */
const limits = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 1000, maxMapEntries: 200, maxCallArguments: 8 }

const options = { limits, enableOptionalTypes: true, homogeneousAggregateLiterals: false }

type VariableTypes = Readonly<Record<string, CelSchema | string>>

const bounds = { from: 'string', until: 'string' }
const account = { svcId: 'string', account: 'string', ...bounds }
const privilege = { ...account, level: 'string', company: 'string' }
const item = { item: 'string', about: 'string', settings: 'dyn', ...bounds }
const grant = {
  person: 'string',
  level: 'string',
  object: 'string',
  company: 'string',
  chain: 'list<string>',
  kind: 'string',
}
const unsure = { ...grant, why: 'string' }
const held = { ...grant, since: 'string', licensed: 'bool' }
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
} satisfies VariableTypes
const changeVariables = {
  ...desiredVariables,
  action: 'string',
  before: 'dyn',
  after: 'dyn',
  added: 'list<Entry>',
  removed: 'list<Entry>',
  changed: 'list<string>',
  access: { gained: 'list<Grant>', lost: 'list<Grant>', unknown: 'list<Unsure>' },
} satisfies VariableTypes

const accessVariables = {
  entry: 'dyn',
  held: 'list<Held>',
  kind: 'string',
  address: 'string',
  target: desiredVariables.target,
  today: 'string',
} satisfies VariableTypes

const exceptionVariables = {
  exception: {
    ...{ path: 'string', entry: 'string', person: 'string', level: 'string', company: 'string' },
    ...{ until: 'string', days: 'int', reason: 'string' },
  },
  kind: 'string',
  address: 'string',
  target: desiredVariables.target,
  today: 'string',
} satisfies VariableTypes

export const policyOns = ['desired', 'change', 'access', 'exception'] as const

export const variablesOn: Readonly<Record<(typeof policyOns)[number], VariableTypes>> = {
  desired: desiredVariables,
  change: changeVariables,
  access: accessVariables,
  exception: exceptionVariables,
}

export function scopeOf(kind: Kind, on: keyof typeof variablesOn) {
  const more = {
    desired: [],
    change: [...Object.keys(changeVariables.access), ...Object.keys(unsure)],
    access: Object.keys(held),
    exception: Object.keys(exceptionVariables.exception),
  }
  const fields = new Set<string>([...Object.keys(desiredVariables.target), ...Object.keys(entry), ...more[on]])
  const [object, live] = [objectType(kind, false, fields), objectType(kind, true, fields)]
  const own: VariableTypes = {
    ...variablesOn[on],
    ...(on === 'access' ? { entry: held } : on === 'exception' ? {} : { object }),
    ...(on === 'change' && { before: live, after: live }),
  }
  const made = (settings: ConstructorParameters<typeof Environment>[0]): Environment => {
    const environment = new Environment(settings)
    const types = { Account: account, Privilege: privilege, Item: item, Entry: entry }
    const others = { desired: {}, change: { Grant: grant, Unsure: unsure }, access: { Held: held }, exception: {} }
    for (const [name, schema] of Object.entries({ ...types, ...others[on] })) environment.registerType({ name, schema })
    for (const [name, type] of Object.entries(own)) {
      if (typeof type === 'string') environment.registerVariable(name, type)
      else environment.registerVariable({ name, schema: type })
    }
    return environment
  }
  let strict: Environment | undefined
  return {
    kind: kind.name,
    environment: made(options),
    strict: () => {
      strict ??= withStrictNames(made({ ...options, enableOptionalTypes: false }))
      return strict
    },
    variables: Object.keys(own),
    fields: [...fields],
  }
}

/** They are as long as the names that they replace, since the engine evaluates no field that it only tests. */
export const strictNames: Readonly<Record<string, string>> = {
  has: 'hxs',
  orValue: 'xrValue',
  or: 'xr',
  value: 'xalue',
  hasValue: 'xasValue',
}

function withStrictNames(environment: Environment): Environment {
  const unused = (): never => {
    throw new InternalError('Nothing is evaluated by names alone')
  }
  const { has, orValue, or, value, hasValue } = strictNames
  for (const signature of [
    `${has}(dyn): bool`,
    `dyn.${orValue}(dyn): dyn`,
    `dyn.${or}(dyn): dyn`,
    `dyn.${value}(): dyn`,
    `dyn.${hasValue}(): bool`,
  ])
    environment.registerFunction(signature, unused)
  return environment
}

/** Knows the variables and none of their types: evaluating plain data is three times as fast. */
export function evaluationEnvironment(matches: (text: string, pattern: string) => boolean): Environment {
  const environment = new Environment(options)
  const names = new Set(Object.values(variablesOn).flatMap((variables) => Object.keys(variables)))
  for (const name of names) environment.registerVariable(name, 'dyn')
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

/** A value that may be null, or came from the platform, has a type only if it is there. */
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
