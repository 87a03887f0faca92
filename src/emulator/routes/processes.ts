// Processes, workflows, steps, paths, form types and the layout of forms.
import type { Json } from '../../core/model/json.ts'
import type { Call, Route } from '../http/route.ts'
import { metadataReadScopes } from '../http/scopes.ts'
import type { Database, FormField } from '../state/database.ts'
import { databaseOf, find } from './lookup.ts'
import { listedView, namedView, stepView } from './metadata-views.ts'

type Show = (call: Call, database: Database) => Json

function reading(path: string, show: Show): Route {
  return {
    method: 'GET',
    path: `/db/:dbId${path}`,
    scopes: metadataReadScopes,
    handle: (call) => show(call, databaseOf(call)),
  }
}
/** Lists that came with 6.0. */
const since6 = (path: string, show: Show): Route => ({ ...reading(path, show), only: '6.0' })

const process = (call: Call, database: Database) => find(database.processes, 'process', call.params.idguid)
const workflow = (call: Call, database: Database) => find(database.workflows, 'workflow', call.params.idguid)
const step = (call: Call, database: Database) => find(database.steps, 'step', call.params.idguid)

function formLayout(call: Call, database: Database): Json {
  const at = find(database.steps, 'step', call.query.step)
  const formType = find(database.formTypes, 'form type', call.query.formType)
  const field = ({ id, guid, name, type }: FormField) => ({ id, guid, name, type })
  return {
    fields: formType.fields.map(field),
    itemLists: formType.itemLists.map(({ id, guid, name, columns }) => ({
      id,
      guid,
      name,
      columns: columns.map(field),
    })),
    paths: at.paths.map((each) => listedView(call, namedView(call, database, 'paths', each))),
  }
}

export const processRoutes: readonly Route[] = [
  reading('/processes/:idguid', (call, database) => namedView(call, database, 'processes', process(call, database))),
  since6('/processes/:idguid/formtypes', (call, database) => ({
    formTypes: process(call, database).formTypes.map((each) =>
      listedView(call, namedView(call, database, 'formtypes', each)),
    ),
  })),
  reading('/processes/:idguid/workflows', (call, database) => ({
    workflows: process(call, database).workflows.map((each) =>
      listedView(call, namedView(call, database, 'workflows', each)),
    ),
  })),
  reading('/workflows/:idguid', (call, database) => namedView(call, database, 'workflows', workflow(call, database))),
  since6('/workflows/:idguid/steps', (call, database) => ({
    steps: workflow(call, database).steps.map((each) => listedView(call, stepView(call, database, each))),
  })),
  reading('/workflows/:idguid/associatedFormTypes', (call, database) => ({
    associatedFormTypes: [...workflow(call, database).formTypes.keys()].map((each) =>
      listedView(call, namedView(call, database, 'formtypes', each)),
    ),
  })),
  reading('/steps/:idguid', (call, database) => stepView(call, database, step(call, database))),
  reading('/steps/:idguid/paths', (call, database) => ({
    paths: step(call, database).paths.map((each) => listedView(call, namedView(call, database, 'paths', each))),
  })),
  reading('/paths/:idguid', (call, database) => {
    return namedView(call, database, 'paths', find(database.paths, 'path', call.params.idguid))
  }),
  {
    // The reference lists no scope for this read: any valid token will do.
    ...reading('/formtypes/:idguid', (call, database) => {
      return namedView(call, database, 'formtypes', find(database.formTypes, 'form type', call.params.idguid))
    }),
    scopes: [],
  },
  { ...reading('/formlayout', formLayout), query: { step: 'required', formType: 'required' } },
]
