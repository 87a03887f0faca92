// Applications, dashboards and reports; processes, workflows, steps, form types and the layout of forms: read only.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import { type Call, get, type Route } from '../http/route.ts'
import { metadataReadScopes as scopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Catalog } from '../state/catalog.ts'
import type { Database, Item } from '../state/database.ts'
import { databaseOf, find, ids, listItem } from './lookup.ts'

const described = { ...listItem, description: s.optionalText }
const anyNamed = s.named('Named', s.record(described))
const groupOf = { groupId: s.optional(s.nullable(s.integer)), groupName: s.optionalText }
const applicationShape = s.named('Application', s.record({ ...described, ...groupOf }))
const processListed = s.record({ ...described, isRelation: s.optional(s.since6(s.flag)) })
const stepShape = s.named('Step', s.record({ ...described, type: s.text }))
const field = s.record({ ...ids, name: s.text, type: s.text })
const itemList = s.record({ ...ids, name: s.text, columns: s.listOf(field) })
const form = { fields: s.listOf(field), itemLists: s.listOf(itemList) }
const layoutShape = s.record({ ...form, paths: s.listOf(anyNamed) })

type Lookup<T> = (call: Call) => T

/** As its shape tells it, with a link: it is found below this segment of a path. */
function itemView(call: Call, item: Item, segment: string, shape: s.Shape<unknown>): JsonObject {
  const links = call.link(`/db/${databaseOf(call).id}/${segment}/${item.id}`)
  return shape.tell({ ...item, links }) as JsonObject
}

/** In a list: it may hardly tell more than which object it is. */
function listItemView(call: Call, ...of: [Item, string, s.Shape<unknown>]): JsonObject {
  const view = itemView(call, ...of)
  const { description: _, groupId: __, groupName: ___, ...short } = view
  return call.state.behaviour.metadataListItems === 'short' ? short : view
}

/** One object, and a list of those that another one has. */
function itemRoute(segment: string, found: Lookup<Item>, answer: s.Shape<unknown> = anyNamed): Route {
  return get(`/db/:dbId/${segment}/:idguid`, scopes, { answer }, (call) => itemView(call, found(call), segment, answer))
}
function listRoute(
  path: string,
  key: string,
  segment: string | Lookup<string>,
  found: Lookup<readonly Item[]>,
  shape: s.Shape<unknown> = anyNamed,
): Route {
  return get(`/db/:dbId${path}`, scopes, { answer: s.record({ [key]: s.listOf(shape) }) }, (call) => {
    const at = typeof segment === 'string' ? segment : segment(call)
    return { [key]: found(call).map((item) => listItemView(call, item, at, shape)) }
  })
}

/** The reference lists no scope for these reads: any valid token will do. */
const withoutScopes = (route: Route): Route => ({ ...route, scopes: [] })
/** Lists that came with 6.0. */
const since6Only = (route: Route): Route => ({ ...route, only: '6.0' })

/** The object that the address names. */
function lookupIn<T extends Item>(what: string, of: (database: Database) => Catalog<T>): Lookup<T> {
  return (call) => find(of(databaseOf(call)), what, call.params.idguid)
}
const application = lookupIn('application', (database) => database.applications)
const report = lookupIn('report', (database) => database.reports)
const process = lookupIn('process', (database) => database.processes)
const workflow = lookupIn('workflow', (database) => database.workflows)
const step = lookupIn('step', (database) => database.steps)

function processesOf(call: Call): Item[] {
  const { processes, relatedProcesses } = application(call)
  const related = relatedProcesses.map((guid) => find(databaseOf(call).processes, 'process', guid))
  const withRelation = (items: readonly Item[], isRelation: boolean) => items.map((each) => ({ ...each, isRelation }))
  return call.api === '5.0'
    ? [...processes, ...related]
    : [...withRelation(processes, false), ...withRelation(related, true)]
}

function formLayout(call: Call): Json {
  const { paths } = find(databaseOf(call).steps, 'step', call.query.step)
  const formType = find(databaseOf(call).formTypes, 'form type', call.query.formType)
  const { fields, itemLists } = s.record(form).tell(formType) as JsonObject
  return {
    fields: fields ?? [],
    itemLists: itemLists ?? [],
    paths: paths.map((path) => listItemView(call, path, 'paths', anyNamed)),
  }
}
const layoutQuery = { step: 'required', formType: 'required' } as const

export const metadataRoutes: readonly Route[] = [
  listRoute(
    '/applications',
    'applications',
    'applications',
    (call) => databaseOf(call).applications.list(),
    applicationShape,
  ),
  itemRoute('applications', application, applicationShape),
  listRoute('/applications/:idguid/dashboards', 'dashboards', 'dashboards', (call) => application(call).dashboards),
  listRoute('/applications/:idguid/processes', 'processes', 'processes', processesOf, processListed),
  listRoute('/applications/:idguid/reports', 'reports', 'reports', (call) => application(call).reports),
  withoutScopes(itemRoute('reports', report)),
  listRoute(
    '/reports/:idguid/views',
    'views',
    (call) => `reports/${report(call).id}/views`,
    (call) => report(call).views,
  ),
  itemRoute('processes', process),
  since6Only(listRoute('/processes/:idguid/formtypes', 'formTypes', 'formtypes', (call) => process(call).formTypes)),
  listRoute('/processes/:idguid/workflows', 'workflows', 'workflows', (call) => process(call).workflows),
  itemRoute('workflows', workflow),
  since6Only(listRoute('/workflows/:idguid/steps', 'steps', 'steps', (call) => workflow(call).steps, stepShape)),
  listRoute('/workflows/:idguid/associatedFormTypes', 'associatedFormTypes', 'formtypes', (call) =>
    databaseOf(call).formTypesOf(workflow(call)),
  ),
  itemRoute('steps', step, stepShape),
  listRoute('/steps/:idguid/paths', 'paths', 'paths', (call) => step(call).paths),
  itemRoute(
    'paths',
    lookupIn('path', (database) => database.paths),
  ),
  withoutScopes(
    itemRoute(
      'formtypes',
      lookupIn('form type', (database) => database.formTypes),
    ),
  ),
  get('/db/:dbId/formlayout', scopes, { query: layoutQuery, answer: layoutShape }, formLayout),
]
