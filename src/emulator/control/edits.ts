// Changes behind the client's back: what somebody else does to the installation while the client is not looking.
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import * as s from '../shape/shape.ts'
import type { Catalog, CatalogItem } from '../state/catalog.ts'
import { type Database, newCheckout } from '../state/database.ts'
import { Licenses } from '../state/licenses.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import { type GroupSide, groupSides, newAccount, newGroup, newUser, type Subject } from '../state/subjects.ts'
import { DatabaseLoad } from '../tenant/load-database.ts'
import { applicationLevels, constantShape, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { locateInObject, tenantError } from '../tenant/tenant-error.ts'
import {
  accountShape,
  connectionShape,
  groupShape,
  groupTexts,
  licensesShape,
  userShape,
  userTexts,
} from '../tenant/tenant-shape.ts'

/** Each edit is an object with one key, its name. Edits before an impossible one stay done. */
export function applyEdits(state: PlatformState, given: readonly unknown[]): void {
  for (const [at, each] of given.entries()) {
    const [name = '', ...others] = isJsonObject(each) ? Object.keys(each) : []
    const edit = Object.hasOwn(edits, name) ? edits[name] : undefined
    if (!isJsonObject(each) || edit === undefined || others.length > 0) {
      throw editError(`edit ${at}: must have one key, one of ${Object.keys(edits).join(', ')}`)
    }
    edit.apply(state, parseAs(edit.shape, each[name]))
  }
}

interface StateEdit {
  readonly shape: s.Shape<unknown>
  readonly apply: (state: PlatformState, given: unknown) => void
}

function edit<T>(shape: s.Shape<T>, apply: (state: PlatformState, given: T) => void): StateEdit {
  // Called with what has passed this very shape.
  return { shape, apply: (state, given) => apply(state, given as T) }
}

/** The value with its type. Throws OperatorError when it does not fit. */
export function parseAs<T>(shape: s.Shape<T>, value: unknown): T {
  const messages = s.failuresOf(shape, value).map(({ path, message }) => `${s.showPath(path) || 'body'}: ${message}`)
  if (messages.length > 0) throw editError(messages.join('; '))
  // The shape has just been checked.
  return value as T
}

function editError(message: string): OperatorError {
  return new OperatorError('SVC2815', message)
}

/** The object of an edit. Throws OperatorError if it is missing. */
function requireFound<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw editError(`there is no ${what}`)
  return found
}

const level = s.oneOf(...new Set([...applicationLevels, ...processLevels, ...elementLevels]))
const privilege = s.record({ svcId: s.filledText, level, company: s.optional(s.filledText) })
const holders = s.each(['application', 'process', 'workflow', 'formType'], s.optional(s.filledText))
const privilegesShape = { ...holders, element: s.optional(s.count), privileges: s.listOf(privilege) }
const process = s.optional(s.filledText)
const ends = s.each(['endsAfterMs', 'endsAfterAttempts'], s.optional(s.count))
type EditFields = Readonly<Record<string, s.Shape<unknown>>>

/** An edit in the database `db`, 1 when absent. */
function inDatabase<const F extends EditFields>(
  fields: F,
  apply: (database: Database, given: s.TypeOf<ReturnType<typeof s.record<F>>>, state: PlatformState) => void,
): StateEdit {
  return edit<object>(s.record({ db: s.optional(s.count), ...fields }), (state, given) => {
    const { db = 1 } = given as { db?: number }
    apply(requireFound(state.databases.get(db), `database ${db}`), given as Parameters<typeof apply>[1], state)
  })
}

function item<T extends CatalogItem>(catalog: Catalog<T>, what: string, reference: string): T {
  return requireFound(catalog.named(reference) ?? catalog.find(reference), `${what} "${reference}"`)
}

function constantsOf(database: Database, reference: string | undefined) {
  return reference === undefined ? database.constants : item(database.processes, 'process', reference).constants
}

function privilegesOf(database: Database, given: s.TypeOf<ReturnType<typeof s.record<typeof privilegesShape>>>) {
  const { application, element, workflow, formType } = given
  if (application !== undefined) return item(database.applications, 'application', application).privileges
  if (given.process !== undefined) return item(database.processes, 'process', given.process).privileges
  if (element !== undefined) return requireFound(database.elements.get(element), `element ${element}`).privileges
  if (workflow === undefined || formType === undefined)
    throw editError('privileges need an application, a process, an element, or a workflow and a form type')
  const holder = item(database.workflows, 'workflow', workflow)
  const own = database.formTypesOf(holder).find(({ name, guid }) => name === formType || guid === formType)
  return requireFound(holder.privileges[own?.name ?? ''], `form type "${formType}" in the workflow`)
}

/** Made as from a tenant document. */
function loadWith<T>(state: PlatformState, database: Database, make: (load: DatabaseLoad) => T): T {
  const findings: s.ShapeFailure[] = []
  const made = make(new DatabaseLoad(database, state, findings))
  if (findings.length > 0) throw tenantError(findings, locateInObject)
  return made
}

function changePrivileges(
  change: (list: PrivilegeList, each: ReturnType<PrivilegeList['list']>[number]) => void,
): StateEdit {
  return inDatabase(privilegesShape, (database, given, state) => {
    const list = privilegesOf(database, given)
    const named = loadWith(state, database, (load) => load.privileges(given.privileges, ['privileges']))
    for (const each of named.list()) change(list, each)
  })
}

