// Data connections, and what a write makes of their settings. Credentials are never shown.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { refusalOf } from '../http/body.ts'
import { conflict, missingField, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Connection } from '../state/database.ts'
import {
  connectionNodes,
  connectionType,
  digestSecrets,
  readNodes,
  settingsShape,
  settingsView,
  writtenNodes,
} from '../tenant/connection-types.ts'
import { environments } from '../tenant/tenant-shape.ts'
import { catalogRoutes } from './catalog-routes.ts'
import { databaseOf, ids } from './lookup.ts'

const body = s.record({ name: s.optional(s.filledText), type: s.optional(connectionType), ...writtenNodes })
type Body = s.TypeOf<typeof body>
type GivenSettings = JsonObject & { readonly breakInheritance?: boolean }
type Settings = NonNullable<Connection['sql']>
type GivenNode = { readonly [E in keyof Settings]?: GivenSettings }
const answer = s.named('Connection', s.record({ ...ids, name: s.text, type: connectionType, ...readNodes }))

/** The fields of SQL connections; 5.0 does not have the newer ones. */
function sqlModelOf({ api, state }: Call) {
  return api === '5.0' ? 'integratedAuthentication' : state.behaviour.sqlConnections
}

/** Environments that inherit are left out. */
function view(call: Call, connection: Connection): JsonObject {
  const { type } = connection
  const node = connectionNodes[type]
  const settingsOf = (settings: JsonObject) => {
    const shown = settingsView(type, settings, sqlModelOf(call))
    const isServiceAccount = shown.credentials === 'ServiceAccount'
    const credentials = isServiceAccount && { credentials: call.state.behaviour.serviceAccountSpelling }
    return { ...shown, ...credentials, breakInheritance: true }
  }
  const own = Object.entries(connection[node] ?? {}).filter((entry): entry is [string, JsonObject] => !!entry[1])
  return { type, [node]: Object.fromEntries(own.map(([environment, settings]) => [environment, settingsOf(settings)])) }
}

function create(call: Call, given: Body): Omit<Connection, 'id' | 'guid' | 'name'> {
  const { type } = given
  if (type === undefined) throw missingField('type')
  const node = readSettings(call, given, type)
  if (node.common === undefined) throw missingField(`${connectionNodes[type]}.common`)
  return { type, [connectionNodes[type]]: updateSettings({ common: {} }, node, 'merged') }
}

function update(call: Call, connection: Connection, given: Body): Partial<Connection> {
  const { type } = connection
  if (given.type !== undefined && given.type !== type) throw conflict(`The type of a connection stays: ${type}.`)
  const before = connection[connectionNodes[type]] ?? { common: {} }
  const after = updateSettings(before, readSettings(call, given, type), call.state.behaviour.connectionUpdates)
  return { [connectionNodes[type]]: after }
}

/** The one node that a write may have, checked; empty where there is none. */
function readSettings(call: Call, given: Body, type: Connection['type']): GivenNode {
  const { undocumentedFields, newWords } = call.state.behaviour
  const wanted = connectionNodes[type]
  const foreign = Object.values(connectionNodes).find((node) => node !== wanted && given[node] !== undefined)
  if (foreign !== undefined)
    throw new Refusal('InvalidInput', `A connection of type ${type} has the node "${wanted}", not "${foreign}".`)
  const node = given[wanted] ?? {}
  // An environment may have settings, and these words, that no document has.
  const isTaken = ({ cause, path }: s.ShapeFailure) =>
    (undocumentedFields !== 'refused' && cause === 'unknown' && path.length === 2) ||
    (newWords === 'accepted' && cause === 'word')
  const shape = s.record(s.each(['common', ...environments], s.optional(settingsShape(type, sqlModelOf(call)))))
  const failure = s.failuresOf(shape, node).find((each) => !isTaken(each))
  if (failure !== undefined) throw refusalOf({ ...failure, path: [wanted, ...failure.path] })
  // The shape has just been checked.
  return node as GivenNode
}

/**
 * New settings; those given stay as they are. Fields that are absent keep their value, or lose it. As with constants,
 * an environment that inherits takes settings only together with `breakInheritance: true`, and `false` takes them away.
 */
function updateSettings(before: Settings, node: GivenNode, how: Behaviour['connectionUpdates']): Settings {
  const after: { -readonly [E in keyof Settings]: Settings[E] } = { ...before }
  const start = how === 'replaced' ? () => ({}) : (settings: JsonObject | undefined) => settings ?? {}
  if (node.common !== undefined) after.common = mergeSettings(start(before.common), node.common)
  for (const environment of environments) {
    const given = node[environment]
    if (given === undefined) continue
    if (given.breakInheritance === false) delete after[environment]
    else if (given.breakInheritance === true || before[environment] !== undefined)
      after[environment] = mergeSettings(start(before[environment]), given)
  }
  return after
}

function mergeSettings(before: JsonObject, { breakInheritance: _, ...given }: GivenSettings): JsonObject {
  const credentials = given.credentials === 'ServiceAccoount' ? { credentials: 'ServiceAccount' } : {}
  return digestSecrets({ ...before, ...given, ...credentials })
}

export const connectionRoutes = catalogRoutes({
  ...{ what: 'connection', path: '/db/:dbId/admin/connections', listed: { type: connectionType } },
  reading: readScopes('Connections'),
  writing: writeScopes('Connections'),
  catalog: (call) => databaseOf(call).connections,
  ...{ answer, view, body, create, update },
})
