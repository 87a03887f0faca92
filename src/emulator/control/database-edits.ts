// Edits to a content database: constants, connections, privileges, checkouts. Objects are named by name, id or guid.
import { count, filledText, listOf, oneOf, optional, record, type TypeOf } from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import type { Database, Element, Process } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import { newConnection } from '../tenant/load-database.ts'
import { newConstant } from '../tenant/load-parts.ts'
import { locateInObject, type TenantFinding, tenantError } from '../tenant/load-problems.ts'
import { applicationLevels, constantShape, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { connectionShape } from '../tenant/tenant-shape.ts'
import { edit, unusable } from './edit.ts'

/** `db` is 1 when absent. */
const db = optional(count)
const levelShape = oneOf(...new Set([...applicationLevels, ...processLevels, ...elementLevels]))
const privilegesShape = record({
  db,
  application: optional(filledText),
  process: optional(filledText),
  workflow: optional(filledText),
  formType: optional(filledText),
  element: optional(count),
  privileges: listOf(record({ svcId: filledText, level: levelShape, company: optional(filledText) })),
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

function privilegesOf(database: Database, given: TypeOf<typeof privilegesShape>): PrivilegeList {
  if (given.application !== undefined) return item(database.applications, 'application', given.application).privileges
  if (given.process !== undefined) return item(database.processes, 'process', given.process).privileges
  if (given.element !== undefined) return elementOf(database, given.element).privileges
  if (given.workflow === undefined || given.formType === undefined) {
    throw unusable('privileges need an application, a process, an element, or a workflow and a form type')
  }
  const { formTypes } = item(database.workflows, 'workflow', given.workflow)
  const formType = [...formTypes.keys()].find(({ name, guid }) => name === given.formType || guid === given.formType)
  const list = formType === undefined ? undefined : formTypes.get(formType)
  if (list === undefined) throw unusable(`the workflow has no form type "${given.formType}"`)
  return list
}

function elementOf(database: Database, id: number): Element {
  const element = database.elements.get(id)
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
function replace<T extends Catalogued>(catalog: Catalog<T>, known: T | undefined, next: T): void {
  if (known !== undefined) catalog.delete(known)
  if (!catalog.add(next)) throw unusable(`the id ${next.id} or the guid ${next.guid} is in use`)
}

function processOf(state: PlatformState, given: { db?: number | undefined; process: string }): Process {
  return item(databaseOf(state, given.db).processes, 'process', given.process)
}

export const databaseEdits = {
  upsertConstant: edit(record({ db, process: optional(filledText), constant: constantShape }), (state, given) => {
    const database = databaseOf(state, given.db)
    const catalog = constantsOf(database, given.process)
    const known = catalog.named(given.constant.name)
    replace(catalog, known, newConstant({ ...idsOf(known), ...given.constant }, database, state.ids))
  }),
  deleteConstant: edit(record({ db, process: optional(filledText), name: filledText }), (state, given) => {
    const catalog = constantsOf(databaseOf(state, given.db), given.process)
    catalog.delete(item(catalog, 'constant', given.name))
  }),
  upsertConnection: edit(record({ db, connection: connectionShape }), (state, given) => {
    const database = databaseOf(state, given.db)
    const known = database.connections.named(given.connection.name)
    const findings: TenantFinding[] = []
    const document = { ...idsOf(known), ...given.connection }
    const next = newConnection(document, database, state.ids, ['connection'], findings)
    if (next === undefined) throw tenantError(findings, locateInObject)
    replace(database.connections, known, next)
  }),
  deleteConnection: edit(record({ db, name: filledText }), (state, given) => {
    const { connections } = databaseOf(state, given.db)
    connections.delete(item(connections, 'connection', given.name))
  }),
  deleteElement: edit(record({ db, id: count }), (state, given) => {
    const database = databaseOf(state, given.db)
    database.elements.delete(elementOf(database, given.id).id)
  }),
  addPrivileges: changePrivileges('add'),
  removePrivileges: changePrivileges('remove'),
  checkOut: edit(
    record({
      db,
      process: filledText,
      by: filledText,
      endsAfterMs: optional(count),
      endsAfterAttempts: optional(count),
    }),
    (state, given) => {
      const endsAt = given.endsAfterMs === undefined ? undefined : state.now() + given.endsAfterMs
      processOf(state, given).checkout = { by: given.by, endsAt, attemptsLeft: given.endsAfterAttempts }
    },
  ),
  endCheckout: edit(record({ db, process: filledText }), (state, given) => {
    processOf(state, given).checkout = undefined
  }),
}

function idsOf(known: Catalogued | undefined) {
  return known === undefined ? {} : { id: known.id, guid: known.guid }
}
