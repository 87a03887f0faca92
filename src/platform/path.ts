// The address line of a request: what is safe to send, and how the query is encoded.
import { failureCodes, InternalError, OperatorError } from '@svcsync/errors/index.ts'

/** A query or fragment by accident, and dots that URL parsers resolve, encoded or not. */
const unsafePath = /[?#\\\s\p{Cc}]|\/(?:\.|%2e){1,2}(?:\/|$)/iu

/** `?a=1&b=x%20y`, or the empty string. Spaces become `%20`: not every server reads `+` as a space. */
export function encodeQuery(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let encoded = ''
  for (const name in query) {
    const value = query[name]
    if (value === undefined) continue
    const text = String(value)
    if (!isWellFormed(text)) {
      throw new OperatorError(failureCodes.segmentUnusable, `The value of ${name} is not valid Unicode`, {
        hint: 'It holds half of a character, maybe by an escape like \\uD800. Use another identifier.',
      })
    }
    encoded += `${encoded === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(text)}`
  }
  return encoded
}

/** Throws an InternalError when a path could reach something else than it says. */
export function assertSafePath(path: string): void {
  if (!path.startsWith('/') || unsafePath.test(path)) {
    throw new InternalError(`The path ${JSON.stringify(path)} is not safe to send`)
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
