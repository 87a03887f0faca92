// Data connections: list, detail, create and update. There is no deletion, and credentials are never shown.
import type { JsonObject } from '../../core/model/json.ts'
import { conflict, notFound, Refusal } from '../http/refusal.ts'
import { type Call, type Route, withBody } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { connectionNodes, inSqlModel, type SqlModel, withoutSecrets, withUnset } from '../state/connection-types.ts'
import type { Connection } from '../state/database.ts'
import { guidFor } from '../state/id-source.ts'
import { keepMore, moreOf } from '../state/undocumented.ts'
import { applySettings, connectionBody, settingsGiven } from './connection-writes.ts'
import { databaseOf, find } from './lookup.ts'

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
function connectionView(call: Call, connection: Connection): JsonObject {
  const { id, guid, name, type, settings } = connection
  const own = Object.entries(settings).flatMap(([environment, given]) =>
    given === undefined ? [] : [[environment, settingsView(call, connection, given)]],
  )
  return { id, guid, name, type, [connectionNodes[type]]: Object.fromEntries(own), ...moreOf(call, connection) }
}

const path = '/db/:dbId/admin/connections'
const detail = `${path}/:idguid`

export const connectionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path,
    scopes: readScopes('Connections'),
    handle: (call) => {
      const database = databaseOf(call)
      return {
        connections: database.connections.list().map(({ id, guid, name, type }) => {
          return { id, guid, name, type, links: call.link(`/db/${database.id}/admin/connections/${id}`) }
        }),
      }
    },
  },
  withBody({
    method: 'POST',
    path,
    scopes: writeScopes('Connections'),
    open: true,
    body: connectionBody,
    handle: (call, body) => {
      const database = databaseOf(call)
      const { name, type } = body
      if (name === undefined || type === undefined) {
        const what = name === undefined ? 'name' : 'type'
        throw new Refusal(400, 'MissingRequiredBodyParameter', `"${what}" is missing.`)
      }
      const node = settingsGiven(call, body, type, sqlModelOf(call))
      if (node?.common === undefined) {
        const description = `"${connectionNodes[type]}.common" is missing.`
        throw new Refusal(400, 'MissingRequiredBodyParameter', description)
      }
      checkName(call, name)
      const id = call.state.ids.next('connections')
      const guid = guidFor('connections', database.id, id)
      const settings = applySettings({ common: {} }, node, 'merged')
      database.connections.add(keepMore(call, { id, guid, name, type, settings }))
      return { id, guid }
    },
  }),
  {
    method: 'GET',
    path: detail,
    scopes: readScopes('Connections'),
    handle: (call) => connectionView(call, find(databaseOf(call).connections, 'connection', call.params.idguid)),
  },
  withBody({
    method: 'PATCH',
    path: detail,
    scopes: writeScopes('Connections'),
    open: true,
    body: connectionBody,
    handle: (call, body) => {
      const { connections } = databaseOf(call)
      const connection = connections.find(call.params.idguid ?? '')
      if (connection === undefined) throw notFound(`connection "${call.params.idguid}"`)
      const { id, guid, type } = connection
      if (body.type !== undefined && body.type !== type) throw conflict(`The type of a connection stays: ${type}.`)
      const node = settingsGiven(call, body, type, sqlModelOf(call))
      const settings = applySettings(connection.settings, node ?? {}, call.state.behaviour.connectionUpdates)
      if (body.name !== undefined && body.name !== connection.name) {
        checkName(call, body.name)
        connections.rename(connection, body.name)
      }
      Object.assign(keepMore(call, connection), { settings })
      return { id, guid }
    },
  }),
]

function checkName(call: Call, name: string): void {
  if (call.state.behaviour.duplicateNames === 'refused' && databaseOf(call).connections.hasName(name)) {
    throw conflict(`There is a connection "${name}" already.`)
  }
}
