// One database of a tenant document -> its objects in state.
import { failuresOf } from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import type { Connection } from '../state/connection.ts'
import { connectionNodes, settingsShape, withSecretsDigested } from '../state/connection-types.ts'
import type { Constant } from '../state/constant.ts'
import { Database } from '../state/database.ts'
import { guidFor, type IdSource } from '../state/id-source.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import type { TenantConstant } from './constant-shape.ts'
import { loadApplication } from './load-application.ts'
import type { DocumentPath, TenantFinding } from './load-problems.ts'
import type { TenantPrivilege } from './privilege-shape.ts'
import type { TenantConnection, TenantDatabase } from './tenant-shape.ts'

/** What every step of loading a database needs. */
export interface DatabaseLoad {
  readonly database: Database
  readonly state: PlatformState
  readonly findings: TenantFinding[]
}

export function loadDatabase(
  document: TenantDatabase,
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
  return database
}

/** The id and guid that the document gives, or new ones. */
export function identify(
  sort: string,
  entry: { readonly id?: number | undefined; readonly guid?: string | undefined },
  database: Database,
  ids: IdSource,
): { id: number; guid: string } {
  const id = entry.id ?? ids.next(sort)
  return { id, guid: entry.guid ?? guidFor(sort, database.id, id) }
}

export function register<T extends Catalogued>(
  load: DatabaseLoad,
  catalog: Catalog<T>,
  item: T,
  path: DocumentPath,
): T {
  if (!catalog.add(item)) {
    load.findings.push({ path, message: `the id ${item.id} or the guid ${item.guid} is there twice` })
  }
  return item
}

export function newConstant(entry: TenantConstant, database: Database, ids: IdSource): Constant {
  const { name, description, groupId, common, dev, test, prod } = entry
  const identity = identify('constants', entry, database, ids)
  return { ...identity, name, description: description ?? null, groupId: groupId ?? null, common, dev, test, prod }
}

export function loadConstants(
  load: DatabaseLoad,
  entries: readonly TenantConstant[] | undefined,
  catalog: Catalog<Constant>,
  path: DocumentPath,
): void {
  for (const [at, entry] of (entries ?? []).entries()) {
    const constant = newConstant(entry, load.database, load.state.ids)
    if (constant.groupId !== null && !load.database.constantGroups.has(constant.groupId)) {
      const message = `there is no constant group ${constant.groupId}`
      load.findings.push({ path: [...path, at, 'groupId'], message })
    }
    register(load, catalog, constant, [...path, at])
  }
}

/** Undefined, and findings, when its settings do not fit its type. */
export function newConnection(
  entry: TenantConnection,
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
      findings.push({ path: [...path, node, environment, ...failure.path], message: failure.message })
    }
    const { breakInheritance: _, ...kept } = given
    // The shape has checked that these are texts and flags.
    settings[environment as keyof typeof settings] = withSecretsDigested(kept as Connection['settings']['common'])
  }
  if (findings.length > before) return undefined
  return { ...identify('connections', entry, database, ids), name: entry.name, type: entry.type, settings }
}

/** Privileges with or without companies, all from one list of the document. */
export function loadPrivileges(
  load: DatabaseLoad,
  entries: readonly { svcId: string; level: string; company?: TenantPrivilege['company'] }[] | undefined,
  list: PrivilegeList,
  path: DocumentPath,
): void {
  for (const [at, { svcId, level, company: reference }] of (entries ?? []).entries()) {
    const subject = load.state.directory.find(svcId)
    const company = reference === undefined ? undefined : load.database.company(reference)
    if (subject === undefined) {
      load.findings.push({ path: [...path, at, 'svcId'], message: `nobody has the svcId "${svcId}"` })
    } else if (reference !== undefined && company === undefined) {
      load.findings.push({ path: [...path, at, 'company'], message: `there is no business entity "${reference}"` })
    } else list.add({ subject, level, company }, 'several')
  }
}
