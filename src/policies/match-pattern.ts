// `matches` of CEL, with the engine that CEL means: RE2, whose time grows with the text and never explodes.
import { RE2JS, RE2JSException } from '@bufbuild/re2'

/** Patterns are mostly literals: each is compiled once. Those that expressions put together must not pile up. */
const maxKept = 500
const compiled = new Map<string, RE2JS>()

/** True where any part of the text matches. Throws, as RE2JS does, for a pattern that RE2 does not know. */
export function matchPattern(text: string, pattern: string): boolean {
  return patternOf(pattern).test(text)
}

/** What is wrong with a pattern. Undefined: nothing. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    patternOf(pattern)
    return undefined
  } catch (error) {
    return patternFault(error) ?? String(error)
  }
}

/** What an error says of a pattern. Undefined: it is about something else. */
export function patternFault(error: unknown): string | undefined {
  return error instanceof RE2JSException ? error.message.replace(/^error parsing regexp: /, '') : undefined
}

function patternOf(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= maxKept) compiled.clear()
  const made = RE2JS.compile(pattern)
  compiled.set(pattern, made)
  return made
}
