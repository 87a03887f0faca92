// Puts identifiers into paths: names and ids hold `@`, `\\`, `/`, `#`, spaces and letters outside ASCII.
import { failureCodes, OperatorError } from '@svcsync/errors/index.ts'

/** Throws for what no encoding can carry: an empty text, `.` and `..`. */
export function segment(value: string | number | undefined): string {
  const text = String(value ?? '')
  if (text === '' || text === '.' || text === '..' || /\p{Surrogate}/u.test(text)) {
    throw new OperatorError(failureCodes.segmentUnusable, `${JSON.stringify(text)} cannot be part of a path`, {
      hint: 'Use an identifier that is not empty, not only dots, and valid Unicode.',
    })
  }
  return encodeURIComponent(text)
}
