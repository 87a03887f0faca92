// A branch that svcsync keeps on a remote, as it keeps its refs: read by name, and moved by compare-and-swap.
import { OperatorError } from '@svcsync/errors/index.ts'
import { fetchInto, listRefs, pushRef, type Remote } from './remote.ts'

/** The place of each branch here: the user's own branches stay as they are. */
const keptAt = (branch: string): string => `refs/svcsync/remote/${branch}`
const refOf = (branch: string): string => `refs/heads/${branch}`

/** By name, with all commits; one that is not there is left out. */
export async function fetchBranches(remote: Remote, branches: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const listed = await listRefs(remote, branches.map(refOf))
  const there = branches.filter((branch) => listed.has(refOf(branch)))
  return fetchInto(
    remote,
    there.map((branch) => [branch, refOf(branch), keptAt(branch)] as const),
  )
}

/** `to` undefined: it is deleted. Rejects with an OperatorError if the remote refuses, or somebody moved it. */
export async function moveBranch(remote: Remote, branch: string, from: string | undefined, to: string | undefined) {
  const moved = await pushRef(remote, { ref: refOf(branch), from, to }, branchHint)
  if (moved === 'moved') return
  throw new OperatorError('SVC2825', `Somebody else moved the branch \`${branch}\` meanwhile: it is left as it is`, {
    hint: 'Run the command again.',
  })
}

const branchHint =
  'The job needs the right to push this branch. A rule of the repository that protects it has to let svcsync through.'
