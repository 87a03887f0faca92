// Finds commits that a lease names as begun and that are outside the applied history. Everybody who may push the ref
// can name any commit there, and an apply would remove access that only this commit declares.
import type { CommitHistory } from '@svcsync/core/guards/guard.ts'
import type { BegunCommit } from '@svcsync/core/plan/plan-document.ts'
import { follows, isShallow } from '@svcsync/git/commit-tree.ts'
import { runRemoteGit } from '@svcsync/git/run-git.ts'
import type { LedgerState } from './ledger.ts'
import type { Remote } from './remote.ts'

type StrayCommit = CommitHistory['strays'][number]

/** The applied commit, and unfinished ones; `strays`: those outside the planned history. */
export type KnownLedger = Pick<LedgerState, 'applied' | 'begun' | 'head' | 'history'> & {
  readonly strays: readonly StrayCommit[]
}

/** The commits that may be a base. */
export function withoutStrays(begun: readonly BegunCommit[], strays: readonly StrayCommit[]): readonly BegunCommit[] {
  return begun.filter(({ commit }) => strays.every((stray) => stray.commit !== commit))
}

/** Milliseconds that git may take to bring the history. */
const timeoutMs = 300_000

/** The place of one commit; `unknown`: the local history ends too early to tell. */
type Place = 'before' | 'after' | 'beside' | 'unknown'

/**
 * `planned`: what is to be applied; null: that is no commit. A commit counts where it is on one line with what was
 * applied last, and comes before `planned`; or comes after it, and the default branch of the remote has it, as when an
 * older commit is applied once more. History that is missing is fetched first.
 */
export async function strayCommits(
  remote: Remote,
  { applied, begun }: Pick<LedgerState, 'begun'> & { readonly applied: { readonly commit: string } | undefined },
  planned: string | null,
): Promise<readonly StrayCommit[]> {
  const { dir } = remote
  const commits = [...new Set(begun.flatMap(({ commit }) => commit ?? []))]
  const strayOf = (commit: string, isKnown: boolean): StrayCommit => {
    const isUndo = begun.every((each) => each.commit !== commit || each.undo)
    return { commit, isKnown, ...(isUndo && { undo: true }) }
  }
  if (planned === null) return commits.map((commit) => strayOf(commit, false))
  const placesOf = (commit: string): readonly Place[] => [
    placeOf(dir, commit, planned),
    applied === undefined ? 'before' : placeOf(dir, commit, applied.commit),
  ]
  const isBefore = (commit: string): boolean => {
    if (commit === planned) return true
    const [own, ofApplied] = placesOf(commit)
    return own === 'before' && (ofApplied === 'before' || ofApplied === 'after')
  }
  const rest = commits.filter((commit) => !isBefore(commit))
  if (rest.length === 0) return []
  const branch = await fetchDefaultBranch(remote)
  return rest.flatMap((commit): StrayCommit[] => {
    const places = placesOf(commit)
    const onBranch = branch === undefined ? 'unknown' : follows(dir, branch, commit)
    if (places.includes('beside')) return [strayOf(commit, true)]
    if (places.includes('unknown')) return [strayOf(commit, false)]
    if (places[0] === 'before' || onBranch === 'yes') return []
    return [strayOf(commit, onBranch === 'no')]
  })
}

function placeOf(dir: string, commit: string, other: string): Place {
  const before = follows(dir, other, commit)
  if (before === 'yes') return 'before'
  const after = follows(dir, commit, other)
  if (after === 'yes') return 'after'
  return before === 'unknown' || after === 'unknown' ? 'unknown' : 'beside'
}

/** Also in a shallow clone. Into no ref: branches stay as they are. Undefined: the remote does not tell it. */
async function fetchDefaultBranch({ dir, name, signal }: Remote): Promise<string | undefined> {
  const speak = (args: readonly string[]) => runRemoteGit(dir, args, { timeoutMs, signal })
  const answer = await speak(['ls-remote', '--quiet', '--', name, 'HEAD'])
  const commit = /^([0-9a-f]+)\tHEAD$/m.exec(answer.stdout.toString())?.[1]
  if (answer.status !== 0 || commit === undefined) return undefined
  await speak([
    ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-prune'],
    ...['--refmap=', ...(isShallow(dir) ? ['--unshallow'] : []), '--', name, 'HEAD'],
  ])
  return commit
}
