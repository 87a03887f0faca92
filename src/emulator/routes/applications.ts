// Applications, their dashboards, processes and reports, and the reports' views.
import type { Json } from '../../core/model/json.ts'
import type { Call, Route } from '../http/route.ts'
import { metadataReadScopes } from '../http/scopes.ts'
import type { Database, Process } from '../state/database.ts'
import { databaseOf, find } from './lookup.ts'
import { applicationView, listedView, namedView } from './metadata-views.ts'

function reading(path: string, show: (call: Call, database: Database) => Json): Route {
  return {
    method: 'GET',
    path: `/db/:dbId${path}`,
    scopes: metadataReadScopes,
    handle: (call) => show(call, databaseOf(call)),
  }
}

const application = (call: Call, database: Database) => find(database.applications, 'application', call.params.idguid)
const report = (call: Call, database: Database) => find(database.reports, 'report', call.params.idguid)

export const applicationRoutes: readonly Route[] = [
  reading('/applications', (call, database) => ({
    applications: database.applications.list().map((each) => listedView(call, applicationView(call, database, each))),
  })),
  reading('/applications/:idguid', (call, database) => applicationView(call, database, application(call, database))),
  reading('/applications/:idguid/dashboards', (call, database) => ({
    dashboards: application(call, database).dashboards.map((each) =>
      listedView(call, namedView(call, database, 'dashboards', each)),
    ),
  })),
  reading('/applications/:idguid/processes', (call, database) => {
    const { processes, related } = application(call, database)
    const shown = (list: readonly Process[], isRelation: boolean) =>
      list.map((each) => ({
        ...listedView(call, namedView(call, database, 'processes', each)),
        ...(call.api !== '5.0' && { isRelation }),
      }))
    return { processes: [...shown(processes, false), ...shown(related, true)] }
  }),
  reading('/applications/:idguid/reports', (call, database) => ({
    reports: application(call, database).reports.map((each) =>
      listedView(call, namedView(call, database, 'reports', each)),
    ),
  })),
  {
    // The reference lists no scope for this read: any valid token will do.
    ...reading('/reports/:idguid', (call, database) => namedView(call, database, 'reports', report(call, database))),
    scopes: [],
  },
  reading('/reports/:idguid/views', (call, database) => {
    const { id, views } = report(call, database)
    return { views: views.map((each) => listedView(call, namedView(call, database, `reports/${id}/views`, each))) }
  }),
]
