// Puts identifiers into addresses: svcIds hold `@`, `\`, `/`, `#`, spaces and letters outside ASCII.
import { InternalError, OperatorError } from '../errors/index.ts'
import { failureCodes } from './failure-codes.ts'

/** What a request line must not hold: a query or fragment by accident, and dots that URL parsers resolve, encoded or not. */
const unsafePath = /[?#\\\s\p{Cc}]|\/(?:\.|%2e){1,2}(?:\/|$)/iu

/**
 * One path segment, percent-encoded. Throws an OperatorError for what no encoding can carry: the empty string would
 * address the collection instead of the object, and `.` and `..` are resolved by every URL parser, even when encoded.
 */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..' || !isWellFormed(text)) {
    throw new OperatorError(failureCodes.segmentUnusable, `${JSON.stringify(text)} cannot be part of a path`, {
      hint: 'Use an identifier that is not empty, not only dots, and valid Unicode.',
    })
  }
  return encodeURIComponent(text)
}

/** `?a=1&b=x%20y`, or the empty string. Spaces become `%20`: not every server reads `+` as a space. */
export function encodeQuery(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let encoded = ''
  for (const name in query) {
    const value = query[name]
    if (value === undefined) continue
    const text = String(value)
    if (!isWellFormed(text)) {
      throw new OperatorError(failureCodes.segmentUnusable, `The value of ${name} is not valid Unicode`)
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
