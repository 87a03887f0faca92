// One database of a tenant document -> its objects in state.
import type { TypeOf } from '../shape/shape.ts'
import { failuresOf } from '../shape/shape.ts'
import { connectionNodes, settingsShape, withSecretsDigested } from '../state/connection-types.ts'
import { type Connection, Database } from '../state/database.ts'
import type { IdSource } from '../state/id-source.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { lendProcesses, loadApplication } from './load-application.ts'
import { identify, loadConstants, register } from './load-parts.ts'
import type { DocumentPath, TenantFinding } from './load-problems.ts'
import type { connectionShape, databaseShape } from './tenant-shape.ts'

export function loadDatabase(
  document: TypeOf<typeof databaseShape>,
  state: PlatformState,
  path: DocumentPath,
  findings: TenantFinding[],
): Database {
  const database = new Database(document.id)
  const load = { database, state, findings }
  for (const [at, entry] of (document.businessEntities ?? []).entries()) {
    const identity = identify('businessEntities', entry, database, state.ids)
    const entity = { ...identity, name: entry.name, code: entry.code, details: entry }
    register(load, database.businessEntities, entity, [...path, 'businessEntities', at])
  }
  for (const group of document.constantGroups ?? []) database.constantGroups.set(group.id, group.name)
  loadConstants(load, document.constants, database.constants, [...path, 'constants'])
  for (const [at, entry] of (document.connections ?? []).entries()) {
    const place = [...path, 'connections', at]
    const connection = newConnection(entry, database, state.ids, place, findings)
    if (connection !== undefined) register(load, database.connections, connection, place)
  }
  for (const [at, entry] of (document.applications ?? []).entries()) {
    loadApplication(load, entry, [...path, 'applications', at])
  }
  for (const [at, entry] of (document.applications ?? []).entries()) {
    lendProcesses(load, entry, [...path, 'applications', at])
  }
  return database
}

/** Undefined, and findings, when its settings do not fit its type. */
export function newConnection(
  entry: TypeOf<typeof connectionShape>,
  database: Database,
  ids: IdSource,
  path: DocumentPath,
  findings: TenantFinding[],
): Connection | undefined {
  const node = connectionNodes[entry.type]
  const before = findings.length
  for (const other of Object.values(connectionNodes)) {
    if (other !== node && entry[other] !== undefined) {
      findings.push({
        path: [...path, other],
        message: `a connection of type ${entry.type} has the node "${node}" only`,
      })
    }
  }
  const settings: Connection['settings'] = { common: {} }
  for (const [environment, given] of Object.entries(entry[node] ?? {})) {
    if (given === undefined) continue
    const model =
      'connectionType' in given || 'trustCertificate' in given ? 'connectionType' : 'integratedAuthentication'
    for (const failure of failuresOf(settingsShape(entry.type, model), given)) {
      if (failure.cause === 'word') continue
      findings.push({ path: [...path, node, environment, ...failure.path], message: failure.message })
    }
    const { breakInheritance: _, ...kept } = given
    // The shape has checked that these are texts and flags.
    settings[environment as keyof typeof settings] = withSecretsDigested(kept as Connection['settings']['common'])
  }
  if (findings.length > before) return undefined
  return { ...identify('connections', entry, database, ids), name: entry.name, type: entry.type, settings }
}
