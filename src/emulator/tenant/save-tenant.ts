// State -> tenant document, with every id and guid, so that loading it again gives the same installation.

import type { TypeOf } from '../shape/shape.ts'
import { connectionNodes } from '../state/connection-types.ts'
import type {
  Application,
  Connection,
  Constant,
  Database,
  FormField,
  Named,
  Process,
  Workflow,
} from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import type { Subject } from '../state/subjects.ts'
import type { applicationShape } from './metadata-shape.ts'
import type { connectionShape, databaseShape, Tenant } from './tenant-shape.ts'

/** What is being deleted is left out: by the time the document is loaded, it is gone. */
export function saveTenant(state: PlatformState): Tenant {
  const { directory, licenses } = state
  const ids = (subjects: ReadonlySet<Subject>) => [...subjects].filter(stays).map(({ svcId }) => svcId)
  return {
    apiApplications: [...state.apiApplications.values()],
    accounts: directory.list('account').map(({ svcId, name, email, type }) => ({ svcId, name, email, type })),
    users: directory
      .list('user')
      .filter(stays)
      .map(({ svcId, name, email, phoneNumber, managerSvcId, jobTitle }) => {
        return { svcId, name, email, phoneNumber, managerSvcId, jobTitle }
      }),
    groups: directory
      .list('group')
      .filter(stays)
      .map(({ svcId, name, email, members, owners }) => {
        return { svcId, name, email, members: ids(members), owners: ids(owners) }
      }),
    licenses: {
      installation: licenses.installation,
      available: licenses.available,
      assigned: licenses.holders().map(({ svcId, name, licenses: held }) => {
        return { svcId, name, licenses: [...held.values()] }
      }),
    },
    substitutions: [...state.substitutions.values()],
    databases: [...state.databases.values()].map((database) => savedDatabase(database, state.now())),
    behaviour: state.behaviour,
    nextIds: state.ids.state(),
  }
}

function stays({ sync }: Subject): boolean {
  return !sync.deleting
}

function savedDatabase(database: Database, now: number): TypeOf<typeof databaseShape> {
  return {
    id: database.id,
    businessEntities: database.businessEntities.list().map(({ id, guid, details }) => ({ ...details, id, guid })),
    constantGroups: [...database.constantGroups].map(([id, name]) => ({ id, name })),
    constants: database.constants.list().map(savedConstant),
    connections: database.connections.list().map(savedConnection),
    // Levels were checked when they were given.
    applications: database.applications
      .list()
      .map((each) => savedApplication(each, database, now) as TypeOf<typeof applicationShape>),
  }
}

function savedConstant(constant: Constant): Constant {
  return { ...constant }
}

function savedConnection({ id, guid, name, type, settings }: Connection): TypeOf<typeof connectionShape> {
  return { id, guid, name, type, [connectionNodes[type]]: settings }
}

function named({ id, guid, name, description }: Named) {
  return { id, guid, name, description }
}

function savedField(field: FormField) {
  return { ...named(field), type: field.type }
}

function savedApplication(application: Application, database: Database, now: number) {
  const { groupId, groupName, privileges, dashboards, reports, processes, related } = application
  return {
    ...named(application),
    groupId,
    groupName,
    privileges: savedPrivileges(privileges),
    dashboards: dashboards.map(named),
    reports: reports.map((report) => ({ ...named(report), views: report.views.map(named) })),
    processes: processes.map((process) => savedProcess(process, database, now)),
    relatedProcesses: related.length > 0 ? related.map(({ guid }) => guid) : undefined,
  }
}

function savedProcess(process: Process, { elements }: Database, now: number) {
  const own = [...elements.values()].filter((element) => element.process === process)
  const { by, attemptsLeft, endsAt } = process.checkout ?? {}
  return {
    ...named(process),
    checkedOutBy: by,
    checkoutEndsAfterAttempts: attemptsLeft,
    checkoutEndsAfterMs: endsAt && Math.max(0, Math.ceil(endsAt - now)),
    constants: process.constants.list().map(savedConstant),
    privileges: savedPrivileges(process.privileges),
    formTypes: process.formTypes.map((formType) => ({
      ...named(formType),
      fields: formType.fields.map(savedField),
      itemLists: formType.itemLists.map((list) => ({ ...named(list), columns: list.columns.map(savedField) })),
    })),
    workflows: process.workflows.map(savedWorkflow),
    elements:
      own.length > 0 ? own.map((each) => ({ id: each.id, privileges: savedPrivileges(each.privileges) })) : undefined,
  }
}

function savedWorkflow(workflow: Workflow) {
  const { formTypes, steps } = workflow
  const privileges = [...formTypes].map(([{ name }, list]) => [name, savedPrivileges(list)])
  return {
    ...named(workflow),
    formTypes: [...formTypes.keys()].map(({ name }) => name),
    privileges: Object.fromEntries(privileges),
    steps: steps.map((step) => ({ ...named(step), type: step.type, paths: step.paths.map(named) })),
  }
}

function savedPrivileges(list: PrivilegeList) {
  return list
    .list()
    .filter(({ subject }) => stays(subject))
    .map(({ subject, level, company }) => ({ svcId: subject.svcId, level, company: company && String(company.id) }))
}
