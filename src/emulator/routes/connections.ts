// Data connections, and what a write makes of their settings. Credentials are never shown.
import type { JsonObject } from '../../core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { badBody, conflict, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import {
  anything,
  failuresOf,
  filledText,
  mapOf,
  named,
  optional,
  record,
  type ShapeFailure,
  type TypeOf,
  text,
} from '../shape/shape.ts'
import {
  type ConnectionType,
  connectionNodes,
  connectionType,
  environmentFields,
  inSqlModel,
  nodeFields,
  nodesTold,
  nodesWritten,
  type SqlModel,
  settingsShape,
  withoutSecrets,
  withSecretsDigested,
  withUnset,
} from '../state/connection-types.ts'
import { type Connection, environments } from '../state/database.ts'
import { moreOf } from '../state/undocumented.ts'
import { ids, listItem } from './answers.ts'
import { catalogRoutes, missing } from './catalog-routes.ts'
import { databaseOf } from './lookup.ts'

/** Its settings are checked when it is known which type the connection has. */
const body = record({
  name: optional(filledText),
  type: optional(connectionType),
  ...nodeFields((node) => ({ ...mapOf(anything), schema: nodesWritten[node] ?? {} })),
})
type Body = TypeOf<typeof body>
type GivenSettings = JsonObject & { readonly breakInheritance?: boolean }
type GivenNode = { readonly [E in 'common' | (typeof environments)[number]]?: GivenSettings }

const answer = named(
  'Connection',
  record({
    ...{ ...ids, name: text, type: connectionType },
    ...nodeFields((node) => ({ ...anything, schema: nodesTold[node] ?? {} })),
  }),
)

/** Which fields SQL connections have: 5.0 never learned the newer ones. */
function sqlModelOf({ api, state }: Call): SqlModel {
  return api === '5.0' ? 'integratedAuthentication' : state.behaviour.sqlConnections
}

function settingsView(call: Call, { type }: Connection, settings: JsonObject): JsonObject {
  const visible = withUnset(type, withoutSecrets(settings))
  const { serviceAccountSpelling } = call.state.behaviour
  if (type === 'SQL') return { ...inSqlModel(visible, sqlModelOf(call)), breakInheritance: true }
  const isServiceAccount = visible.credentials === 'ServiceAccount'
  return { ...visible, ...(isServiceAccount ? { credentials: serviceAccountSpelling } : {}), breakInheritance: true }
}

/** Environments that inherit are left out. */
function view(call: Call, connection: Connection): JsonObject {
  const { id, guid, name, type, settings } = connection
  const own = Object.entries(settings).flatMap(([environment, given]) =>
    given === undefined ? [] : [[environment, settingsView(call, connection, given)]],
  )
  return { id, guid, name, type, [connectionNodes[type]]: Object.fromEntries(own), ...moreOf(call, connection) }
}

function create(call: Call, given: Body): Omit<Connection, 'id' | 'guid'> {
  const { name, type } = given
  if (name === undefined) throw missing('name')
  if (type === undefined) throw missing('type')
  const node = settingsGiven(call, given, type)
  if (node.common === undefined) throw missing(`${connectionNodes[type]}.common`)
  return { name, type, settings: settingsAfter({ common: {} }, node, 'merged') }
}

function update(call: Call, { type, settings }: Connection, given: Body): Partial<Connection> {
  if (given.type !== undefined && given.type !== type) throw conflict(`The type of a connection stays: ${type}.`)
  const node = settingsGiven(call, given, type)
  return { settings: settingsAfter(settings, node, call.state.behaviour.connectionUpdates) }
}

/** The one node that a write may have, checked; empty where there is none. */
function settingsGiven(call: Call, given: Body, type: ConnectionType): GivenNode {
  const wanted = connectionNodes[type]
  for (const node of Object.values(connectionNodes)) {
    if (node !== wanted && given[node] !== undefined) {
      throw badBody(`A connection of type ${type} has the node "${wanted}", not "${node}".`)
    }
  }
  const node = given[wanted] ?? {}
  const isOpen = call.state.behaviour.undocumentedFields !== 'refused'
  const { newWords } = call.state.behaviour
  // An environment may have settings, and these words, that no document has.
  const isTaken = ({ cause, path }: ShapeFailure) =>
    (isOpen && cause === 'unknown' && path.length === 2) || (newWords === 'accepted' && cause === 'word')
  const shape = record(environmentFields(settingsShape(type, sqlModelOf(call))))
  const failure = failuresOf(shape, node).find((each) => !isTaken(each))
  if (failure !== undefined) {
    const refusal = failure.cause === 'unknown' ? 'InvalidInput' : 'InvalidBodyParameterValue'
    throw new Refusal(400, refusal, `${[wanted, ...failure.path].join('.')}: ${failure.message}.`)
  }
  // The shape has just been checked.
  return node as GivenNode
}

/**
 * New settings; those given stay as they are. Fields that are absent keep their value, or lose it. As with constants, an environment
 * that inherits takes settings only together with `breakInheritance: true`, and `false` takes them away.
 */
function settingsAfter(
  before: Connection['settings'],
  node: GivenNode,
  how: Behaviour['connectionUpdates'],
): Connection['settings'] {
  const after = { ...before }
  const start = how === 'replaced' ? () => ({}) : (settings: JsonObject | undefined) => settings ?? {}
  if (node.common !== undefined) after.common = merged(start(before.common), node.common)
  for (const environment of environments) {
    const given = node[environment]
    if (given === undefined) continue
    if (given.breakInheritance === false) delete after[environment]
    else if (given.breakInheritance === true || before[environment] !== undefined) {
      after[environment] = merged(start(before[environment]), given)
    }
  }
  return after
}

function merged(before: JsonObject, { breakInheritance: _, ...given }: GivenSettings): JsonObject {
  const credentials = given.credentials === 'ServiceAccoount' ? { credentials: 'ServiceAccount' } : {}
  return withSecretsDigested({ ...before, ...given, ...credentials })
}

export const connectionRoutes = catalogRoutes({
  what: 'connection',
  path: '/db/:dbId/admin/connections',
  read: readScopes('Connections'),
  write: writeScopes('Connections'),
  catalog: (call) => databaseOf(call).connections,
  item: {
    answer: record({ ...listItem, type: connectionType }),
    view: ({ id, guid, name, type }) => ({ id, guid, name, type }),
  },
  whole: { answer, view },
  ...{ body, create, update },
})
