// What files of a repository may name at most, as the environment says it: whoever keeps the credentials sets it there, and
// no pull request changes it.
import { wildcardMatcher } from '../core/model/wildcard.ts'

/**
 * `patterns`: of SVCSYNC_ALLOW_ENV or SVCSYNC_ALLOW_HOSTS, with commas between them; `*` is any text, `?` one character.
 * Not set, they limit nothing. Set to nothing, they allow nothing: a limit that got lost on its way must not be none.
 */
export function allowedBy(
  patterns: string | undefined,
  fold: (name: string) => string = (name) => name,
): (name: string) => boolean {
  if (patterns === undefined) return () => true
  const matchers = patterns
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')
    .map((pattern) => wildcardMatcher(fold(pattern), false))
  return (name) => matchers.some((matches) => matches(fold(name)))
}