/** In place of what has the same name: the id and guid stay unless they are given. */
function replace<T extends CatalogItem>(catalog: Catalog<T>, name: string, make: (ids: object) => CatalogItem): void {
  const before = catalog.named(name)
  const next = make(before === undefined ? {} : { id: before.id, guid: before.guid })
  if (before !== undefined) catalog.delete(before)
  if (!catalog.add(next as T)) throw editError(`the id ${next.id} or the guid ${next.guid} is in use`)
}

const databaseEdits = {
  upsertConstant: inDatabase({ process, constant: constantShape }, (database, given, state) => {
    replace(constantsOf(database, given.process), given.constant.name, (ids) =>
      loadWith(state, database, (load) => load.make('constants', { ...ids, ...given.constant }, ['constant'])),
    )
  }),
  deleteConstant: inDatabase({ process, name: s.filledText }, (database, given) => {
    const catalog = constantsOf(database, given.process)
    catalog.delete(item(catalog, 'constant', given.name))
  }),
  upsertConnection: inDatabase({ connection: connectionShape }, (database, { connection }, state) => {
    replace(database.connections, connection.name, (ids) =>
      loadWith(state, database, (load) => load.make('connections', { ...ids, ...connection }, ['connection'])),
    )
  }),
  deleteConnection: inDatabase({ name: s.filledText }, ({ connections }, { name }) => {
    connections.delete(item(connections, 'connection', name))
  }),
  deleteElement: inDatabase({ id: s.count }, ({ elements }, { id }) => {
    elements.delete(requireFound(elements.get(id), `element ${id}`).id)
  }),
  addPrivileges: changePrivileges((list, each) => list.add(each, 'several')),
  removePrivileges: changePrivileges((list, each) => list.remove(each, 'oneLevel')),
  checkOut: inDatabase({ ...s.each(['process', 'by'], s.filledText), ...ends }, (database, given, state) => {
    const checkout = newCheckout(state, given.by, given.endsAfterMs, given.endsAfterAttempts)
    database.checkouts.set(item(database.processes, 'process', given.process), checkout)
  }),
  endCheckout: inDatabase({ process: s.filledText }, ({ checkouts, processes }, given) => {
    checkouts.delete(item(processes, 'process', given.process))
  }),
}

function subjectAt({ directory }: PlatformState, svcId: string): Subject {
  const subject = directory.find(svcId)
  if (subject === undefined) throw editError(`nobody has the svcId "${svcId}"`)
  return subject
}

/** Members or owners that join a group, or part from it. */
function membershipEdit(verb: 'join' | 'part', side: GroupSide) {
  return edit(s.record({ group: s.filledText, [side]: s.listOf(s.filledText) }), (state, given) => {
    const holder = requireFound(state.directory.get('group', given.group as string), `group "${given.group}"`)
    const svcIds = given[side] as readonly string[]
    for (const subject of svcIds.map((svcId) => subjectAt(state, svcId))) state.directory[verb](holder, side, subject)
  })
}

/** Absent parts stay. */
function writeTexts<T extends string>(
  texts: readonly T[],
  subject: { [K in T]: string | null },
  given: { readonly [K in T]?: string | null | undefined },
): void {
  for (const text of texts) subject[text] = given[text] === undefined ? subject[text] : (given[text] as T)
}

function addSubject({ directory }: PlatformState, subject: Subject): void {
  if (!directory.add(subject)) throw editError(`the svcId "${subject.svcId}" is in use by somebody of another sort`)
}

/** Lists that are given replace those there are. */
function upsertGroup(state: PlatformState, given: s.TypeOf<typeof groupShape>): void {
  const before = state.directory.get('group', given.svcId)
  const group = before ?? newGroup(given)
  if (before === undefined) addSubject(state, group)
  writeTexts(groupTexts, group, given)
  for (const side of groupSides) {
    const wanted = given[side]
    if (wanted === undefined) continue
    const subjects = wanted.map((svcId) => subjectAt(state, svcId))
    for (const subject of [...group[side]]) state.directory.part(group, side, subject)
    for (const subject of subjects) state.directory.join(group, side, subject)
  }
}

function removal(kind: Subject['kind']) {
  return edit(s.filledText, ({ directory }, svcId) => {
    directory.remove(requireFound<Subject>(directory.get(kind, svcId), `${kind} "${svcId}"`))
  })
}

const directoryEdits = {
  upsertUser: edit(userShape, (state, given) => {
    const before = state.directory.get('user', given.svcId)
    const user = before ?? newUser({ svcId: given.svcId })
    if (before === undefined) addSubject(state, user)
    writeTexts(userTexts, user, given)
  }),
  deleteUser: removal('user'),
  upsertGroup: edit(groupShape, upsertGroup),
  deleteGroup: removal('group'),
  upsertAccount: edit(accountShape, (state, given) => {
    const before = state.directory.get('account', given.svcId)
    if (before === undefined) addSubject(state, newAccount(given, 'account'))
    else writeTexts(groupTexts, before, given)
  }),
  deleteAccount: removal('account'),
  addMembers: membershipEdit('join', 'members'),
  removeMembers: membershipEdit('part', 'members'),
  addOwners: membershipEdit('join', 'owners'),
  removeOwners: membershipEdit('part', 'owners'),
  /** Replaces everything there is to know about licences. */
  setLicenses: edit(licensesShape, (state, given) => {
    state.licenses = new Licenses(given)
  }),
}

const edits: Readonly<Record<string, StateEdit>> = { ...directoryEdits, ...databaseEdits }
