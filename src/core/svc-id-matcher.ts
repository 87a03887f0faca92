// Patterns over svcIds, as the project file uses them.
import type { FoldSvcId } from './address.ts'

/** Turns a pattern into a test of whole svcIds: `*` is any text, `?` one character. Compared as svcIds are. */
export function svcIdMatcher(pattern: string, fold: FoldSvcId): (svcId: string) => boolean {
  const source = fold(pattern)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    // Several in a row mean no more than one, and would take long.
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.')
  const expression = new RegExp(`^${source}$`, 'su')
  return (svcId) => expression.test(fold(svcId))
}
