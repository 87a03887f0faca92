// One request from arrival to answer: log, faults, latency, its endpoint, token, scopes, query and body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { interfaceDocument } from '../interface-document.ts'
import { routes } from '../routes/index.ts'
import { type Answer, deliver, errorAnswer, jsonAnswer } from './answer.ts'
import { parseBody, readBytes, uploadedFile } from './body.ts'
import type { Fault } from './faults.ts'
import type { Platform } from './platform.ts'
import { badQuery, Refusal } from './refusal.ts'
import { type Call, documentedPath, done, prefixOf, type Route } from './route.ts'
import { answerTokenRequest, tokenPath } from './tokens.ts'

type ApiVersion = Call['api']
type Params = Call['params']

/** A request, as endpoints see it. */
interface Request {
  readonly method: string
  /** Percent-encoded, with its query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
  readonly bodyText: string
  readonly entry: { scopes: readonly string[] }
}

interface Endpoint {
  readonly method: string
  /** The segments of its path; those with a colon are variable. */
  readonly segments: readonly string[]
  readonly answer: (platform: Platform, request: Request, params: Params) => Answer
}

/** Literal segments first: `licenses/summary` is no svcId. */
const endpoints: readonly Endpoint[] = [
  endpoint('POST', tokenPath, (platform, request) => answerTokenRequest(platform.tokens, platform.state, request)),
  // As an installation publishes its own, to anybody.
  ...(['5.0', '6.0'] as const).map((api) =>
    endpoint('GET', `/openapi/${api}.json`, () => jsonAnswer(200, interfaceDocument(api))),
  ),
  ...[...routes]
    .sort((a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')))
    .flatMap((route) => {
      const versions: readonly ApiVersion[] = route.only === undefined ? ['6.0', '5.0'] : [route.only]
      return versions.map((api) =>
        endpoint(route.method, `${prefixOf(api)}${route.path}`, (platform, request, params) =>
          runRoute(platform, route, api, request, params),
        ),
      )
    }),
]

/** By the number of segments: a request is compared with those of its length alone. */
const endpointsOfLength = groupBy(endpoints, ({ segments }) => segments.length)

function endpoint(method: string, path: string, answer: Endpoint['answer']): Endpoint {
  return { method, segments: path.split('/'), answer }
}

/** A URL into its path and its query. */
function splitUrl(url: string): readonly [path: string, query: string] {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** Throws a Refusal. */
function respond(platform: Platform, request: Request): Answer {
  // Segments stay percent-encoded until each is decoded once: ids hold slashes and percent signs.
  const given = splitUrl(request.url)[0].split('/')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const there = (endpointsOfLength.get(given.length) ?? []).filter(({ segments }) => isAt(segments, given))
  const found = there.find((each) => each.method === method)
  if (found !== undefined) return found.answer(platform, request, paramsOf(found.segments, given))
  if (there.length > 0) throw new Refusal('UnsupportedOperation', 'The method is not supported here.')
  throw new Refusal('ResourceNotFound', 'There is nothing at this address.')
}

function isAt(segments: readonly string[], given: readonly string[]): boolean {
  return segments.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
}

function paramsOf(segments: readonly string[], given: readonly string[]): Params {
  const variable = [...segments.entries()].filter(([, segment]) => segment.startsWith(':'))
  return Object.fromEntries(variable.map(([at, segment]) => [segment.slice(1), decoded(given[at] ?? '')]))
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function runRoute(platform: Platform, route: Route, api: ApiVersion, request: Request, params: Params): Answer {
  const { state } = platform
  const { url, headers, bytes, bodyText, entry } = request
  const grant = platform.tokens.check(headers.authorization, state)
  entry.scopes = [...grant.scopes]
  checkAccess(route, grant, platform)
  const query = readQuery(route, splitUrl(url)[1])
  const isOpen = route.open === true && state.behaviour.undocumentedFields !== 'refused'
  const takes = { newFields: isOpen, newWords: state.behaviour.newWords === 'accepted' }
  const type = headers['content-type']
  const { body, more } = route.body === undefined ? {} : parseBody(bodyText, type, route.body, takes)
  const link: Call['link'] = (path) => [{ href: `${prefixOf(api)}${path}`, method: 'GET', rel: 'self' }]
  const call = { state, api, grant, params, query, more, link }
  const result = route.handle(call, route.upload ? uploadedFile(bytes, type) : body)
  const answer = result === done ? undefined : result
  platform.onExchange?.({ api, method: route.method, path: documentedPath(route.path), body, answer })
  if (answer !== undefined) return jsonAnswer(route.status ?? 200, inReleaseForm(answer, state.behaviour))
  if (api === '5.0') return { status: 200, contentType: 'text/plain; charset=utf-8', body: 'OK' }
  return { status: 200, contentType: undefined, body: '' }
}

function checkAccess(route: Route, { application, scopes }: Call['grant'], { state }: Platform): void {
  const needed = typeof route.scopes === 'function' ? route.scopes(state.behaviour) : route.scopes
  if (needed.length > 0 && !needed.some((scope) => scopes.has(scope))) {
    const description = `One of these scopes is needed: ${needed.join(', ')}.`
    throw new Refusal('InsufficientAccountPermissions', description)
  }
  if (!/\/admin\//.test(`${route.path}/`)) return
  if (application.context === 'User') {
    throw new Refusal('InsufficientAccountPermissions', 'Only an application of App context may do this.')
  }
  if (application.impersonates !== undefined) {
    throw new Refusal('UnsupportedOperation', 'The application impersonates a user.')
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
      throw new Refusal('MissingRequiredQueryParameter', `The query parameter "${name}" is missing.`)
    }
  }
  return query
}

type ReleaseHabits = Pick<Behaviour, 'absentFields' | 'newFields'>

/** One of each sort that a field can have. */
const unknownFields = { addedText: 'x', addedFlag: true, addedObject: { addedText: 'x' } }

/** As other releases and serialisers write it: without what is not set, and with fields that no document has. */
function inReleaseForm(answer: Json, habits: ReleaseHabits): Json {
  if (habits.absentFields === 'told' && habits.newFields === 'none') return answer
  return valueInReleaseForm(answer, habits)
}

function valueInReleaseForm(value: Json, habits: ReleaseHabits): Json {
  if (Array.isArray(value)) return value.map((item: Json) => valueInReleaseForm(item, habits))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, each]): [string, Json][] =>
    each === undefined || isOmitted(each, habits) ? [] : [[key, valueInReleaseForm(each, habits)]],
  )
  return { ...Object.fromEntries(entries), ...(habits.newFields === 'told' && unknownFields) }
}

function isOmitted(value: Json, { absentFields }: ReleaseHabits): boolean {
  if (absentFields === 'told') return false
  return value === null || (absentFields === 'defaultsOmitted' && (value === false || value === 0))
}

const empty = Buffer.alloc(0)
const lostStatuses = new Set([500, 502, 504])

export async function runExchange(
  platform: Platform,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const arrived = platform.clock.elapsed()
  const { method = 'GET', url = '/', headers } = incoming
  const isRead = method === 'GET' || method === 'HEAD'
  const [path, query] = splitUrl(url)
  const entry = platform.log.open({ time: platform.clock.now(), method, path, query })
  const bytes = isRead ? empty : await readBytes(incoming).catch(() => undefined)
  // The client left while it was sending: nothing to carry out, nobody to answer.
  if (bytes === undefined) return
  const isUpload = headers['content-type']?.startsWith('multipart/') === true
  entry.bodyText = isUpload ? `(${bytes.length} bytes)` : bytes.toString('utf8')
  const fault = platform.faults.take(method, path, query)
  const effect = fault?.effect
  entry.fault = fault?.number
  if (effect?.kind === 'expireTokens') platform.tokens.expireAll()
  const isWrite = !isRead && path.startsWith('/api/data/')
  const isElsewhere = effect?.kind === 'misroute' && effect.as !== undefined && !isWrite
  const address = isElsewhere ? `${/^\/api\/data\/[^/]+/.exec(path)?.[0] ?? ''}${effect.as}` : url
  const isDone = takesEffect(effect, platform)
  const own = answerOrError(platform, () => {
    if (isDone) return respond(platform, { method, url: address, headers, bytes, bodyText: entry.bodyText, entry })
    throw new Refusal('InternalError', 'Not carried out.', 503)
  })
  if (isWrite) {
    entry.carriedOut = isDone && own.status < 300
    if (entry.carriedOut) platform.changed()
  }
  const answer = faultAnswer(platform, effect, own)
  const dueMs = platform.latencyMs + (effect?.delayMs ?? 0)
  if (dueMs > 0) await platform.clock.until(arrived + dueMs)
  platform.log.answer(entry)
  entry.status = await deliver({ incoming, outgoing }, answer, platform.state.behaviour.compression, effect)
}

function answerOrError(platform: Platform, produce: () => Answer): Answer {
  try {
    return produce()
  } catch (error) {
    return errorAnswer(error, platform.nextErrorNumber())
  }
}

function takesEffect(effect: Fault['effect'] | undefined, platform: Platform): boolean {
  if (effect?.carriedOut !== undefined) return effect.carriedOut
  const { kind, status = 500 } = effect ?? {}
  const isLost = kind === 'reset' || kind === 'hang' || (kind === 'status' && lostStatuses.has(status))
  if (isLost) return platform.state.behaviour.lostWrites === 'carriedOut'
  return kind !== 'status'
}

function faultAnswer(platform: Platform, effect: Fault['effect'] | undefined, own: Answer): Answer {
  if (effect?.kind === 'text') {
    const { body, status = own.status, contentType = 'text/html', headers = {} } = effect
    return { status, contentType, headers, body: typeof body === 'string' ? body : '<html><body>Gateway</body></html>' }
  }
  if (effect?.kind !== 'status') return own
  const { status = 500, body, headers } = effect
  const made = answerOrError(platform, () => {
    if (body !== undefined) return jsonAnswer(status, body as Json)
    throw new Refusal('InternalError', 'A fault was ordered for this request.', status)
  })
  return { ...made, headers: { ...made.headers, ...headers } }
}
