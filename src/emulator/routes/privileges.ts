// Privileges on applications, processes, and form types of workflows.
import type { JsonObject } from '../../core/model/json.ts'
import { conflict, notFound } from '../http/refusal.ts'
import { type Call, done, type Route, withBody } from '../http/route.ts'
import { metadataReadScopes, metadataWriteScopes } from '../http/scopes.ts'
import {
  filledText,
  integer,
  listOf,
  named,
  nullable,
  oneOf,
  optional,
  optionalText,
  record,
  type Shape,
  text,
} from '../shape/shape.ts'
import type { Database } from '../state/database.ts'
import type { Privilege, PrivilegeList } from '../state/privilege-list.ts'
import { applicationLevels, processLevels } from '../tenant/metadata-shape.ts'
import { ids } from './answers.ts'
import { databaseOf, find } from './lookup.ts'

type Purpose = 'read' | 'write'

interface PrivilegeBody {
  readonly svcId: string
  readonly level: string
  readonly company?: { id?: number | null | undefined; guid?: string | null | undefined } | null | undefined
}

const applicationBody = record({ svcId: filledText, level: oneOf(...applicationLevels) })
const processBody = record({
  svcId: filledText,
  level: oneOf(...processLevels),
  company: optional(nullable(record({ id: optional(nullable(integer)), guid: optional(nullable(filledText)) }))),
})

/** Installations call the name of an account by one of two keys, and may leave out the level and the company. */
function told(title: string, levels: readonly string[]): Shape<unknown> {
  const privilege = record({
    svcId: text,
    username: optionalText,
    name: optionalText,
    level: optional(oneOf(...levels)),
    company: optional(nullable(record(ids))),
  })
  return named(title, record({ privileges: listOf(privilege) }))
}
const applicationTold = told('ApplicationPrivileges', applicationLevels)
const processTold = told('ProcessPrivileges', processLevels)

function privilegeView({ state }: Call, { subject, level, company }: Privilege): JsonObject {
  const { privilegeCompany, privilegeLevel, privilegeName } = state.behaviour
  const shownCompany = company === undefined || privilegeCompany === 'omitted' ? {} : { company: companyView(company) }
  const shownLevel = privilegeLevel === 'omitted' ? {} : { level }
  return { svcId: subject.svcId, [privilegeName]: subject.name, ...shownLevel, ...shownCompany }
}

function companyView({ id, guid }: NonNullable<Privilege['company']>): JsonObject {
  return { id, guid }
}

function companyOf(database: Database, given: PrivilegeBody['company']): Privilege['company'] {
  if (given === undefined || given === null) return undefined
  const { id, guid } = given
  const reference = guid ?? (id === undefined || id === null ? '' : String(id))
  const company = database.businessEntities.find(reference)
  const isOther = typeof id === 'number' && company !== undefined && company.id !== id
  if (company === undefined || isOther) throw conflict('There is no such company.')
  return company
}

function privilegeOf(call: Call, body: PrivilegeBody, mustExist: boolean): Privilege | undefined {
  const company = companyOf(databaseOf(call), body.company)
  const subject = mustExist ? call.state.directory.usable(body.svcId) : call.state.directory.find(body.svcId)
  if (subject === undefined && mustExist) throw conflict(`Nobody has the svcId "${body.svcId}".`)
  return subject === undefined ? undefined : { subject, level: body.level, company }
}

/** List, add and remove below one path. */
function routesAt(
  path: string,
  body: Shape<PrivilegeBody>,
  answer: Shape<unknown>,
  listAt: (call: Call, purpose: Purpose) => PrivilegeList,
  only?: '5.0' | '6.0',
): Route[] {
  const base = `${path}/admin/privileges`
  const version = only === undefined ? {} : { only }
  return [
    {
      method: 'GET',
      path: base,
      scopes: metadataReadScopes,
      ...version,
      answer,
      handle: (call) => ({
        privileges: listAt(call, 'read')
          .list()
          .map((each) => privilegeView(call, each)),
      }),
    },
    withBody({
      method: 'POST',
      path: `${base}/add`,
      scopes: metadataWriteScopes,
      ...version,
      body,
      handle: (call, given) => {
        const list = listAt(call, 'write')
        const privilege = privilegeOf(call, given, true)
        if (privilege !== undefined) list.add(privilege, call.state.behaviour.privilegeLevels)
        return done
      },
    }),
    withBody({
      method: 'POST',
      path: `${base}/remove`,
      scopes: metadataWriteScopes,
      ...version,
      body,
      handle: (call, given) => {
        const list = listAt(call, 'write')
        const privilege = privilegeOf(call, given, false)
        if (privilege !== undefined) list.remove(privilege, call.state.behaviour.privilegeRemoval)
        return done
      },
    }),
  ]
}

const ofApplication = (call: Call) => find(databaseOf(call).applications, 'application', call.params.idguid).privileges
const ofProcess = (call: Call) => find(databaseOf(call).processes, 'process', call.params.idguid).privileges

function ofFormType(call: Call, purpose: Purpose): PrivilegeList {
  const database = databaseOf(call)
  const workflow = find(database.workflows, 'workflow', call.params.wfIdguid)
  const formType = find(database.formTypes, 'form type', call.params.idguid)
  const list = workflow.formTypes.get(formType)
  if (list !== undefined) return list
  const description = `form type "${formType.name}" in the workflow "${workflow.name}"`
  // Reads find nothing there; writes are refused as a conflict between the two.
  throw purpose === 'read' ? notFound(description) : conflict(`There is no ${description}.`)
}

export const privilegeRoutes: readonly Route[] = [
  ...routesAt('/db/:dbId/applications/:idguid', applicationBody, applicationTold, ofApplication, '6.0'),
  // 5.0 has these three below the singular.
  ...routesAt('/db/:dbId/application/:idguid', applicationBody, applicationTold, ofApplication, '5.0'),
  ...routesAt('/db/:dbId/processes/:idguid', processBody, processTold, ofProcess),
  ...routesAt('/db/:dbId/workflows/:wfIdguid/associatedFormTypes/:idguid', processBody, processTold, ofFormType),
]
