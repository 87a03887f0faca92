// Privileges on applications, processes, form types of workflows, and elements.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { conflict, notFound } from '../http/refusal.ts'
import { act, type Call, done, get, type Route, write } from '../http/route.ts'
import { elementAdminScopes, metadataReadScopes, metadataWriteScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Database } from '../state/database.ts'
import type { PrivilegeList } from '../state/privilege-list.ts'
import { applicationLevels, elementLevels, processLevels } from '../tenant/metadata-shape.ts'
import { databaseOf, find, ids } from './lookup.ts'

type Purpose = 'read' | 'write'
interface PrivilegeBody {
  readonly svcId: string
  readonly level: string
  readonly company?: { id?: number | null | undefined; guid?: string | null | undefined } | null | undefined
}

const company = s.record({ id: s.optional(s.nullable(s.integer)), guid: s.optional(s.nullable(s.filledText)) })
const applicationBody = s.record({ svcId: s.filledText, level: s.oneOf(...applicationLevels) })
const processBody = s.record({
  ...{ svcId: s.filledText, level: s.oneOf(...processLevels) },
  company: s.optional(s.nullable(company)),
})

/** Installations call the name of an account by one of two keys, and may leave out the level and the company. */
function answerShape(title: string, levels: readonly string[]): s.Shape<unknown> {
  const privilege = s.record({
    ...{ svcId: s.text, username: s.optionalText, name: s.optionalText },
    ...{ level: s.optional(s.oneOf(...levels)), company: s.optional(s.nullable(s.record(ids))) },
  })
  return s.named(title, s.record({ privileges: s.listOf(privilege) }))
}
const applicationList = answerShape('ApplicationPrivileges', applicationLevels)
const processList = answerShape('ProcessPrivileges', processLevels)

type Privilege = ReturnType<PrivilegeList['list']>[number]

function privilegeView({ state }: Call, { subject, level, company: limit }: Privilege): JsonObject {
  const { privilegeCompany, privilegeLevel, privilegeName } = state.behaviour
  return {
    ...{ svcId: subject.svcId, [privilegeName]: subject.name },
    ...(privilegeLevel === 'returned' && { level }),
    ...(limit !== undefined && privilegeCompany === 'returned' && { company: { id: limit.id, guid: limit.guid } }),
  }
}

function companyOf({ businessEntities }: Database, given: PrivilegeBody['company']): Privilege['company'] {
  if (given === undefined || given === null) return undefined
  const found = businessEntities.find(given.guid ?? String(given.id ?? ''))
  if (found === undefined || (given.id ?? found.id) !== found.id) throw conflict('There is no such company.')
  return found
}

/** List, add and remove below one path. */
function routesAt(
  path: string,
  body: s.Shape<PrivilegeBody>,
  answer: s.Shape<unknown>,
  listAt: (call: Call, purpose: Purpose) => PrivilegeList,
  version: Pick<Route, 'only'> = {},
): Route[] {
  const base = `${path}/admin/privileges`
  const writing = (verb: 'add' | 'remove') =>
    write('POST', `${base}/${verb}`, metadataWriteScopes, { ...version, body }, (call, given) => {
      const { directory, behaviour } = call.state
      const list = listAt(call, 'write')
      const limit = companyOf(databaseOf(call), given.company)
      const subject = verb === 'add' ? directory.usable(given.svcId) : directory.find(given.svcId)
      if (subject === undefined && verb === 'add') throw conflict(`Nobody has the svcId "${given.svcId}".`)
      if (subject === undefined) return done
      const privilege = { subject, level: given.level, company: limit }
      if (verb === 'add') list.add(privilege, behaviour.privilegeLevels)
      else list.remove(privilege, behaviour.privilegeRemoval)
      return done
    })
  const reading = get(base, metadataReadScopes, { ...version, answer }, (call) => {
    const list = listAt(call, 'read').list()
    return { privileges: list.map((each) => privilegeView(call, each)) }
  })
  return [reading, writing('add'), writing('remove')]
}

const ofApplication = (call: Call) => find(databaseOf(call).applications, 'application', call.params.idguid).privileges
const ofProcess = (call: Call) => find(databaseOf(call).processes, 'process', call.params.idguid).privileges

function ofFormType(call: Call, purpose: Purpose): PrivilegeList {
  const database = databaseOf(call)
  const workflow = find(database.workflows, 'workflow', call.params.wfIdguid)
  const formType = find(database.formTypes, 'form type', call.params.idguid)
  const list = database.formTypesOf(workflow).includes(formType) ? workflow.privileges[formType.name] : undefined
  if (list !== undefined) return list
  const description = `form type "${formType.name}" in the workflow "${workflow.name}"`
  // Reads find nothing there; writes are refused as a conflict between the two.
  throw purpose === 'read' ? notFound(description) : conflict(`There is no ${description}.`)
}

/** Its own, and beside them those on the process, told in the words of the process: no document says in which. */
const ofElement = s.record({
  permissionsScope: s.oneOf('Process', 'Element'),
  user: s.record({ svcId: s.text, name: s.textOrNull }),
  level: s.oneOf(...new Set([...elementLevels, ...processLevels])),
})
const elementBody = s.record({ user: s.record({ svcId: s.filledText }), level: s.oneOf(...elementLevels) })
const elementPath = '/db/:dbId/elements/:id/admin/privileges'

function elementOf(call: Call) {
  const { id = '' } = call.params
  const element = /^\d+$/.test(id) ? databaseOf(call).elements.get(Number(id)) : undefined
  if (element === undefined) throw notFound(`element "${id}"`)
  return element
}

const elementList = s.named('ElementPrivileges', s.record({ elementPrivileges: s.listOf(ofElement) }))
const elementRoutes: readonly Route[] = [
  get(elementPath, elementAdminScopes, { answer: elementList }, (call) => {
    const { process, privileges } = elementOf(call)
    const view = (permissionsScope: string, list: PrivilegeList) =>
      list.list().map(({ subject: { svcId, name }, level }) => ({ permissionsScope, user: { svcId, name }, level }))
    return { elementPrivileges: [...view('Process', process.privileges), ...view('Element', privileges)] }
  }),
  write('POST', elementPath, elementAdminScopes, { body: elementBody }, (call, { user: { svcId }, level }) => {
    const { privileges } = elementOf(call)
    const subject = call.state.directory.usable(svcId)
    if (subject === undefined) throw conflict(`Nobody has the svcId "${svcId}".`)
    privileges.add({ subject, level, company: undefined }, call.state.behaviour.privilegeLevels)
    return done
  }),
  act('DELETE', elementPath, elementAdminScopes, { query: { svcId: 'required' } }, (call) => {
    const { privileges } = elementOf(call)
    const subject = call.state.directory.find(call.query.svcId ?? '')
    const own = privileges.list().some((each) => each.subject === subject)
    if (subject === undefined || !own) throw conflict('Only a privilege of the element itself can be taken.')
    privileges.drop(subject)
    return done
  }),
]

export const privilegeRoutes: readonly Route[] = [
  ...routesAt('/db/:dbId/applications/:idguid', applicationBody, applicationList, ofApplication, { only: '6.0' }),
  // 5.0 has these three below the singular.
  ...routesAt('/db/:dbId/application/:idguid', applicationBody, applicationList, ofApplication, { only: '5.0' }),
  ...routesAt('/db/:dbId/processes/:idguid', processBody, processList, ofProcess),
  ...routesAt('/db/:dbId/workflows/:wfIdguid/associatedFormTypes/:idguid', processBody, processList, ofFormType),
  ...elementRoutes,
]
