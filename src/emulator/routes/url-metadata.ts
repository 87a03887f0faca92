// /urlMetadata: what an address of the web portal leads to. The form of those addresses is our choice.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import { badQuery, notFound } from '../http/refusal.ts'
import { type Call, get, type Route } from '../http/route.ts'
import { urlScopes } from '../http/scopes.ts'
import * as s from '../shape/shape.ts'
import type { Catalog, CatalogItem } from '../state/catalog.ts'
import { find, ids } from './lookup.ts'

const part = s.record({ ...ids, name: s.text })
const modes = ['Home', 'Application', 'Report', 'View', 'Element', 'Dashboard', 'Start'] as const
const answer = s.record({
  ...{ url: s.text, mode: s.oneOf(...modes), dbId: s.nullable(s.integer) },
  ...s.each(['application', 'dashboard', 'report', 'view'], s.nullable(part)),
  ...{ element: s.nullable(s.record({ id: s.integer })), startelement: s.nullable(part) },
})

function refer<T extends CatalogItem>(catalog: Catalog<T> | undefined, what: string, given: string | undefined): Json {
  if (given === undefined) return null
  if (catalog === undefined) throw notFound(`${what} "${given}"`)
  return part.tell(find(catalog, what, given))
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
  const isKnown = steps.length % 2 === 0 && Object.keys(named).every((key) => segments.has(key))
  if (!isKnown) throw notFound('such page')
  return named
}

const segments = new Set(['db', 'app', 'report', 'view', 'dashboard', 'element', 'start'])

function describe({ state, query: { url = '' } }: Call): JsonObject {
  const { db, app, report, view, dashboard, element, start } = segmentsOf(url)
  const database = db === undefined ? undefined : state.databases.get(Number(db))
  if (db !== undefined && database === undefined) throw notFound(`database ${db}`)
  // The most particular of what the address names.
  const named = { Element: element, Start: start, View: view, Report: report, Dashboard: dashboard, Application: app }
  return {
    url,
    mode: Object.entries(named).find(([, given]) => given !== undefined)?.[0] ?? 'Home',
    dbId: database?.id ?? null,
    application: refer(database?.applications, 'application', app),
    dashboard: refer(database?.dashboards, 'dashboard', dashboard),
    report: refer(database?.reports, 'report', report),
    view: refer(database?.views, 'view', view),
    element: element === undefined ? null : { id: Number(element) },
    startelement: refer(database?.workflows, 'workflow', start),
  }
}

export const urlMetadataRoutes: readonly Route[] = [
  get('/urlMetadata', urlScopes, { query: { url: 'required', lang: 'optional' }, answer }, describe),
]
