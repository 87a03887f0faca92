// One application of a tenant document, with its processes, workflows, form types and reports -> state.
import { Catalog } from '../state/catalog.ts'
import type { Constant } from '../state/constant.ts'
import type { Application, FormField, FormType, Named, Process, Step, Workflow } from '../state/metadata.ts'
import { PrivilegeList } from '../state/privilege-list.ts'
import { type DatabaseLoad, identify, loadConstants, loadPrivileges, register } from './load-parts.ts'
import type { DocumentPath } from './load-problems.ts'
import type {
  TenantApplication,
  TenantFormType,
  TenantNamed,
  TenantProcess,
  TenantReport,
  TenantStep,
  TenantWorkflow,
} from './metadata-shape.ts'

function named(load: DatabaseLoad, sort: string, entry: TenantNamed): Named {
  const identity = identify(sort, entry, load.database, load.state.ids)
  return { ...identity, name: entry.name, description: entry.description ?? null }
}

export function loadApplication(load: DatabaseLoad, entry: TenantApplication, path: DocumentPath): void {
  const { database } = load
  const application: Application = {
    ...named(load, 'applications', entry),
    groupId: entry.groupId ?? null,
    groupName: entry.groupName ?? null,
    privileges: new PrivilegeList(),
    dashboards: [],
    reports: [],
    processes: [],
    related: [],
  }
  register(load, database.applications, application, path)
  loadPrivileges(load, entry.privileges, application.privileges, [...path, 'privileges'])
  for (const [at, dashboard] of (entry.dashboards ?? []).entries()) {
    const made = named(load, 'dashboards', dashboard)
    application.dashboards.push(register(load, database.dashboards, made, [...path, 'dashboards', at]))
  }
  for (const [at, report] of (entry.reports ?? []).entries()) {
    application.reports.push(loadReport(load, report, [...path, 'reports', at]))
  }
  for (const [at, process] of (entry.processes ?? []).entries()) {
    application.processes.push(loadProcess(load, process, application, [...path, 'processes', at]))
  }
}

/** After all applications of the database are there. */
export function lendProcesses(
  { database, findings }: DatabaseLoad,
  entry: TenantApplication,
  path: DocumentPath,
): void {
  const application = database.applications.named(entry.name)
  for (const [at, reference] of (entry.relatedProcesses ?? []).entries()) {
    const process = database.processes.find(reference) ?? database.processes.named(reference)
    if (process === undefined || process.application === application)
      findings.push({
        path: [...path, 'relatedProcesses', at],
        message: `no other application has the process "${reference}"`,
      })
    else application?.related.push(process)
  }
}

function loadReport(load: DatabaseLoad, entry: TenantReport, path: DocumentPath) {
  const views = (entry.views ?? []).map((view, at) =>
    register(load, load.database.views, named(load, 'views', view), [...path, 'views', at]),
  )
  return register(load, load.database.reports, { ...named(load, 'reports', entry), views }, path)
}

function loadProcess(load: DatabaseLoad, entry: TenantProcess, application: Application, path: DocumentPath): Process {
  const process: Process = {
    ...named(load, 'processes', entry),
    application,
    constants: new Catalog<Constant>(),
    privileges: new PrivilegeList(),
    formTypes: [],
    workflows: [],
    checkout: undefined,
  }
  if (entry.checkedOutBy !== undefined) {
    const { checkoutEndsAfterMs: delayMs, checkoutEndsAfterAttempts: attemptsLeft } = entry
    const endsAt = delayMs === undefined ? undefined : load.state.now() + delayMs
    process.checkout = { by: entry.checkedOutBy, endsAt, attemptsLeft }
  }
  register(load, load.database.processes, process, path)
  loadConstants(load, entry.constants, process.constants, [...path, 'constants'])
  loadPrivileges(load, entry.privileges, process.privileges, [...path, 'privileges'])
  for (const [at, formType] of (entry.formTypes ?? []).entries()) {
    process.formTypes.push(loadFormType(load, formType, [...path, 'formTypes', at]))
  }
  for (const [at, workflow] of (entry.workflows ?? []).entries()) {
    process.workflows.push(loadWorkflow(load, workflow, process, [...path, 'workflows', at]))
  }
  for (const [at, { id, privileges }] of (entry.elements ?? []).entries()) {
    const { elements } = load.database
    const place = [...path, 'elements', at]
    if (elements.has(id)) load.findings.push({ path: place, message: `the id ${id} is there twice` })
    const element = { id, process, privileges: new PrivilegeList() }
    elements.set(id, element)
    loadPrivileges(load, privileges, element.privileges, [...place, 'privileges'])
  }
  return process
}

function loadFormType(load: DatabaseLoad, entry: TenantFormType, path: DocumentPath): FormType {
  const { database } = load
  const field = (
    sort: 'fields' | 'columns',
    given: NonNullable<TenantFormType['fields']>[number],
    place: DocumentPath,
  ) => {
    const made: FormField = { ...named(load, sort, given), type: given.type ?? 'SingleLine' }
    return register(load, database[sort], made, place)
  }
  const fields = (entry.fields ?? []).map((each, at) => field('fields', each, [...path, 'fields', at]))
  const itemLists = (entry.itemLists ?? []).map((list, at) => {
    const place = [...path, 'itemLists', at]
    const columns = (list.columns ?? []).map((each, position) =>
      field('columns', each, [...place, 'columns', position]),
    )
    return register(load, database.itemLists, { ...named(load, 'itemLists', list), columns }, place)
  })
  return register(load, database.formTypes, { ...named(load, 'formTypes', entry), fields, itemLists }, path)
}

function loadWorkflow(load: DatabaseLoad, entry: TenantWorkflow, process: Process, path: DocumentPath): Workflow {
  const { database, findings } = load
  const byName = new Map(process.formTypes.map((formType) => [formType.name, formType]))
  const formTypes = new Map<FormType, PrivilegeList>()
  for (const [at, name] of (entry.formTypes ?? []).entries()) {
    const formType = byName.get(name)
    if (formType !== undefined) formTypes.set(formType, new PrivilegeList())
    else findings.push({ path: [...path, 'formTypes', at], message: `the process has no form type "${name}"` })
  }
  for (const [name, privileges] of Object.entries(entry.privileges ?? {})) {
    const place = [...path, 'privileges', name]
    const formType = byName.get(name)
    const list = formType === undefined ? undefined : formTypes.get(formType)
    if (list !== undefined) loadPrivileges(load, privileges, list, place)
    else findings.push({ path: place, message: `the workflow does not list the form type "${name}"` })
  }
  const steps = (entry.steps ?? defaultSteps).map((step, at) => loadStep(load, step, [...path, 'steps', at]))
  const workflow = { ...named(load, 'workflows', entry), process, steps, formTypes }
  return register(load, database.workflows, workflow, path)
}

/** Every workflow can be started and gone through, also when the document says nothing about its steps. */
const defaultSteps: readonly TenantStep[] = [
  { name: 'Start', type: 'Start', paths: [{ name: 'Submit' }] },
  { name: 'Done', type: 'Final' },
]

function loadStep(load: DatabaseLoad, entry: TenantStep, path: DocumentPath): Step {
  const { database } = load
  const paths = (entry.paths ?? []).map((each, at) =>
    register(load, database.paths, named(load, 'paths', each), [...path, 'paths', at]),
  )
  const step = { ...named(load, 'steps', entry), type: entry.type ?? 'Intermediate', paths }
  return register(load, database.steps, step, path)
}
