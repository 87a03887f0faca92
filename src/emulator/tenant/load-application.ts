// One application of a tenant document, with its processes, workflows, form types and reports -> state.

import type { TypeOf } from '../shape/shape.ts'
import { Catalog } from '../state/catalog.ts'
import type { Application, Constant, Named, Process, Workflow } from '../state/database.ts'
import { PrivilegeList } from '../state/privilege-list.ts'
import { type DatabaseLoad, identify, loadConstants, loadPrivileges, register } from './load-parts.ts'
import type { DocumentPath } from './load-problems.ts'
import type { applicationShape, processShape, workflowShape } from './metadata-shape.ts'

interface NamedEntry {
  readonly id?: number | undefined
  readonly guid?: string | undefined
  readonly name: string
  readonly description?: string | null | undefined
}

/** Into the catalog of its sort: with the id and guid that the document gives, or new ones, and with what else it has. */
function addNamed<T extends Named>(
  load: DatabaseLoad,
  sort: string,
  catalog: Catalog<T>,
  entry: NamedEntry,
  path: DocumentPath,
  more: Omit<T, keyof Named>,
): T {
  const identity = identify(sort, entry, load.database, load.state.ids)
  const made = { ...identity, name: entry.name, description: entry.description ?? null, ...more }
  return register(load, catalog, made as unknown as T, path)
}

/** Each entry of the list under a key, with its own path. */
function each<E, T>(
  entries: readonly E[] | undefined,
  path: DocumentPath,
  key: string,
  load: (entry: E, path: DocumentPath) => T,
): T[] {
  return (entries ?? []).map((entry, at) => load(entry, [...path, key, at]))
}

export function loadApplication(load: DatabaseLoad, entry: TypeOf<typeof applicationShape>, path: DocumentPath): void {
  const { database } = load
  const contents: Omit<Application, keyof Named> = {
    groupId: entry.groupId ?? null,
    groupName: entry.groupName ?? null,
    privileges: new PrivilegeList(),
    dashboards: [],
    reports: [],
    processes: [],
    related: [],
  }
  const application = addNamed(load, 'applications', database.applications, entry, path, contents)
  loadPrivileges(load, entry.privileges, application.privileges, [...path, 'privileges'])
  each(entry.dashboards, path, 'dashboards', (dashboard, place) => {
    application.dashboards.push(addNamed(load, 'dashboards', database.dashboards, dashboard, place, {}))
  })
  each(entry.reports, path, 'reports', (report, place) => {
    const views = each(report.views, place, 'views', (view, at) =>
      addNamed(load, 'views', database.views, view, at, {}),
    )
    application.reports.push(addNamed(load, 'reports', database.reports, report, place, { views }))
  })
  each(entry.processes, path, 'processes', (process, place) => {
    application.processes.push(loadProcess(load, process, application, place))
  })
}

/** After all applications of the database are there. */
export function lendProcesses(
  { database, findings }: DatabaseLoad,
  entry: TypeOf<typeof applicationShape>,
  path: DocumentPath,
): void {
  const application = database.applications.named(entry.name)
  each(entry.relatedProcesses, path, 'relatedProcesses', (reference, place) => {
    const process = database.processes.find(reference) ?? database.processes.named(reference)
    if (process === undefined || process.application === application)
      findings.push({ path: place, message: `no other application has the process "${reference}"` })
    else application?.related.push(process)
  })
}

function loadProcess(
  load: DatabaseLoad,
  entry: TypeOf<typeof processShape>,
  application: Application,
  path: DocumentPath,
): Process {
  const { database, findings, state } = load
  const contents: Omit<Process, keyof Named> = {
    application,
    constants: new Catalog<Constant>(),
    privileges: new PrivilegeList(),
    formTypes: [],
    workflows: [],
    checkout: undefined,
  }
  const process = addNamed(load, 'processes', database.processes, entry, path, contents)
  if (entry.checkedOutBy !== undefined) {
    const { checkoutEndsAfterMs: delayMs, checkoutEndsAfterAttempts: attemptsLeft } = entry
    const endsAt = delayMs === undefined ? undefined : state.now() + delayMs
    process.checkout = { by: entry.checkedOutBy, endsAt, attemptsLeft }
  }
  loadConstants(load, entry.constants, process.constants, [...path, 'constants'])
  loadPrivileges(load, entry.privileges, process.privileges, [...path, 'privileges'])
  each(entry.formTypes, path, 'formTypes', (formType, place) => {
    const fields = each(formType.fields, place, 'fields', (field, at) =>
      addNamed(load, 'fields', database.fields, field, at, typeOfField(field)),
    )
    const itemLists = each(formType.itemLists, place, 'itemLists', (list, at) => {
      const columns = each(list.columns, at, 'columns', (column, position) =>
        addNamed(load, 'columns', database.columns, column, position, typeOfField(column)),
      )
      return addNamed(load, 'itemLists', database.itemLists, list, at, { columns })
    })
    process.formTypes.push(addNamed(load, 'formTypes', database.formTypes, formType, place, { fields, itemLists }))
  })
  each(entry.workflows, path, 'workflows', (workflow, place) => {
    process.workflows.push(loadWorkflow(load, workflow, process, place))
  })
  each(entry.elements, path, 'elements', ({ id, privileges }, place) => {
    if (database.elements.has(id)) findings.push({ path: place, message: `the id ${id} is there twice` })
    const element = { id, process, privileges: new PrivilegeList() }
    database.elements.set(id, element)
    loadPrivileges(load, privileges, element.privileges, [...place, 'privileges'])
  })
  return process
}

function typeOfField({ type = 'SingleLine' }: { readonly type?: string | undefined }) {
  return { type }
}

function loadWorkflow(
  load: DatabaseLoad,
  entry: TypeOf<typeof workflowShape>,
  process: Process,
  path: DocumentPath,
): Workflow {
  const { database, findings } = load
  const byName = new Map(process.formTypes.map((formType) => [formType.name, formType]))
  const formTypes = new Map<Process['formTypes'][number], PrivilegeList>()
  each(entry.formTypes, path, 'formTypes', (name, place) => {
    const formType = byName.get(name)
    if (formType !== undefined) formTypes.set(formType, new PrivilegeList())
    else findings.push({ path: place, message: `the process has no form type "${name}"` })
  })
  for (const [name, privileges] of Object.entries(entry.privileges ?? {})) {
    const place = [...path, 'privileges', name]
    const formType = byName.get(name)
    const list = formType === undefined ? undefined : formTypes.get(formType)
    if (list !== undefined) loadPrivileges(load, privileges, list, place)
    else findings.push({ path: place, message: `the workflow does not list the form type "${name}"` })
  }
  const steps = each(entry.steps ?? defaultSteps, path, 'steps', (step, place) => {
    const paths = each(step.paths, place, 'paths', (way, at) => addNamed(load, 'paths', database.paths, way, at, {}))
    const type = step.type ?? 'Intermediate'
    return addNamed(load, 'steps', database.steps, step, place, { type, paths })
  })
  return addNamed(load, 'workflows', database.workflows, entry, path, { process, steps, formTypes })
}

/** Every workflow can be started and gone through, also when the document says nothing about its steps. */
const defaultSteps: TypeOf<typeof workflowShape>['steps'] = [
  { name: 'Start', type: 'Start', paths: [{ name: 'Submit' }] },
  { name: 'Done', type: 'Final' },
]
