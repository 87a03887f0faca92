// Edits to a content database: constants, connections, privileges, checkouts. Objects are named by name, id or guid.
import * as s from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import { type Database, newCheckout } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import { DatabaseLoad } from '../tenant/load-database.ts'
import { applicationLevels, constantShape, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { locateInObject, type TenantFinding, tenantError } from '../tenant/tenant-error.ts'
import { connectionShape } from '../tenant/tenant-shape.ts'
import { type Edit, edit, known, unusable } from './edit.ts'

const level = s.oneOf(...new Set([...applicationLevels, ...processLevels, ...elementLevels]))
const privilege = s.record({ svcId: s.filledText, level, company: s.optional(s.filledText) })
const holders = s.each(['application', 'process', 'workflow', 'formType'], s.optional(s.filledText))
const privilegesShape = { ...holders, element: s.optional(s.count), privileges: s.listOf(privilege) }
const process = s.optional(s.filledText)
const ends = s.each(['endsAfterMs', 'endsAfterAttempts'], s.optional(s.count))
type Fields = Readonly<Record<string, s.Shape<unknown>>>

/** An edit in the database `db`, 1 when absent. */
function within<const F extends Fields>(
  fields: F,
  apply: (database: Database, given: s.TypeOf<ReturnType<typeof s.record<F>>>, state: PlatformState) => void,
): Edit {
  return edit<object>(s.record({ db: s.optional(s.count), ...fields }), (state, given) => {
    const { db = 1 } = given as { db?: number }
    apply(known(state.databases.get(db), `database ${db}`), given as Parameters<typeof apply>[1], state)
  })
}

function item<T extends Catalogued>(catalog: Catalog<T>, what: string, reference: string): T {
  return known(catalog.named(reference) ?? catalog.find(reference), `${what} "${reference}"`)
}

function constantsOf(database: Database, reference: string | undefined) {
  return reference === undefined ? database.constants : item(database.processes, 'process', reference).constants
}

function privilegesOf(database: Database, given: s.TypeOf<ReturnType<typeof s.record<typeof privilegesShape>>>) {
  const { application, element, workflow, formType } = given
  if (application !== undefined) return item(database.applications, 'application', application).privileges
  if (given.process !== undefined) return item(database.processes, 'process', given.process).privileges
  if (element !== undefined) return known(database.elements.get(element), `element ${element}`).privileges
  if (workflow === undefined || formType === undefined)
    throw unusable('privileges need an application, a process, an element, or a workflow and a form type')
  const holder = item(database.workflows, 'workflow', workflow)
  const own = database.formTypesOf(holder).find(({ name, guid }) => name === formType || guid === formType)
  return known(holder.privileges[own?.name ?? ''], `form type "${formType}" in the workflow`)
}

/** Made as from a tenant document. */
function loaded<T>(state: PlatformState, database: Database, make: (load: DatabaseLoad) => T): T {
  const findings: TenantFinding[] = []
  const made = make(new DatabaseLoad(database, state, findings))
  if (findings.length > 0) throw tenantError(findings, locateInObject)
  return made
}

function changePrivileges(
  change: (list: PrivilegeList, each: ReturnType<PrivilegeList['list']>[number]) => void,
): Edit {
  return within(privilegesShape, (database, given, state) => {
    const list = privilegesOf(database, given)
    const named = loaded(state, database, (load) => load.privileges(given.privileges, ['privileges']))
    for (const each of named.list()) change(list, each)
  })
}

/** In place of what has the same name: the id and guid stay unless they are given. */
function replace<T extends Catalogued>(catalog: Catalog<T>, name: string, make: (ids: object) => Catalogued): void {
  const before = catalog.named(name)
  const next = make(before === undefined ? {} : { id: before.id, guid: before.guid })
  if (before !== undefined) catalog.delete(before)
  if (!catalog.add(next as T)) throw unusable(`the id ${next.id} or the guid ${next.guid} is in use`)
}

export const databaseEdits = {
  upsertConstant: within({ process, constant: constantShape }, (database, given, state) => {
    replace(constantsOf(database, given.process), given.constant.name, (ids) =>
      loaded(state, database, (load) => load.make('constants', { ...ids, ...given.constant }, ['constant'])),
    )
  }),
  deleteConstant: within({ process, name: s.filledText }, (database, given) => {
    const catalog = constantsOf(database, given.process)
    catalog.delete(item(catalog, 'constant', given.name))
  }),
  upsertConnection: within({ connection: connectionShape }, (database, { connection }, state) => {
    replace(database.connections, connection.name, (ids) =>
      loaded(state, database, (load) => load.make('connections', { ...ids, ...connection }, ['connection'])),
    )
  }),
  deleteConnection: within({ name: s.filledText }, ({ connections }, { name }) => {
    connections.delete(item(connections, 'connection', name))
  }),
  deleteElement: within({ id: s.count }, ({ elements }, { id }) => {
    elements.delete(known(elements.get(id), `element ${id}`).id)
  }),
  addPrivileges: changePrivileges((list, each) => list.add(each, 'several')),
  removePrivileges: changePrivileges((list, each) => list.remove(each, 'oneLevel')),
  checkOut: within({ ...s.each(['process', 'by'], s.filledText), ...ends }, (database, given, state) => {
    const checkout = newCheckout(state, given.by, given.endsAfterMs, given.endsAfterAttempts)
    database.checkouts.set(item(database.processes, 'process', given.process), checkout)
  }),
  endCheckout: within({ process: s.filledText }, ({ checkouts, processes }, given) => {
    checkouts.delete(item(processes, 'process', given.process))
  }),
}
