// The common part of global constants and process constants: values by environment, with inheritance.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  type Finding,
  isMisread,
  type ListRequest,
  type LivePart,
  type Location,
  type MisreadAnswer,
  type MisreadPart,
  type ObservedState,
  type SpecOf,
} from '@svcsync/core/model/kind.ts'
import type { PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { extraField, identityField, previouslyField, textField } from './fields.ts'
import { misreadIn, readFields, readNamed, readWhole, within } from './read-fields.ts'

const environments = ['dev', 'test', 'prod'] as const

const environment = (name: string) =>
  ({
    type: 'string',
    nullable: true,
    inherited: true,
    environment: true,
    description:
      `The value in the environment ${name}. \`null\` restores inheritance; an empty string is a value. ` +
      'At length: `{ value: … }` or `{ inherit: true }`.',
    examples: [`https://erp-${name}.example.com`],
  }) as const

export const constantSchema = {
  type: 'object',
  description: 'A constant with a value for each environment.',
  required: ['name'],
  properties: {
    name: identityField('The name by which processes refer to it.', 'ErpUrl'),
    previously: previouslyField,
    description: textField('Its purpose.', 'Address of the ERP'),
    groupId: {
      type: 'integer',
      nullable: true,
      minimum: 1,
      description: 'Id of its constant group. `null` takes it out of the group.',
      examples: [4],
    },
    groupName: {
      type: 'string',
      minLength: 1,
      nameOf: 'groupId',
      description:
        'Name of its constant group, instead of the id, which differs between installations. ' +
        'Another constant of the same list must be in the group.',
      examples: ['Addresses'],
    },
    common: {
      type: 'string',
      environment: true,
      description: 'The value in every environment without its own. At length: `{ value: … }`.',
      examples: ['https://erp.example.com'],
    },
    dev: environment('dev'),
    test: environment('test'),
    prod: environment('prod'),
    extra: extraField,
  },
} as const satisfies ObjectSchema

type ConstantSpec = SpecOf<typeof constantSchema>

/** The requests for constants below `base`, e.g. `/db/1/admin/constants`. */
export function constantsUnder(base: (at: Location) => string) {
  return {
    lifecycle: 'kept',
    requiredToCreate: ['common'],
    requests: constantRequests(base),
    parse: parseConstant,
    review: reviewConstant,
    parseItem: readNamed,
  } as const
}

function constantRequests(base: (at: Location) => string) {
  const one = (at: Location) => `${base(at)}/${segment(at.self)}`
  return {
    create: (at: Location, spec: ConstantSpec): PlatformRequest => {
      return { method: 'POST', path: base(at), body: { name: at.name, ...constantBody(spec) } }
    },
    update: (at: Location, spec: ConstantSpec): PlatformRequest => {
      return { method: 'PATCH', path: one(at), body: constantBody(spec) }
    },
    read: (at: Location): PlatformRequest => ({ method: 'GET', path: one(at) }),
    list: (at: Location): ListRequest => ({ path: base(at), key: 'constants', paged: false }),
  }
}

function constantBody(spec: ConstantSpec & { readonly name?: string }): JsonObject {
  const body: Record<string, Json | undefined> = {}
  for (const field of ['name', 'description', 'groupId'] as const)
    if (spec[field] !== undefined) body[field] = spec[field]
  if (spec.common !== undefined) body.common = { value: spec.common }
  for (const field of environments) {
    const value = spec[field]
    if (value === undefined) continue
    body[field] = value === null ? { breakInheritance: false } : { value, breakInheritance: true }
  }
  return body
}

/** Reviews the declaration of a constant: it names its group in one of two ways. */
function reviewConstant(desired: ConstantSpec, seen?: ObservedState<ConstantSpec>): readonly Finding[] {
  // Once the platform was asked, the id has come from the name.
  if (seen !== undefined || desired.groupName === undefined || desired.groupId === undefined) return []
  return [
    {
      code: 'SVC1305',
      message: '`groupId` and `groupName` exclude each other',
      hint: 'Keep one of them; in an override, list the other under `unmanaged`.',
      path: ['groupName'],
    },
  ]
}

/** Reads a constant. An environment that inherits, or is not there, reads as null. */
function parseConstant(answer: Json): LivePart<ConstantSpec> | MisreadAnswer | MisreadPart {
  return readWhole(answer, readNamed(answer), readValues)
}

const { description, groupId, groupName } = constantSchema.properties
function readValues(answer: JsonObject): Record<string, Json> | MisreadAnswer {
  const told = readFields(answer, { description, groupId, groupName }, ['description', 'groupId'])
  if (isMisread(told)) return told
  const spec: Record<string, Json> = { ...told }
  if (answer.groupName !== undefined) spec.groupName = answer.groupName
  for (const field of ['common', ...environments]) {
    const part = answer[field] ?? null
    const wrong = isJsonObject(part)
      ? misreadIn(part, valueProperties)
      : part !== null && { misread: 'it is no object' }
    if (wrong) return within(field, wrong)
    const isOwn = isJsonObject(part) && (field === 'common' || part.breakInheritance === true)
    spec[field] = isOwn ? (part.value ?? '') : null
  }
  spec.common ??= ''
  return spec
}

const valueProperties = { value: { type: 'string' }, breakInheritance: { type: 'boolean' } } as const
