// A request to one endpoint: token, scopes, query, body, and then what the endpoint does.
import type { Context } from 'hono'
import { type Answer, jsonAnswer } from './answer.ts'
import { parseBody, uploadedFile } from './body.ts'
import type { Env, Platform } from './exchange.ts'
import { asReleased } from './later-release.ts'
import { badQuery, Refusal } from './refusal.ts'
import { type ApiVersion, type Call, done, type Route } from './route.ts'
import type { Grant } from './tokens.ts'

export function prefixOf(api: ApiVersion): string {
  return api === 'beta' ? '/api/data/beta' : `/api/data/v${api}`
}

export function runRoute(platform: Platform, route: Route, api: ApiVersion, c: Context<Env>): Answer {
  const { state } = platform
  const { entry, bodyText, bytes } = c.get('exchange')
  const { headers } = c.env.incoming
  const grant = platform.tokens.check(headers.authorization, state)
  entry.scopes = [...grant.scopes]
  checkAccess(route, grant, platform)
  const query = readQuery(route, entry.query)
  const isOpen = route.open === true && state.behaviour.undocumentedFields !== 'refused'
  const takes = { newFields: isOpen, newWords: state.behaviour.newWords === 'accepted' }
  const given = route.body && parseBody(bodyText, headers['content-type'], route.body, takes)
  const { body, more } = given ?? {}
  const call: Call = {
    ...{ state, api, grant, query, more },
    params: c.req.param(),
    link: (path) => [{ href: `${prefixOf(api)}${path}`, method: 'GET', rel: 'self' }],
  }
  const result = route.handle(call, route.upload ? uploadedFile(bytes, headers['content-type']) : body)
  const { method } = route
  const answer = result === done ? undefined : result
  platform.onExchange?.({ api, method, path: documentedPath(route.path), body, answer })
  if (result !== done) return jsonAnswer(route.status ?? 200, asReleased(result, state.behaviour))
  if (api === '5.0') return { status: 200, contentType: 'text/plain; charset=utf-8', body: 'OK' }
  return { status: 200, contentType: undefined, body: '' }
}

/** With variable parts as OpenAPI has them. */
export function documentedPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function checkAccess(route: Route, { application, scopes }: Grant, { state }: Platform): void {
  const needed = typeof route.scopes === 'function' ? route.scopes(state.behaviour) : route.scopes
  if (needed.length > 0 && !needed.some((scope) => scopes.has(scope))) {
    const description = `One of these scopes is needed: ${needed.join(', ')}.`
    throw new Refusal(403, 'InsufficientAccountPermissions', description)
  }
  if (!/\/admin\//.test(`${route.path}/`)) return
  if (application.context === 'User') {
    throw new Refusal(403, 'InsufficientAccountPermissions', 'Only an application of App context may do this.')
  }
  if (application.impersonates !== undefined) {
    throw new Refusal(405, 'UnsupportedOperation', 'The application impersonates a user.')
  }
}

function readQuery(route: Route, text: string): Record<string, string> {
  const known = route.query ?? {}
  const query: Record<string, string> = {}
  if (text !== '') {
    for (const [name, value] of new URLSearchParams(text)) {
      if (!Object.hasOwn(known, name)) throw badQuery(`The query parameter "${name}" is not known here.`)
      if (Object.hasOwn(query, name)) throw badQuery(`The query parameter "${name}" is there twice.`)
      query[name] = value
    }
  }
  for (const [name, need] of Object.entries(known)) {
    if (need === 'required' && (query[name] ?? '') === '') {
      throw new Refusal(400, 'MissingRequiredQueryParameter', `The query parameter "${name}" is missing.`)
    }
  }
  return query
}
