// The differences between the declarations of two targets, commits or folders, or between two installations, as data.
import type { AccessEntry } from '../access/describe-access.ts'
import type { DeclaredDifference } from '../compare/compare-declared.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { compareBy } from '../model/group-by.ts'

export interface Diff {
  readonly first: string
  readonly second: string
  readonly of: 'targets' | 'states' | 'installations'
  readonly differences: readonly DeclaredDifference[]
  /** The differences that overrides, variables and `only` of the two targets explain. */
  readonly explained: readonly DeclaredDifference[]
  /** Access on one side alone, through groups in groups. `isExplained`: something in `explained` causes it. */
  readonly access: readonly (AccessEntry & { readonly on: 'first' | 'second'; readonly isExplained: boolean })[]
  /** As they are written. */
  readonly variables: readonly {
    readonly name: string
    readonly first: string | null
    readonly second: string | null
  }[]
  /** For installations: objects that one side returned in part. `isNoFailure`: it returns the whole kind in part. */
  readonly notCompared: readonly { readonly address: string; readonly reason: string; readonly isNoFailure: boolean }[]
}

/** By account and object. Ways may differ: who can do the same through other groups is on both sides. */
export function accessBetween(
  first: readonly AccessEntry[],
  second: readonly AccessEntry[],
  normalise: NormaliseSvcId,
): readonly (AccessEntry & { readonly on: 'first' | 'second' })[] {
  const keyOf = ({ subject, level, address, company, kind }: AccessEntry): string =>
    JSON.stringify([subject && normalise(subject), address, level, company, kind])
  const byKey = (all: readonly AccessEntry[]) => new Map(all.map((entry) => [keyOf(entry), entry]))
  const [inFirst, inSecond] = [byKey(first), byKey(second)]
  const alone = (own: typeof inFirst, other: typeof inFirst, on: 'first' | 'second') =>
    [...own].flatMap(([key, entry]) => (other.has(key) ? [] : [[key, { ...entry, on }] as const]))
  return [...alone(inFirst, inSecond, 'first'), ...alone(inSecond, inFirst, 'second')]
    .sort(compareBy(([key]) => key))
    .map(([, entry]) => entry)
}
