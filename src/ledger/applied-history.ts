// By which apply a commit came to a target first: from all entries of its ledger.
import { askGit } from '@svcsync/git/read-objects.ts'
import { type AppliedCommit, appliedIn, readEntries } from './ledger-commit.ts'

type HistoryEntry = Pick<AppliedCommit, 'commit' | 'at' | 'application' | 'approvedBy' | 'approvals'> & {
  /** The first entry of the ledger here: its declarations may have been applied earlier. */
  readonly begins?: true
}
type Origin = Omit<HistoryEntry, 'approvals'>

/** `newest`: the entry of the ref. Undefined: no complete apply had the commit; foreign entries end the search. */
export function appliedHistory(dir: string, newest: string, target: string): (commit: string) => Origin | undefined {
  const entries = entriesFrom(dir, newest, target)
  const parents = parentsOf(
    dir,
    entries.map(({ commit }) => commit),
  )
  const first = new Map<string, HistoryEntry>()
  for (const [index, each] of entries.reverse().entries()) {
    const entry = index === 0 ? { ...each, begins: true as const } : each
    // Approvers of the first recorded apply approved that commit, and no earlier one.
    const before = index === 0 ? { ...entry, approvedBy: [] } : entry
    const open = [entry.commit]
    for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
      if (first.has(commit)) continue
      first.set(commit, commit === entry.commit ? entry : before)
      open.push(...(parents.get(commit) ?? []))
    }
  }
  return (commit) => {
    const entry = first.get(commit)
    if (entry === undefined) return undefined
    const { approvals, ...others } = entry
    // The forge's approvals of this commit alone.
    return { ...others, approvedBy: [...new Set([...entry.approvedBy, ...(approvals?.[commit] ?? [])])] }
  }
}

/** The newest first. */
function entriesFrom(dir: string, newest: string, target: string): HistoryEntry[] {
  const ids = askGit(dir, ['rev-list', '--first-parent', newest])?.split('\n') ?? []
  const found: HistoryEntry[] = []
  for (const read of readEntries(dir, ids)) {
    const entry = appliedIn(read, target)
    if (typeof entry === 'string') break
    const { commit, at, application, approvedBy, approvals } = entry
    found.push({ commit, at, application, approvedBy, approvals })
  }
  return found
}

function parentsOf(dir: string, commits: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const lines = askGit(dir, ['rev-list', '--parents', '--stdin'], `${commits.join('\n')}\n`)?.split('\n') ?? []
  return new Map(lines.map((line) => line.split(' ')).map(([commit = '', ...parents]) => [commit, parents]))
}
