// Applications, dashboards and reports; processes, workflows, steps, form types and the layout of forms: read only.
import type { Json, JsonObject } from '../../core/model/json.ts'
import type { Call, Route } from '../http/route.ts'
import { metadataReadScopes } from '../http/scopes.ts'
import {
  flag,
  integer,
  listOf,
  named,
  nullable,
  optional,
  optionalText,
  record,
  type Shape,
  since6,
  text,
} from '../shape/shape.ts'
import type { Application, FormField, Named, Process, Workflow } from '../state/database.ts'
import { ids, listItem } from './answers.ts'
import { databaseOf, find } from './lookup.ts'

const described = { ...listItem, description: optionalText }
const anyNamed = named('Named', record(described))
const applicationTold = named(
  'Application',
  record({ ...described, groupId: optional(nullable(integer)), groupName: optionalText }),
)
const processListed = record({ ...described, isRelation: optional(since6(flag)) })
const stepTold = named('Step', record({ ...described, type: text }))
const fieldTold = record({ ...ids, name: text, type: text })
const layoutTold = record({
  fields: listOf(fieldTold),
  itemLists: listOf(record({ ...ids, name: text, columns: listOf(fieldTold) })),
  paths: listOf(anyNamed),
})

type Show<T> = (call: Call) => T

function reading(path: string, answer: Shape<unknown>, handle: Show<Json>): Route {
  return { method: 'GET', path: `/db/:dbId${path}`, scopes: metadataReadScopes, answer, handle }
}

/** A list under its key, of what hardly tells more than which object it is. */
function listing(path: string, key: string, item: Shape<unknown>, show: Show<readonly JsonObject[]>): Route {
  return reading(path, record({ [key]: listOf(item) }), (call) => ({
    [key]: show(call).map((view) => listed(call, view)),
  }))
}

function listed(call: Call, view: JsonObject): JsonObject {
  const { description: _, groupId: __, groupName: ___, ...short } = view
  return call.state.behaviour.metadataListItems === 'short' ? short : view
}

/** How objects are shown that are found below this segment of a path. */
function viewer(call: Call, segment: string): (item: Named) => JsonObject {
  const { id: dbId } = databaseOf(call)
  return ({ id, guid, name, description }) => {
    return { id, guid, name, description, links: call.link(`/db/${dbId}/${segment}/${id}`) }
  }
}

/** One object, and a list of those that another one has. */
const one = (segment: string, found: Show<Named>): Route =>
  reading(`/${segment}/:idguid`, anyNamed, (call) => viewer(call, segment)(found(call)))
const several = (path: string, key: string, segment: string, found: Show<Iterable<Named>>): Route =>
  listing(path, key, anyNamed, (call) => Array.from(found(call), viewer(call, segment)))

/** The reference lists no scope for these reads: any valid token will do. */
const toAnybody = (route: Route): Route => ({ ...route, scopes: [] })
/** Lists that came with 6.0. */
const only6 = (route: Route): Route => ({ ...route, only: '6.0' })

function applicationView(call: Call, item: Application): JsonObject {
  const { groupId, groupName } = item
  return { ...viewer(call, 'applications')(item), groupId, groupName }
}

function stepView(call: Call, item: Workflow['steps'][number]): JsonObject {
  return { ...viewer(call, 'steps')(item), type: item.type }
}

function formLayout(call: Call): Json {
  const database = databaseOf(call)
  const at = find(database.steps, 'step', call.query.step)
  const { fields, itemLists } = find(database.formTypes, 'form type', call.query.formType)
  const field = ({ id, guid, name, type }: FormField) => ({ id, guid, name, type })
  return {
    fields: fields.map(field),
    itemLists: itemLists.map(({ id, guid, name, columns }) => ({ id, guid, name, columns: columns.map(field) })),
    paths: at.paths.map(viewer(call, 'paths')).map((view) => listed(call, view)),
  }
}

const application = (call: Call) => find(databaseOf(call).applications, 'application', call.params.idguid)
const report = (call: Call) => find(databaseOf(call).reports, 'report', call.params.idguid)
const process = (call: Call) => find(databaseOf(call).processes, 'process', call.params.idguid)
const workflow = (call: Call) => find(databaseOf(call).workflows, 'workflow', call.params.idguid)
const step = (call: Call) => find(databaseOf(call).steps, 'step', call.params.idguid)
const path = (call: Call) => find(databaseOf(call).paths, 'path', call.params.idguid)
const formType = (call: Call) => find(databaseOf(call).formTypes, 'form type', call.params.idguid)

export const metadataRoutes: readonly Route[] = [
  listing('/applications', 'applications', applicationTold, (call) =>
    databaseOf(call)
      .applications.list()
      .map((each) => applicationView(call, each)),
  ),
  reading('/applications/:idguid', applicationTold, (call) => applicationView(call, application(call))),
  several('/applications/:idguid/dashboards', 'dashboards', 'dashboards', (call) => application(call).dashboards),
  listing('/applications/:idguid/processes', 'processes', processListed, (call) => {
    const { processes, related } = application(call)
    const shown = (list: readonly Process[], isRelation: boolean) =>
      list.map((each) => ({ ...viewer(call, 'processes')(each), ...(call.api !== '5.0' && { isRelation }) }))
    return [...shown(processes, false), ...shown(related, true)]
  }),
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
  only6(
    listing('/workflows/:idguid/steps', 'steps', stepTold, (call) =>
      workflow(call).steps.map((each) => stepView(call, each)),
    ),
  ),
  several('/workflows/:idguid/associatedFormTypes', 'associatedFormTypes', 'formtypes', (call) =>
    workflow(call).formTypes.keys(),
  ),
  reading('/steps/:idguid', stepTold, (call) => stepView(call, step(call))),
  several('/steps/:idguid/paths', 'paths', 'paths', (call) => step(call).paths),
  one('paths', path),
  toAnybody(one('formtypes', formType)),
  { ...reading('/formlayout', layoutTold, formLayout), query: { step: 'required', formType: 'required' } },
]
