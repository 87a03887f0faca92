// Turns answers of 400 and more into PlatformErrors: what the platform said, and what to check.
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { AccessError, failureCodes, PlatformError, saysLacking } from '@svcsync/errors/index.ts'
import { isWebPage, type RequestName } from './failure.ts'
import type { HttpReply } from './in-flight.ts'
import type { Scrub } from './scrub.ts'

interface ErrorBody {
  readonly type: string | undefined
  readonly description: string | undefined
  readonly errorGuid: string | undefined
  /** It is the platform's own error object: with a word for the type, and a description. */
  readonly isOwn: boolean
}

/** The reference's error object, OAuth's, a problem document, or bare text as 5.0 sends it. */
export function readErrorBody(reply: HttpReply, scrub: Scrub): ErrorBody {
  const read = parseJson(reply.text)
  const body = read !== undefined || isWebPage(reply) ? read : reply.text
  const fields = isJsonObject(body) ? body : {}
  const first = (clean: (text: string) => string, ...values: readonly unknown[]): string | undefined => {
    const text = values.find((value): value is string => typeof value === 'string' && value !== '')
    return text === undefined ? undefined : clean(text)
  }
  const { description, error_description, detail, title, message } = fields
  return {
    type: first(scrub.word, fields.type, fields.error),
    description: first(scrub, body, description, error_description, detail, title, message),
    errorGuid: first(scrub.word, fields.errorGuid),
    isOwn: typeof fields.type === 'string' && /^\w+$/.test(fields.type) && typeof description === 'string',
  }
}

/** `scopes`: those of the refused token. `namedIn`: finds names of `wireNames` in a text. */
export function statusError(
  reply: HttpReply,
  asked: RequestName,
  scopes: readonly string[],
  scrub: Scrub,
  namedIn: (text: string) => readonly string[] = () => [],
): PlatformError {
  const { method, path } = asked
  const { status } = reply
  const body = readErrorBody(reply, scrub)
  const asksToWait = reply.retryAfter !== null
  const failure = { kind: 'status', method, path, status, asksToWait, ...body } as const
  const kind = body.type === undefined ? '' : ` (${body.type})`
  const said = body.description === undefined ? '' : `: ${body.description}`
  const message = `The platform answered ${status}${kind} to ${method} ${path}${said}`
  const carried = scopes.length === 0 ? 'all scopes of the application' : scopes.join(', ')
  if (status === 401) {
    return new AccessError(failureCodes.tokenRefused, message, failure, {
      hint:
        'The platform refuses even a new token. Check that baseUrl and authUrl belong together, ' +
        `and the application's context; the token was asked to carry ${carried}.`,
    })
  }
  if (status === 403) {
    return new AccessError(failureCodes.permissionMissing, message, failure, {
      hint: `The token carries ${carried}. Check the application's scopes, and its permissions on the object.`,
    })
  }
  const { name, hint } = meaningOf(status, body, reply)
  // A name that is not understood is refused: its own word for it, or that the documented one is missing.
  const suspects = name === 'rejected' && status === 400 ? namedIn(body.description ?? new URL(asked.url).search) : []
  const doubt =
    suspects.length === 0
      ? undefined
      : `The target renames ${quoted(suspects)} in \`wireNames\`: check it there. ` +
        "`svcsync doctor --openapi DOCUMENT` compares it with the installation's document."
  return new PlatformError(failureCodes[name], message, failure, { hint: doubt ?? hint })
}

function meaningOf(
  status: number,
  { type, isOwn }: ErrorBody,
  reply: HttpReply,
): { name: keyof typeof failureCodes; hint?: string } {
  if (status === 423 || (status === 409 && type === 'ResourceIsLocked'))
    return { name: 'locked', hint: 'Somebody else has locked the object: try again later.' }
  if (status === 404) {
    // Another server answered: the path is unknown, so the object may exist.
    if (isWebPage(reply)) return { name: 'notJson', hint: 'A web page answered: check baseUrl and apiVersion.' }
    return isOwn
      ? { name: 'notFound' }
      : {
          name: 'foreignNotFound',
          hint: "The answer is not in the platform's form; a gateway may have answered. Check baseUrl and apiVersion.",
        }
  }
  if (status === 405) {
    return {
      name: 'notAllowedHere',
      hint: saysLacking(type)
        ? 'The installation lacks this function, or the licence for it.'
        : 'Either the installation lacks this function, or the application impersonates a user, or the object exists.',
    }
  }
  // The pages say 402, the description of the interface 409.
  if (type === 'LicenseError' && (status === 402 || status === 409))
    return { name: 'conflict', hint: 'No licence of this type is left, or the account cannot have one.' }
  if (status === 409) return { name: 'conflict' }
  if (status === 429) return { name: 'tooManyRequests', hint: 'Lower the concurrency.' }
  if (status >= 500) return { name: 'serverFailed' }
  return { name: 'rejected' }
}
