// Changes behind the client's back: what somebody else does to the installation while the client is not looking.
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import * as s from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import { type Database, newCheckout } from '../state/database.ts'
import { Licenses } from '../state/licenses.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import { type GroupSide, groupSides, newAccount, newGroup, newUser, type Subject } from '../state/subjects.ts'
import { DatabaseLoad } from '../tenant/load-database.ts'
import { applicationLevels, constantShape, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { locateInObject, type TenantFinding, tenantError } from '../tenant/tenant-error.ts'
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
      throw unusable(`edit ${at}: must have one key, one of ${Object.keys(edits).join(', ')}`)
    }
    edit.apply(state, checked(edit.shape, each[name]))
  }
}

interface Edit {
  readonly shape: s.Shape<unknown>
  readonly apply: (state: PlatformState, given: unknown) => void
}

function edit<T>(shape: s.Shape<T>, apply: (state: PlatformState, given: T) => void): Edit {
  // Called with what has passed this very shape.
  return { shape, apply: (state, given) => apply(state, given as T) }
}

/** The value with its type. Throws OperatorError when it does not fit. */
export function checked<T>(shape: s.Shape<T>, value: unknown): T {
  const told = s.failuresOf(shape, value).map(({ path, message }) => `${s.showPath(path) || 'body'}: ${message}`)
  if (told.length > 0) throw unusable(told.join('; '))
  // The shape has just been checked.
  return value as T
}

function unusable(message: string): OperatorError {
  return new OperatorError('SVC2815', message)
}

/** The object of an edit. Throws OperatorError if it is missing. */
function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw unusable(`there is no ${what}`)
  return found
}

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

const databaseEdits = {
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

function someone({ directory }: PlatformState, svcId: string): Subject {
  const subject = directory.find(svcId)
  if (subject === undefined) throw unusable(`nobody has the svcId "${svcId}"`)
  return subject
}

/** Members or owners that join a group, or part from it. */
function change(verb: 'join' | 'part', side: GroupSide) {
  return edit(s.record({ group: s.filledText, [side]: s.listOf(s.filledText) }), (state, given) => {
    const holder = known(state.directory.get('group', given.group as string), `group "${given.group}"`)
    const svcIds = given[side] as readonly string[]
    for (const subject of svcIds.map((svcId) => someone(state, svcId))) state.directory[verb](holder, side, subject)
  })
}

/** Absent parts stay. */
function rewrite<T extends string>(
  texts: readonly T[],
  subject: { [K in T]: string | null },
  given: { readonly [K in T]?: string | null | undefined },
): void {
  for (const text of texts) subject[text] = given[text] === undefined ? subject[text] : (given[text] as T)
}

function add({ directory }: PlatformState, subject: Subject): void {
  if (!directory.add(subject)) throw unusable(`the svcId "${subject.svcId}" is in use by somebody of another sort`)
}

/** Lists that are given replace those there are. */
function upsertGroup(state: PlatformState, given: s.TypeOf<typeof groupShape>): void {
  const before = state.directory.get('group', given.svcId)
  const group = before ?? newGroup(given)
  if (before === undefined) add(state, group)
  rewrite(groupTexts, group, given)
  for (const side of groupSides) {
    const wanted = given[side]
    if (wanted === undefined) continue
    const subjects = wanted.map((svcId) => someone(state, svcId))
    for (const subject of [...group[side]]) state.directory.part(group, side, subject)
    for (const subject of subjects) state.directory.join(group, side, subject)
  }
}

function removal(kind: Subject['kind']) {
  return edit(s.filledText, ({ directory }, svcId) => {
    directory.remove(known<Subject>(directory.get(kind, svcId), `${kind} "${svcId}"`))
  })
}

const directoryEdits = {
  upsertUser: edit(userShape, (state, given) => {
    const before = state.directory.get('user', given.svcId)
    const user = before ?? newUser({ svcId: given.svcId })
    if (before === undefined) add(state, user)
    rewrite(userTexts, user, given)
  }),
  deleteUser: removal('user'),
  upsertGroup: edit(groupShape, upsertGroup),
  deleteGroup: removal('group'),
  upsertAccount: edit(accountShape, (state, given) => {
    const before = state.directory.get('account', given.svcId)
    if (before === undefined) add(state, newAccount(given, 'account'))
    else rewrite(groupTexts, before, given)
  }),
  deleteAccount: removal('account'),
  addMembers: change('join', 'members'),
  removeMembers: change('part', 'members'),
  addOwners: change('join', 'owners'),
  removeOwners: change('part', 'owners'),
  /** Replaces everything there is to know about licences. */
  setLicenses: edit(licensesShape, (state, given) => {
    state.licenses = new Licenses(given)
  }),
}

const edits: Readonly<Record<string, Edit>> = { ...directoryEdits, ...databaseEdits }
