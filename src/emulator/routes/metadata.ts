// Applications, dashboards and reports; processes, workflows, steps, form types and the layout of forms: read only.
import type { Json, JsonObject } from '../../core/model/json.ts'
import { type Call, get, type Route } from '../http/route.ts'
import { metadataReadScopes as scopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Catalog } from '../state/catalog.ts'
import type { Application, Database, Item, Step } from '../state/database.ts'
import { databaseOf, find, ids, listItem } from './lookup.ts'

const described = { ...listItem, description: s.optionalText }
const anyNamed = s.named('Named', s.record(described))
const groupOf = { groupId: s.optional(s.nullable(s.integer)), groupName: s.optionalText }
const applicationTold = s.named('Application', s.record({ ...described, ...groupOf }))
const processListed = s.record({ ...described, isRelation: s.optional(s.since6(s.flag)) })
const stepTold = s.named('Step', s.record({ ...described, type: s.text }))
const field = s.record({ ...ids, name: s.text, type: s.text })
const itemList = s.record({ ...ids, name: s.text, columns: s.listOf(field) })
const layoutTold = s.record({ fields: s.listOf(field), itemLists: s.listOf(itemList), paths: s.listOf(anyNamed) })

type Show<T> = (call: Call) => T
type View<T> = (item: T) => JsonObject

function reading(path: string, answer: s.Shape<unknown>, handle: Show<Json>): Route {
  return get(`/db/:dbId${path}`, scopes, { answer }, handle)
}

/** A list under its key, of what hardly tells more than which object it is. */
function listing(path: string, key: string, item: s.Shape<unknown>, show: Show<readonly JsonObject[]>): Route {
  const answer = s.record({ [key]: s.listOf(item) })
  return reading(path, answer, (call) => ({ [key]: show(call).map((view) => listed(call, view)) }))
}

function listed(call: Call, view: JsonObject): JsonObject {
  const { description: _, groupId: __, groupName: ___, ...short } = view
  return call.state.behaviour.metadataListItems === 'short' ? short : view
}

/** How objects are shown that are found below this segment of a path. */
function viewer(call: Call, segment: string): View<Item> {
  const { id: dbId } = databaseOf(call)
  return ({ id, guid, name, description }) => {
    return { id, guid, name, description, links: call.link(`/db/${dbId}/${segment}/${id}`) }
  }
}

/** One object, and a list of those that another one has. */
const one = (segment: string, found: Show<Item>): Route =>
  reading(`/${segment}/:idguid`, anyNamed, (call) => viewer(call, segment)(found(call)))
const several = (path: string, key: string, segment: string, found: Show<readonly Item[]>): Route =>
  listing(path, key, anyNamed, (call) => found(call).map(viewer(call, segment)))

/** The reference lists no scope for these reads: any valid token will do. */
const toAnybody = (route: Route): Route => ({ ...route, scopes: [] })
/** Lists that came with 6.0. */
const only6 = (route: Route): Route => ({ ...route, only: '6.0' })

const applications = (call: Call): View<Application> => {
  const view = viewer(call, 'applications')
  return (item) => ({ ...view(item), groupId: item.groupId, groupName: item.groupName })
}
const steps = (call: Call): View<Step> => {
  const view = viewer(call, 'steps')
  return (item) => ({ ...view(item), type: item.type })
}

/** The object that the address names. */
function named<T extends Item>(what: string, of: (database: Database) => Catalog<T>): Show<T> {
  return (call) => find(of(databaseOf(call)), what, call.params.idguid)
}
const application = named('application', (database) => database.applications)
const report = named('report', (database) => database.reports)
const process = named('process', (database) => database.processes)
const workflow = named('workflow', (database) => database.workflows)
const step = named('step', (database) => database.steps)

function processesOf(call: Call): JsonObject[] {
  const { processes, relatedProcesses } = application(call)
  const view = viewer(call, 'processes')
  const related = relatedProcesses.map((guid) => find(databaseOf(call).processes, 'process', guid))
  const shown = (items: readonly Item[], isRelation: boolean) =>
    items.map((each) => ({ ...view(each), ...(call.api !== '5.0' && { isRelation }) }))
  return [...shown(processes, false), ...shown(related, true)]
}

function formLayout(call: Call): Json {
  const { steps: all, formTypes } = databaseOf(call)
  const { paths } = find(all, 'step', call.query.step)
  const formType = find(formTypes, 'form type', call.query.formType)
  const shown = paths.map(viewer(call, 'paths')).map((view) => listed(call, view))
  return {
    ...(s.record({ fields: s.listOf(field), itemLists: s.listOf(itemList) }).tell(formType) as JsonObject),
    paths: shown,
  }
}

export const metadataRoutes: readonly Route[] = [
  listing('/applications', 'applications', applicationTold, (call) =>
    databaseOf(call).applications.list().map(applications(call)),
  ),
  reading('/applications/:idguid', applicationTold, (call) => applications(call)(application(call))),
  several('/applications/:idguid/dashboards', 'dashboards', 'dashboards', (call) => application(call).dashboards),
  listing('/applications/:idguid/processes', 'processes', processListed, processesOf),
  several('/applications/:idguid/reports', 'reports', 'reports', (call) => application(call).reports),
  toAnybody(one('reports', report)),
  listing('/reports/:idguid/views', 'views', anyNamed, (call) => {
    const { id, views } = report(call)
    return views.map(viewer(call, `reports/${id}/views`))
  }),
  one('processes', process),
  only6(several('/processes/:idguid/formtypes', 'formTypes', 'formtypes', (call) => process(call).formTypes)),
  several('/processes/:idguid/workflows', 'workflows', 'workflows', (call) => process(call).workflows),
  one('workflows', workflow),
  only6(listing('/workflows/:idguid/steps', 'steps', stepTold, (call) => workflow(call).steps.map(steps(call)))),
  several('/workflows/:idguid/associatedFormTypes', 'associatedFormTypes', 'formtypes', (call) =>
    databaseOf(call).formTypesOf(workflow(call)),
  ),
  reading('/steps/:idguid', stepTold, (call) => steps(call)(step(call))),
  several('/steps/:idguid/paths', 'paths', 'paths', (call) => step(call).paths),
  one(
    'paths',
    named('path', (database) => database.paths),
  ),
  toAnybody(
    one(
      'formtypes',
      named('form type', (database) => database.formTypes),
    ),
  ),
  { ...reading('/formlayout', layoutTold, formLayout), query: { step: 'required', formType: 'required' } },
]
