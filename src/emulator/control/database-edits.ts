// Edits to a content database: constants, connections, privileges, checkouts. Objects are named by name, id or guid.
import * as s from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import { type Database, newCheckout, type Process } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import { DatabaseLoad } from '../tenant/load-database.ts'
import { applicationLevels, constantShape, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { locateInObject, type TenantFinding, tenantError } from '../tenant/tenant-error.ts'
import { connectionShape } from '../tenant/tenant-shape.ts'
import { edit, unusable } from './edit.ts'

/** `db` is 1 when absent. */
const db = s.optional(s.count)
const process = s.optional(s.filledText)
const level = s.oneOf(...new Set([...applicationLevels, ...processLevels, ...elementLevels]))
const privilege = s.record({ svcId: s.filledText, level, company: s.optional(s.filledText) })
const privilegesShape = s.record({
  ...{ db, element: s.optional(s.count), privileges: s.listOf(privilege) },
  ...s.each(['application', 'process', 'workflow', 'formType'], s.optional(s.filledText)),
})

function databaseOf(state: PlatformState, id = 1): Database {
  const database = state.databases.get(id)
  if (database === undefined) throw unusable(`there is no database ${id}`)
  return database
}

function item<T extends Catalogued>(catalog: Catalog<T>, what: string, reference: string): T {
  const found = catalog.named(reference) ?? catalog.find(reference)
  if (found === undefined) throw unusable(`there is no ${what} "${reference}"`)
  return found
}

function constantsOf(database: Database, process: string | undefined) {
  return process === undefined ? database.constants : item(database.processes, 'process', process).constants
}

function privilegesOf(database: Database, given: s.TypeOf<typeof privilegesShape>): PrivilegeList {
  if (given.application !== undefined) return item(database.applications, 'application', given.application).privileges
  if (given.process !== undefined) return item(database.processes, 'process', given.process).privileges
  if (given.element !== undefined) return elementOf(database, given.element).privileges
  if (given.workflow === undefined || given.formType === undefined) {
    throw unusable('privileges need an application, a process, an element, or a workflow and a form type')
  }
  const workflow = item(database.workflows, 'workflow', given.workflow)
  const isIt = ({ name, guid }: Catalogued) => name === given.formType || guid === given.formType
  const list = workflow.privileges[database.formTypesOf(workflow).find(isIt)?.name ?? '']
  if (list === undefined) throw unusable(`the workflow has no form type "${given.formType}"`)
  return list
}

function elementOf({ elements }: Database, id: number) {
  const element = elements.get(id)
  if (element === undefined) throw unusable(`there is no element ${id}`)
  return element
}

function changePrivileges(verb: 'add' | 'remove') {
  return edit(privilegesShape, (state, given) => {
    const database = databaseOf(state, given.db)
    const list = privilegesOf(database, given)
    for (const { svcId, level, company: reference } of given.privileges) {
      const subject = state.directory.find(svcId)
      const company = reference === undefined ? undefined : database.company(reference)
      if (subject === undefined) throw unusable(`nobody has the svcId "${svcId}"`)
      if (reference !== undefined && company === undefined) throw unusable(`there is no company "${reference}"`)
      const privilege = { subject, level, company }
      if (verb === 'add') list.add(privilege, 'several')
      else list.remove(privilege, 'oneLevel')
    }
  })
}

/** In place of what has the same name: the id and guid stay unless they are given. */
function replace<T extends Catalogued>(
  state: PlatformState,
  database: Database,
  sort: 'constants' | 'connections',
  catalog: Catalog<T>,
  given: { readonly name: string },
): void {
  const known = catalog.named(given.name)
  const findings: TenantFinding[] = []
  const ids = known && { id: known.id, guid: known.guid }
  const next = new DatabaseLoad(database, state, findings).make(sort, { ...ids, ...given }, [sort.slice(0, -1)])
  if (findings.length > 0) throw tenantError(findings, locateInObject)
  if (known !== undefined) catalog.delete(known)
  if (!catalog.add(next as unknown as T)) throw unusable(`the id ${next.id} or the guid ${next.guid} is in use`)
}

function processOf(state: PlatformState, given: { db?: number | undefined; process: string }): [Database, Process] {
  const database = databaseOf(state, given.db)
  return [database, item(database.processes, 'process', given.process)]
}

const ends = s.each(['endsAfterMs', 'endsAfterAttempts'], s.optional(s.count))

export const databaseEdits = {
  upsertConstant: edit(s.record({ db, process, constant: constantShape }), (state, given) => {
    const database = databaseOf(state, given.db)
    replace(state, database, 'constants', constantsOf(database, given.process), given.constant)
  }),
  deleteConstant: edit(s.record({ db, process, name: s.filledText }), (state, given) => {
    const catalog = constantsOf(databaseOf(state, given.db), given.process)
    catalog.delete(item(catalog, 'constant', given.name))
  }),
  upsertConnection: edit(s.record({ db, connection: connectionShape }), (state, given) => {
    const database = databaseOf(state, given.db)
    replace(state, database, 'connections', database.connections, given.connection)
  }),
  deleteConnection: edit(s.record({ db, name: s.filledText }), (state, given) => {
    const { connections } = databaseOf(state, given.db)
    connections.delete(item(connections, 'connection', given.name))
  }),
  deleteElement: edit(s.record({ db, id: s.count }), (state, given) => {
    const database = databaseOf(state, given.db)
    database.elements.delete(elementOf(database, given.id).id)
  }),
  addPrivileges: changePrivileges('add'),
  removePrivileges: changePrivileges('remove'),
  checkOut: edit(s.record({ db, ...s.each(['process', 'by'], s.filledText), ...ends }), (state, given) => {
    const [{ checkouts }, known] = processOf(state, given)
    checkouts.set(known, newCheckout(state, given.by, given.endsAfterMs, given.endsAfterAttempts))
  }),
  endCheckout: edit(s.record({ db, process: s.filledText }), (state, given) => {
    const [{ checkouts }, known] = processOf(state, given)
    checkouts.delete(known)
  }),
}
