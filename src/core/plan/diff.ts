// What two targets, commits or folders declare otherwise, or what two installations are like, as data.
import type { AccessEntry } from '../access/describe-access.ts'
import type { DeclaredDifference } from '../compare/compare-declared.ts'

export interface Diff {
  readonly first: string
  readonly second: string
  readonly of: 'targets' | 'states' | 'installations'
  readonly differences: readonly DeclaredDifference[]
  /** What overrides, variables and `only` of the two targets explain. */
  readonly explained: readonly DeclaredDifference[]
  /** Who can do what on one side alone, through groups in groups. `isExplained`: as of what is in `explained`. */
  readonly access: readonly (AccessEntry & { readonly on: 'first' | 'second'; readonly isExplained: boolean })[]
  /** As they are written. */
  readonly variables: readonly {
    readonly name: string
    readonly first: string | null
    readonly second: string | null
  }[]
  /**
   * Of installations: objects of which one does not tell all, and why. `isNoFailure`: none of its kind is told to
   * anybody.
   */
  readonly notCompared: readonly { readonly address: string; readonly reason: string; readonly isNoFailure: boolean }[]
}
