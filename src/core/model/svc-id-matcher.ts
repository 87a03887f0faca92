// Patterns over svcIds, as the project file uses them.
import type { NormaliseSvcId } from './address.ts'
import { wildcardMatcher } from './wildcard.ts'

/** Turns a pattern into a test of whole svcIds: `*` is any text, `?` one character. Compared as svcIds are. */
export function svcIdMatcher(pattern: string, normalise: NormaliseSvcId): (svcId: string) => boolean {
  const matches = wildcardMatcher(normalise(pattern), false)
  return (svcId) => matches(normalise(svcId))
}
