// POST /api/oauth2/token: client credentials for an access token.
import { type Answer, jsonAnswer } from './answer.ts'
import type { Platform } from './exchange.ts'
import { Refusal } from './refusal.ts'

export const tokenPath = '/api/oauth2/token'
const knownFields = ['grant_type', 'client_id', 'client_secret', 'scope']

interface TokenRequest {
  readonly accept: string | undefined
  readonly contentType: string | undefined
  readonly bodyText: string
}

export function answerTokenRequest(platform: Platform, request: TokenRequest): Answer {
  const isStrict = platform.state.behaviour.tokenAccept === 'textPlain'
  const accepted = isStrict ? /(?:^|[\s,])text\/plain\b/i : /(?:^|[\s,])(?:text\/plain|application\/json|\*\/\*)/i
  if (!accepted.test(request.accept ?? (isStrict ? '' : '*/*'))) {
    throw new Refusal(400, 'UnsupportedHeader', 'The header Accept must be text/plain.')
  }
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.contentType ?? '')) {
    throw new Refusal(400, 'UnsupportedContentType', 'The body must be application/x-www-form-urlencoded.')
  }
  const form = readForm(request.bodyText)
  if (form.get('grant_type') !== 'client_credentials') {
    throw new Refusal(400, 'InvalidBodyParameterValue', 'The grant_type must be client_credentials.')
  }
  const application = platform.state.apiApplications.get(form.get('client_id') ?? '')
  if (application === undefined || application.clientSecret !== form.get('client_secret')) {
    throw new Refusal(401, 'AuthenticationFailed', 'The client id or secret is wrong.')
  }
  const { tokenLifetimeMs, tokenExpiry, tokenContentType } = platform.state.behaviour
  const wanted = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  const [token] = platform.tokens.issue(application, wanted, tokenLifetimeMs)
  const expiry = tokenExpiry === 'reported' ? { expires_in: Math.floor(tokenLifetimeMs / 1000) } : {}
  const answer = jsonAnswer(200, { access_token: token, token_type: 'Bearer', ...expiry })
  return { ...answer, contentType: tokenContentType, headers: { 'cache-control': 'no-store' } }
}

function readForm(text: string): Map<string, string> {
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (!knownFields.includes(name)) throw new Refusal(400, 'InvalidInput', `The field "${name}" is not known.`)
    if (form.has(name)) throw new Refusal(400, 'InvalidInput', `The field "${name}" is there twice.`)
    form.set(name, value)
  }
  const missing = ['grant_type', 'client_id', 'client_secret'].find((name) => !form.has(name))
  if (missing !== undefined)
    throw new Refusal(400, 'MissingRequiredBodyParameter', `The field "${missing}" is missing.`)
  return form
}
