// One database of a tenant document -> its objects in state: complete, with identities, and where they are found.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import { failuresOf, type ShapeFailure, type TypeOf } from '../shape/shape.ts'
import { Catalog } from '../state/catalog.ts'
import { type Constant, Database, newCheckout, type Process } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { PrivilegeList } from '../state/privilege-list.ts'
import { connectionNodes, digestSecrets, settingsShape } from './connection-types.ts'
import { type ProcessDocument as Beside, keptByDatabase } from './metadata-shape.ts'
import type { databaseShape } from './tenant-shape.ts'

export function loadDatabase(
  document: TypeOf<typeof databaseShape>,
  state: PlatformState,
  path: Path,
  findings: ShapeFailure[],
): Database {
  const database = new Database(document.id)
  const load = new DatabaseLoad(database, state, findings)
  for (const { id, name } of document.constantGroups ?? []) database.constantGroups.set(id, name)
  for (const sort of ['businessEntities', 'constants', 'connections', 'applications'] as const)
    for (const [at, entry] of document[sort]?.entries() ?? []) load.add(sort, entry, [...path, sort, at])
  for (const [at, application] of database.applications.list().entries())
    load.lend(application, [...path, 'applications', at])
  return database
}

const named = { description: null }
const starting = { type: 'Start', paths: [{ name: 'Submit' }] }
const ending = { type: 'Final' }
/** Each sort of object by the key of its lists, with what it has where the document says nothing. */
const defaultsBySort = {
  ...{ businessEntities: {}, connections: {}, dashboards: named, views: named, paths: named },
  constants: { ...named, groupId: null },
  applications: {
    ...{ ...named, groupId: null, groupName: null },
    ...{ privileges: [], dashboards: [], reports: [], processes: [], relatedProcesses: [] },
  },
  reports: { ...named, views: [] },
  processes: { ...named, constants: [], privileges: [], formTypes: [], workflows: [] },
  formTypes: { ...named, fields: [], itemLists: [] },
  fields: { ...named, type: 'SingleLine' },
  itemLists: { ...named, columns: [] },
  columns: { ...named, type: 'SingleLine' },
  // Every workflow can be started and gone through, also when the document says nothing about its steps.
  workflows: {
    ...named,
    formTypes: [],
    privileges: {},
    steps: [
      { name: 'Start', ...starting },
      { name: 'Done', ...ending },
    ],
  },
  steps: { ...named, type: 'Intermediate', paths: [] },
} as const
type ObjectSort = keyof typeof defaultsBySort
type PrivilegeEntry = { readonly svcId: string; readonly level: string; readonly company?: string | undefined }
type Mutable = Record<string, unknown>
type IdentifiedEntry = Mutable & { readonly id: number; readonly guid: string; name: string }

export class DatabaseLoad {
  readonly database: Database
  readonly #state: PlatformState
  readonly findings: ShapeFailure[]

  constructor(database: Database, state: PlatformState, findings: ShapeFailure[]) {
    this.database = database
    this.#state = state
    this.findings = findings
  }

  /** An object of the document with all that is in it, in the catalog of its sort unless another is named. */
  add<T>(sort: ObjectSort, entry: object, path: Path, catalog: unknown = this.database[sort]): T {
    const made = this.make(sort, entry, path)
    if (!(catalog as Catalog<IdentifiedEntry>).add(made))
      this.#find(path, `the id ${made.id} or the guid ${made.guid} is there twice`)
    return made as T
  }

  /** The same, in no catalog yet. */
  make(sort: ObjectSort, entry: object, path: Path): IdentifiedEntry {
    const given = Object.entries(entry).filter(([, value]) => value !== undefined)
    const made: Mutable = { ...defaultsBySort[sort], ...Object.fromEntries(given) }
    Object.assign(made, this.#state.ids.identify(sort, this.database.id, made))
    // In the order of the table: constants and form types are there before what refers to them.
    for (const key of Object.keys(made)) made[key] = this.#part(made[key], key, [...path, key])
    if (sort === 'constants') this.#checkGroup(made as unknown as Constant, path)
    if (sort === 'connections') this.#checkSettings(made, path)
    if (sort === 'processes') this.#finishProcess(made, path)
    return made as IdentifiedEntry
  }

  /** After all applications of the database are there. */
  lend({ processes, relatedProcesses }: ReturnType<Database['applications']['list']>[number], path: Path): void {
    for (const [at, reference] of relatedProcesses.entries()) {
      const process = this.database.processes.find(reference) ?? this.database.processes.named(reference)
      if (process !== undefined && !processes.includes(process)) relatedProcesses[at] = process.guid
      else this.#find([...path, 'relatedProcesses', at], `no other application has the process "${reference}"`)
    }
  }

  #part(value: unknown, key: string, path: Path): unknown {
    if (key === 'privileges') {
      if (Array.isArray(value)) return this.privileges(value, path)
      const lists = Object.entries(value as Record<string, PrivilegeEntry[]>)
      return Object.fromEntries(lists.map(([name, each]) => [name, this.privileges(each, [...path, name])]))
    }
    if (!Array.isArray(value)) return value
    if (!(key in defaultsBySort)) return [...value]
    const catalog = key === 'constants' ? new Catalog<Constant>() : this.database[key as ObjectSort]
    const each = (item: unknown, at: number) => this.add(key as ObjectSort, item as object, [...path, at], catalog)
    // Workflows name their form types.
    const items = value.map((item, at) => (typeof item === 'object' ? each(item, at) : item))
    return key === 'constants' ? catalog : items
  }

