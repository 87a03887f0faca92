// /urlMetadata: what an address of the web portal leads to. The form of those addresses is our choice.
import type { Json, JsonObject } from '../../core/model/json.ts'
import { badQuery, notFound } from '../http/refusal.ts'
import type { Call, Route } from '../http/route.ts'
import { urlScopes } from '../http/scopes.ts'
import { integer, nullable, oneOf, record, text } from '../shape/shape.ts'
import type { Catalogued } from '../state/catalog.ts'
import { ids } from './answers.ts'

const part = nullable(record({ ...ids, name: text }))
const answer = record({
  url: text,
  mode: oneOf('Home', 'Application', 'Report', 'View', 'Element', 'Dashboard', 'Start'),
  dbId: nullable(integer),
  application: part,
  dashboard: part,
  report: part,
  view: part,
  element: nullable(record({ id: integer })),
  startelement: part,
})

function identity(item: Catalogued | undefined, what: string, given: string | undefined): Json {
  if (given === undefined) return null
  if (item === undefined) throw notFound(`${what} "${given}"`)
  return { id: item.id, guid: item.guid, name: item.name }
}

function segmentsOf(url: string): Record<string, string> {
  let path: string
  try {
    path = new URL(url, 'http://portal.invalid').pathname
  } catch {
    throw badQuery('"url" is no address.')
  }
  const steps = path.split('/').filter((step) => step !== '')
  const named: Record<string, string> = {}
  for (let at = 0; at + 1 < steps.length; at += 2) named[steps[at] ?? ''] = decodeURIComponent(steps[at + 1] ?? '')
  const isKnown = steps.length % 2 === 0 && Object.keys(named).every((key) => known.has(key))
  if (!isKnown) throw notFound('such page')
  return named
}

const known = new Set(['db', 'app', 'report', 'view', 'dashboard', 'element', 'start'])

function describe({ state, query: { url = '' } }: Call): JsonObject {
  const { db, app, report, view, dashboard, element, start } = segmentsOf(url)
  const database = db === undefined ? undefined : state.databases.get(Number(db))
  if (db !== undefined && database === undefined) throw notFound(`database ${db}`)
  const modes = [
    [element, 'Element'],
    [start, 'Start'],
    [view, 'View'],
    [report, 'Report'],
    [dashboard, 'Dashboard'],
    [app, 'Application'],
  ] as const
  return {
    url,
    mode: modes.find(([given]) => given !== undefined)?.[1] ?? 'Home',
    dbId: database?.id ?? null,
    application: identity(database?.applications.find(app ?? ''), 'application', app),
    dashboard: identity(database?.dashboards.find(dashboard ?? ''), 'dashboard', dashboard),
    report: identity(database?.reports.find(report ?? ''), 'report', report),
    view: identity(database?.views.find(view ?? ''), 'view', view),
    element: element === undefined ? null : { id: Number(element) },
    startelement: identity(database?.workflows.find(start ?? ''), 'workflow', start),
  }
}

export const urlMetadataRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/urlMetadata',
    scopes: urlScopes,
    query: { url: 'required', lang: 'optional' },
    answer,
    handle: describe,
  },
]
