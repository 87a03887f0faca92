// URLs: reading one without an exception, and identifiers in paths.
import { failureCodes, OperatorError } from '@svcsync/errors/index.ts'

/** Not `URL.canParse`: on Node 20 and 22, once compiled, it takes letters such as ü for invalid. */
export function parseUrl(text: string, base?: string): URL | undefined {
  // An exception costs more than all the rest: what has no scheme is none.
  if (base === undefined && !/^\s*[a-z][a-z\d+.-]*:/i.test(text)) return undefined
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

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