  privileges(given: readonly PrivilegeEntry[], path: Path): PrivilegeList {
    const list = new PrivilegeList()
    for (const [at, { svcId, level, company: reference }] of given.entries()) {
      const subject = this.#state.directory.find(svcId)
      const company = reference === undefined ? undefined : this.database.company(reference)
      if (subject === undefined) this.#find([...path, at, 'svcId'], `nobody has the svcId "${svcId}"`)
      else if (reference !== undefined && company === undefined)
        this.#find([...path, at, 'company'], `there is no business entity "${reference}"`)
      else list.add({ subject, level, company }, 'several')
    }
    return list
  }

  #checkGroup({ groupId }: Constant, path: Path): void {
    if (groupId === null || this.database.constantGroups.has(groupId)) return
    this.#find([...path, 'groupId'], `there is no constant group ${groupId}`)
  }

  /** Its settings fit its type; their credentials are kept as digests. */
  #checkSettings(made: Mutable, path: Path): void {
    const type = made.type as keyof typeof connectionNodes
    const own = connectionNodes[type]
    for (const node of Object.values(connectionNodes).filter((each) => each !== own && made[each] !== undefined))
      this.#find([...path, node], `a connection of type ${type} has the node "${own}" only`)
    const settings: Mutable = { common: {} }
    for (const [environment, given] of Object.entries((made[own] ?? {}) as JsonObject)) {
      if (!isJsonObject(given)) continue
      const isLater = 'connectionType' in given || 'trustCertificate' in given
      const shape = settingsShape(type, isLater ? 'connectionType' : 'integratedAuthentication')
      const isWrong = ({ cause }: ShapeFailure) => cause !== 'word'
      for (const { path: within, message } of failuresOf(shape, given).filter(isWrong))
        this.#find([...path, own, environment, ...within], message)
      const { breakInheritance: _, ...kept } = given
      settings[environment] = digestSecrets(kept)
    }
    made[own] = settings
  }

  /** Its checkout, its elements, and which of its form types go with which workflow. */
  #finishProcess(made: Mutable, path: Path): void {
    const { checkedOutBy: by, checkoutEndsAfterMs: ms, checkoutEndsAfterAttempts: attempts, ...rest } = made as Beside
    for (const key of keptByDatabase) delete made[key]
    const process = made as unknown as Process
    const { checkouts, elements, owners } = this.database
    if (by !== undefined) checkouts.set(process, newCheckout(this.#state, by, ms, attempts))
    for (const [at, { id, privileges = [] }] of rest.elements?.entries() ?? []) {
      const place = [...path, 'elements', at]
      if (elements.has(id)) this.#find(place, `the id ${id} is there twice`)
      elements.set(id, { id, process, privileges: this.privileges(privileges, [...place, 'privileges']) })
    }
    for (const [at, workflow] of process.workflows.entries()) {
      owners.set(workflow, process)
      this.#checkFormTypes(workflow, process, [...path, 'workflows', at])
    }
  }

  #checkFormTypes({ formTypes, privileges }: Process['workflows'][number], process: Process, path: Path): void {
    for (const [at, name] of formTypes.entries()) {
      privileges[name] ??= new PrivilegeList()
      if (process.formTypes.some((each) => each.name === name)) continue
      this.#find([...path, 'formTypes', at], `the process has no form type "${name}"`)
    }
    for (const name of Object.keys(privileges).filter((each) => !formTypes.includes(each)))
      this.#find([...path, 'privileges', name], `the workflow does not list the form type "${name}"`)
  }

  #find(path: Path, message: string): void {
    this.findings.push({ cause: 'value', path, message })
  }
}
