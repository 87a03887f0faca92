// What each endpoint answers: beside the routes' queries and bodies, what the interface's documents are made of.
import {
  anything,
  flag,
  integer,
  listOf,
  named,
  nullable,
  oneOf,
  optional,
  record,
  type Shape,
  since6,
  text,
} from '../shape/shape.ts'
import { nodesTold } from '../state/connection-types.ts'
import { memberTypes } from '../tenant/directory-shape.ts'
import { applicationLevels, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { licenseTypes } from '../tenant/tenant-shape.ts'

const textOrNull = nullable(text)
const numberOrNull = nullable(integer)
const status = oneOf('Synchronized', 'WaitingForSynchronization')
const links = named('Links', listOf(record({ href: text, method: text, rel: text })))
const ids = { id: integer, guid: text }
const written = named('Written', record(ids))
const listItem = { ...ids, name: text, links }

const user = named(
  'User',
  record({
    svcId: text,
    name: textOrNull,
    email: textOrNull,
    phoneNumber: textOrNull,
    managerSvcId: textOrNull,
    jobTitle: textOrNull,
    status,
  }),
)

const groupItem = { svcId: text, name: textOrNull, email: textOrNull, status }
const person = named(
  'GroupUser',
  record({ svcId: text, name: textOrNull, email: textOrNull, type: oneOf(...memberTypes) }),
)
const people = nullable(listOf(person))
const group = named('Group', record({ ...groupItem, members: people, owners: people }))

const place = record({ id: numberOrNull, guid: textOrNull, dbId: numberOrNull, name: textOrNull })
const license = named(
  'License',
  record({
    type: oneOf(...licenseTypes),
    singleSolutionSettings: optional(record({ processes: listOf(place) })),
    designerDeskSettings: optional(
      record({ allowDesignerDeskProjectCreation: flag, allowDesignerDeskProjectPublishing: flag }),
    ),
  }),
)
const holder = { svcId: text, name: textOrNull, licenses: listOf(license) }

const businessEntity = named(
  'BusinessEntity',
  record({
    ...ids,
    name: text,
    code: text,
    taxId: text,
    phone: text,
    crc: text,
    description: text,
    fullName: record({ firstLine: text, secondLine: text }),
    address: record({ firstLine: text, secondLine: text, thirdLine: text }),
    logo: text,
    permissions: listOf(record({ svcId: text, name: textOrNull, type: oneOf('Default', 'Additional') })),
  }),
)

const loosePlace = record({
  id: optional(numberOrNull),
  guid: optional(textOrNull),
  dbId: optional(numberOrNull),
  name: optional(textOrNull),
})
const stand = record({ svcId: textOrNull, name: textOrNull })
const substitution = named(
  'Substitution',
  record({
    id: integer,
    startDate: text,
    endDate: text,
    type: oneOf('TaskDelegation', 'WorkingOnBehalf'),
    businessEntity: nullable(loosePlace),
    activeApplications: record({
      allApplications: flag,
      applications: listOf(loosePlace),
      processes: listOf(loosePlace),
    }),
    originalPerson: stand,
    substitutePerson: stand,
  }),
)

const connectionType = oneOf('SQL', 'DbB', 'REST', 'SOAP', 'DocPortal', 'MailServer')
const node = (name: string) => optional({ ...anything, schema: nodesTold[name] ?? {} })
const connection = named(
  'Connection',
  record({
    ...ids,
    name: text,
    type: connectionType,
    sql: node('sql'),
    dbb: node('dbb'),
    rest: node('rest'),
    soap: node('soap'),
    docportal: node('docportal'),
    mailserver: node('mailserver'),
  }),
)

const environment = optional(named('ConstantValue', record({ value: text, breakInheritance: flag })))
const constant = named(
  'Constant',
  record({
    ...ids,
    name: text,
    description: textOrNull,
    groupId: numberOrNull,
    groupName: textOrNull,
    common: record({ value: text }),
    dev: environment,
    test: environment,
    prod: environment,
  }),
)

const described = { ...listItem, description: optional(textOrNull) }
const metadata = named('Named', record(described))
const application = named(
  'Application',
  record({ ...described, groupId: optional(numberOrNull), groupName: optional(textOrNull) }),
)
const step = named('Step', record({ ...described, type: text }))
const field = record({ ...ids, name: text, type: text })
const layout = record({
  fields: listOf(field),
  itemLists: listOf(record({ ...ids, name: text, columns: listOf(field) })),
  paths: listOf(metadata),
})

/** Installations call the name of an account by one of two keys, and may leave out the level and the company. */
const privileges = (levels: readonly string[]) =>
  record({
    privileges: listOf(
      record({
        svcId: text,
        username: optional(textOrNull),
        name: optional(textOrNull),
        level: optional(oneOf(...levels)),
        company: optional(nullable(record(ids))),
      }),
    ),
  })
const applicationPrivileges = named('ApplicationPrivileges', privileges(applicationLevels))
const processPrivileges = named('ProcessPrivileges', privileges(processLevels))

/** The documents do not say in which words levels that come from the process are told: here in those of the process. */
const elementPrivileges = named(
  'ElementPrivileges',
  record({
    elementPrivileges: listOf(
      record({
        permissionsScope: oneOf('Process', 'Element'),
        user: record({ svcId: text, name: textOrNull }),
        level: oneOf(...new Set([...elementLevels, ...processLevels])),
      }),
    ),
  }),
)

const profile = { svcId: text, name: textOrNull, email: textOrNull }
const part = nullable(record({ ...ids, name: text }))

/** Method and path of a route → what it answers. A route that is not listed has nothing to say. */
export const answers: Readonly<Record<string, Shape<unknown>>> = {
  'GET /admin/users': record({ users: listOf(user) }),
  'GET /admin/users/:svcId': user,
  'GET /admin/user': user,
  'GET /admin/groups': record({ groups: listOf(named('GroupItem', record(groupItem))) }),
  'GET /admin/groups/:svcId': group,
  'GET /admin/group': group,
  'GET /admin/licenses': record({ assignedLicenses: listOf(record(holder)) }),
  'GET /admin/licenses/summary': record({
    licenses: listOf(record({ license: oneOf(...licenseTypes), total: integer, assigned: integer })),
  }),
  'GET /admin/licenses/:svcId': record({ ...holder, userIsDeleted: flag }),
  'GET /admin/license': record({ ...holder, userIsDeleted: flag }),
  'GET /admin/db/:dbId/businessentities': record({ businessEntities: listOf(businessEntity) }),
  'GET /admin/db/:dbId/businessentities/:idguid': businessEntity,
  'GET /admin/substitutions': record({ substitutions: listOf(substitution) }),
  'POST /admin/substitutions': integer,
  'GET /admin/substitutions/:id': substitution,
  'GET /db/:dbId/admin/connections': record({
    connections: listOf(record({ ...listItem, type: connectionType })),
  }),
  'POST /db/:dbId/admin/connections': written,
  'GET /db/:dbId/admin/connections/:idguid': connection,
  'PATCH /db/:dbId/admin/connections/:idguid': written,
  ...Object.fromEntries(
    ['/db/:dbId/admin/constants', '/db/:dbId/processes/:procIdguid/admin/constants'].flatMap((path) => [
      [`GET ${path}`, record({ constants: listOf(record(listItem)) })],
      [`POST ${path}`, written],
      [`GET ${path}/:idguid`, constant],
      [`PATCH ${path}/:idguid`, written],
    ]),
  ),
  'GET /db/:dbId/applications': record({ applications: listOf(application) }),
  'GET /db/:dbId/applications/:idguid': application,
  'GET /db/:dbId/applications/:idguid/dashboards': record({ dashboards: listOf(metadata) }),
  'GET /db/:dbId/applications/:idguid/processes': record({
    processes: listOf(record({ ...described, isRelation: optional(since6(flag)) })),
  }),
  'GET /db/:dbId/applications/:idguid/reports': record({ reports: listOf(metadata) }),
  'GET /db/:dbId/reports/:idguid': metadata,
  'GET /db/:dbId/reports/:idguid/views': record({ views: listOf(metadata) }),
  'GET /db/:dbId/processes/:idguid': metadata,
  'GET /db/:dbId/processes/:idguid/formtypes': record({ formTypes: listOf(metadata) }),
  'GET /db/:dbId/processes/:idguid/workflows': record({ workflows: listOf(metadata) }),
  'GET /db/:dbId/workflows/:idguid': metadata,
  'GET /db/:dbId/workflows/:idguid/steps': record({ steps: listOf(step) }),
  'GET /db/:dbId/workflows/:idguid/associatedFormTypes': record({ associatedFormTypes: listOf(metadata) }),
  'GET /db/:dbId/steps/:idguid': step,
  'GET /db/:dbId/steps/:idguid/paths': record({ paths: listOf(metadata) }),
  'GET /db/:dbId/paths/:idguid': metadata,
  'GET /db/:dbId/formtypes/:idguid': metadata,
  'GET /db/:dbId/formlayout': layout,
  'GET /db/:dbId/applications/:idguid/admin/privileges': applicationPrivileges,
  'GET /db/:dbId/application/:idguid/admin/privileges': applicationPrivileges,
  'GET /db/:dbId/processes/:idguid/admin/privileges': processPrivileges,
  'GET /db/:dbId/workflows/:wfIdguid/associatedFormTypes/:idguid/admin/privileges': processPrivileges,
  'GET /db/:dbId/elements/:id/admin/privileges': elementPrivileges,
  'POST /db/:dbId/importsessions': record({ sessionId: text }),
  'POST /db/:dbId/importsessions/:sessionId/:chunkNumber': record({ nextChunkIndex: integer }),
  'GET /db/:dbId/importsessions/:sessionId/status': record({ status: integer, logs: text }),
  'GET /db/:dbId/importsessions/:sessionId/logs': text,
  'GET /me': record({ ...profile, impersonated: optional(flag), impersonatingApplication: optional(text) }),
  'GET /urlMetadata': record({
    url: text,
    mode: oneOf('Home', 'Application', 'Report', 'View', 'Element', 'Dashboard', 'Start'),
    dbId: numberOrNull,
    application: part,
    dashboard: part,
    report: part,
    view: part,
    element: nullable(record({ id: integer })),
    startelement: part,
  }),
}
