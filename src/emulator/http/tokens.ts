// Access tokens: client credentials for one at /api/oauth2/token, good until it expires or is withdrawn.
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { ApiApplication } from '../tenant/tenant-shape.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { Refusal } from './refusal.ts'
import { appContextScopes, openIdScopes, userContextScopes } from './scopes.ts'

export const tokenPath = '/api/oauth2/token'

/** The rights of a token. */
interface Grant {
  readonly application: ApiApplication
  readonly scopes: ReadonlySet<string>
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Old tokens are forgotten beyond this number, so that a long run does not grow. */
const keptTokens = 10_000

export class Tokens {
  readonly #grants = new Map<string, Grant>()
  readonly #clock: Clock
  readonly #random: () => string

  constructor(clock: Clock, random: () => string) {
    this.#clock = clock
    this.#random = random
  }

  /** The token and its grant. Without requested scopes: all of the application. */
  issue(application: ApiApplication, wanted: readonly string[], lifetimeMs: number): string {
    const { scopes: all = 'all', context = 'App' } = application
    const configured = all === 'all' ? (context === 'App' ? appContextScopes : userContextScopes) : all
    const foreign = wanted.find((scope) => !configured.includes(scope))
    if (foreign !== undefined)
      throw new Refusal('InvalidScope', `The application may not ask for the scope "${foreign}".`)
    const openId = wanted.filter((scope) => openIdScopes.includes(scope)).length
    if (openId > 0 && openId < wanted.length) throw new Refusal('InvalidScope', 'OpenID scopes stand alone.')
    const scopes = new Set(wanted.length === 0 ? configured : wanted)
    const issuedAt = this.#clock.now()
    const token = `svc-${this.#random()}`
    this.#grants.set(token, { application, scopes, issuedAt, expiresAt: issuedAt + lifetimeMs })
    const [oldest] = this.#grants.keys()
    if (this.#grants.size > keptTokens && oldest !== undefined) this.#grants.delete(oldest)
    return token
  }

  /** Throws 401 for a header that holds no valid token. */
  check(authorization: string | undefined, state: PlatformState): Grant {
    if (authorization === undefined) throw unauthenticated('A bearer token is needed.')
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
    const grant = token === undefined ? undefined : this.#grants.get(token)
    if (grant === undefined) throw unauthenticated('The token is not known.')
    const { tokenRejectedAfterMs } = state.behaviour
    const early = tokenRejectedAfterMs === null ? Number.POSITIVE_INFINITY : grant.issuedAt + tokenRejectedAfterMs
    if (this.#clock.now() >= Math.min(early, grant.expiresAt)) throw unauthenticated('The token has expired.')
    return grant
  }

  expireAll(): void {
    this.#grants.clear()
  }
}

function unauthenticated(description: string): Refusal {
  return new Refusal('InvalidAuthenticationToken', description)
}

type TokenRequest = Pick<IncomingMessage, 'headers'> & { readonly bodyText: string }

export function answerTokenRequest(tokens: Tokens, state: PlatformState, { headers, bodyText }: TokenRequest): Answer {
  const { tokenAccept, tokenLifetimeMs, tokenExpiry, tokenContentType } = state.behaviour
  const isStrict = tokenAccept === 'textPlain'
  const accepted = isStrict ? /(?:^|[\s,])text\/plain\b/i : /(?:^|[\s,])(?:text\/plain|application\/json|\*\/\*)/i
  if (!accepted.test(headers.accept ?? (isStrict ? '' : '*/*')))
    throw new Refusal('UnsupportedHeader', 'The header Accept must be text/plain.')
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
    throw new Refusal('UnsupportedContentType', 'The body must be application/x-www-form-urlencoded.')
  const form = readForm(bodyText)
  if (form.get('grant_type') !== 'client_credentials')
    throw new Refusal('InvalidBodyParameterValue', 'The grant_type must be client_credentials.')
  const application = state.apiApplications.get(form.get('client_id') ?? '')
  if (application === undefined || application.clientSecret !== form.get('client_secret'))
    throw new Refusal('AuthenticationFailed', 'The client id or secret is wrong.')
  const wanted = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  const token = tokens.issue(application, wanted, tokenLifetimeMs)
  const expiry = tokenExpiry === 'reported' ? { expires_in: Math.floor(tokenLifetimeMs / 1000) } : {}
  const answer = jsonAnswer(200, { access_token: token, token_type: 'Bearer', ...expiry })
  return { ...answer, contentType: tokenContentType, headers: { 'cache-control': 'no-store' } }
}

function readForm(text: string): Map<string, string> {
  const form = new Map<string, string>()
  const needed = ['grant_type', 'client_id', 'client_secret']
  for (const [name, value] of new URLSearchParams(text)) {
    if (![...needed, 'scope'].includes(name)) throw new Refusal('InvalidInput', `The field "${name}" is not known.`)
    if (form.has(name)) throw new Refusal('InvalidInput', `The field "${name}" is there twice.`)
    form.set(name, value)
  }
  const absent = needed.find((name) => !form.has(name))
  if (absent === undefined) return form
  throw new Refusal('MissingRequiredBodyParameter', `The field "${absent}" is missing.`)
}
