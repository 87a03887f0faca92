// The differences between the declarations of two targets, commits or folders, or between two installations, as data.
import type { AccessEntry } from '../access/describe-access.ts'
import type { DeclaredDifference } from '../compare/compare-declared.ts'

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
