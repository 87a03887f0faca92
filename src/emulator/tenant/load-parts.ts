// The parts of a tenant document that stand in several places: identities, constants, privileges.
import type { TypeOf } from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import type { Constant, Database } from '../state/database.ts'
import { guidFor, type IdSource } from '../state/id-source.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import type { DocumentPath, TenantFinding } from './load-problems.ts'
import type { constantShape } from './metadata-shape.ts'

/** What every step of loading a database needs. */
export interface DatabaseLoad {
  readonly database: Database
  readonly state: PlatformState
  readonly findings: TenantFinding[]
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

export function newConstant(entry: TypeOf<typeof constantShape>, database: Database, ids: IdSource): Constant {
  const { name, description, groupId, common, dev, test, prod } = entry
  const identity = identify('constants', entry, database, ids)
  return { ...identity, name, description: description ?? null, groupId: groupId ?? null, common, dev, test, prod }
}

export function loadConstants(
  load: DatabaseLoad,
  entries: readonly TypeOf<typeof constantShape>[] | undefined,
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

/** Privileges with or without companies, all from one list of the document. */
export function loadPrivileges(
  load: DatabaseLoad,
  entries: readonly { svcId: string; level: string; company?: string | undefined }[] | undefined,
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
