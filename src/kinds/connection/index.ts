// Data connections of a content database.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  defineKind,
  type Finding,
  isMisread,
  type MisreadAnswer,
  type ObservedState,
} from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { knownSettings, strangersIn } from '@svcsync/core/model/schema-fields.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { extraField, identityField, previouslyField } from '../parts/fields.ts'
import { readNamed, readWhole, reviewWords, within } from '../parts/read-fields.ts'
import { adminScopes } from '../parts/scopes.ts'
import {
  environmentBody,
  objectOr,
  overlaidOnCommon,
  readEnvironments,
  reviewRotations,
  wholeEnvironments,
} from './environments.ts'
import { reviewLogins, reviewSqlFields } from './logins.ts'
import { connectionTypes, nodeSchema } from './node-schemas.ts'

type ConnectionType = keyof typeof connectionTypes
type Node = (typeof connectionTypes)[ConnectionType]['node']
const types = Object.keys(connectionTypes) as ConnectionType[]
const nodes = types.map((type) => connectionTypes[type].node)
const nodeSchemas = Object.fromEntries(types.map((type) => [connectionTypes[type].node, nodeSchema(type)]))

const schema = {
  type: 'object',
  description: 'A data connection: exactly one node that matches its type.',
  required: ['name', 'type'],
  properties: {
    name: identityField('The name by which processes refer to it.', 'ERP'),
    previously: previouslyField,
    type: {
      type: 'string',
      enum: types,
      immutable: true,
      word: true,
      description: 'The type of connection. It cannot be changed later.',
    },
    ...(nodeSchemas as Record<Node, ObjectSchema>),
    extra: extraField,
  },
} as const satisfies ObjectSchema

const base = (at: { readonly dbId?: number }) => `/db/${at.dbId}/admin/connections`

function mapNode(spec: JsonObject, change: (node: JsonObject, name: Node) => JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = { ...spec }
  for (const name of nodes) {
    const node = spec[name]
    if (isJsonObject(node)) result[name] = change(node, name)
  }
  return result
}

/** The type and its node; for an unknown type, the node of the answer. */
function readNode(answer: JsonObject): JsonObject | MisreadAnswer {
  const { type = null } = answer
  if (type !== null && typeof type !== 'string') return missingKey(answer, 'type', nodes)
  const found = types.find((each) => (isType(type) ? each === type : answer[connectionTypes[each].node] !== undefined))
  if (found === undefined) return { type }
  const { node: name, fields } = connectionTypes[found]
  const node = answer[name] ?? {}
  const settings = isJsonObject(node) ? readEnvironments(node, fields) : { misread: 'it is no object' }
  return isMisread(settings) ? within(name, settings) : { type, [name]: settings }
}

function isType(type: string | null): type is ConnectionType {
  return type !== null && Object.hasOwn(connectionTypes, type)
}

function check(item: JsonObject): Finding[] {
  const expected = connectionTypes[item.type as ConnectionType]?.node
  const findings: Finding[] = []
  for (const name of nodes) {
    if (item[name] === undefined || name === expected) continue
    findings.push({
      code: 'SVC1305',
      message: `A connection of type ${String(item.type)} takes no \`${name}\``,
      hint: `Write its settings under \`${expected}\`, or change the type.`,
      path: [name],
    })
  }
  return [...findings, ...reviewWords(schema, item)]
}

function review(desired: JsonObject, seen?: ObservedState<JsonObject>): readonly Finding[] {
  const name = connectionTypes[desired.type as ConnectionType]?.node
  const node = name === undefined ? undefined : desired[name]
  if (name !== undefined && isJsonObject(node)) {
    if (seen?.live === null && node.common === undefined) return [lackingWhenNew([name, 'common'])]
    const ofNode = seen && { live: seen.live && objectOr(seen.live[name]), changed: objectOr(seen.changed[name]) }
    return [
      ...reviewRotations(name, node, nodeSchemas[name]),
      ...reviewLogins(name, node, ofNode),
      ...(ofNode?.live ? reviewStrangers(name, node, ofNode.live, ofNode.changed) : []),
      ...(name === 'sql' ? reviewSqlFields(node, seen?.peers ?? []) : []),
    ]
  }
  if (seen?.live !== null || name === undefined) return []
  return [lackingWhenNew([name])]
}

function lackingWhenNew(path: readonly string[]): Finding {
  const what = `\`${path.join('.')}\``
  return {
    code: 'SVC1103',
    message: `${what} is missing, and the connection does not exist yet`,
    hint: `Add ${what} with its settings: the platform requires them to create the connection.`,
    path: path.slice(0, -1),
  }
}

/** Settings that svcsync does not know are not sent back: an update that holds them may be refused for it. */
function reviewStrangers(name: Node, node: JsonObject, live: JsonObject, changed: JsonObject): Finding[] {
  return Object.keys(changed).flatMap((environment): Finding[] => {
    const declared = objectOr(objectOr(node[environment]).extra)
    const schema = nodeSchemas[name]?.properties[environment]
    const strangers = strangersIn(objectOr(live[environment]), schema).filter((key) => declared[key] === undefined)
    if (strangers.length === 0) return []
    const list = quoted(strangers)
    return [
      {
        code: 'SVC1323',
        severity: 'warning',
        message: `\`${environment}\` is sent without ${list}, which svcsync does not know`,
        hint:
          'Some installations clear missing settings: ' +
          `declare it under \`extra\` of \`${environment}\`, or check it after the apply.`,
        path: [name, environment],
      },
    ]
  })
}

export const connection = defineKind({
  name: 'connection',
  title: 'Data connections',
  description:
    'Data connections of a content database, with settings for each environment. Credentials are references.',
  scope: 'database',
  order: 40,
  sections: [{ key: 'connections', schema }],
  lifecycle: 'kept',
  scopes: adminScopes('Connections'),
  requests: {
    create: (at, spec) => ({
      method: 'POST',
      path: base(at),
      body: { name: at.name, ...mapNode(spec, environmentBody) },
    }),
    update: (at, spec) => ({
      method: 'PATCH',
      path: `${base(at)}/${segment(at.self)}`,
      body: { name: at.name, ...mapNode(spec, environmentBody) },
    }),
    read: (at) => ({ method: 'GET', path: `${base(at)}/${segment(at.self)}` }),
    list: (at) => ({ path: base(at), key: 'connections', paged: false }),
  },
  parse: (answer) => readWhole(answer, readNamed(answer), readNode),
  parseItem: readNamed,
  createSpec: (desired) => mapNode(desired, overlaidOnCommon),
  // The body of an update has the shape of a create: with the type.
  updateSpec: (changed, desired, live) => ({
    type: live.type,
    ...mapNode(changed, (node, name) =>
      wholeEnvironments(node, desired[name] as JsonObject, knownSettings(objectOr(live[name]), nodeSchemas[name])),
    ),
  }),
  check,
  review,
})
