// Finds the applied commit of each target, and the distance of the working tree. It reads the remote, and no platform.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { summariseRun } from '@svcsync/core/plan/run-history.ts'
import { countStatus, lastingDrift, type StatusReport, type TargetStatus } from '@svcsync/core/plan/status-report.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isShallow } from '@svcsync/git/commit-tree.ts'
import { askGit } from '@svcsync/git/read-objects.ts'
import { commitsBetween, exactCommit } from '@svcsync/ledger/exact-commit.ts'
import { readHistories } from '@svcsync/ledger/history-ref.ts'
import { observeLease } from '@svcsync/ledger/lease.ts'
import { refuseUnsignedIn, stateIn } from '@svcsync/ledger/ledger.ts'
import { type AppliedCommit, ledgerRefs } from '@svcsync/ledger/ledger-commit.ts'
import { fetchRefs, type Remote } from '@svcsync/ledger/remote.ts'
import { remoteOf } from './open-ledger.ts'
import type { ReadProject } from './open-project.ts'
import { filesOf } from './watched-paths.ts'

export async function statusRun(opened: readonly ReadProject[], nowMs: number): Promise<StatusReport> {
  const ledger = opened[0]?.project.ledger
  const [first] = opened
  if (first === undefined || ledger === undefined)
    throw new OperatorError('SVC2237', 'The project has no ledger, so the applied commit is unknown', {
      hint: 'Add `ledger: { remote: origin }` to the project file, see docs/ledger.md.',
    })
  const remote = remoteOf({ file: first.project.file, ledger })
  const refs = opened.flatMap(({ project }) => {
    const { applied, lease } = ledgerRefs(project.targetName)
    return [applied, lease]
  })
  const fetched = await fetchRefs(remote, refs)
  const targets: TargetStatus[] = []
  const known: KnownTrees = new Map()
  const histories = await historiesOf(
    remote,
    opened.map(({ project }) => project.targetName),
  )
  for (const [index, each] of opened.entries()) {
    const history = histories[index] as TargetStatus['history']
    targets.push({ ...(await statusOf(each, remote, fetched, nowMs, known)), history })
  }
  return { formatVersion: '1.0', remote: remote.name, counts: countStatus(targets), targets }
}

async function statusOf(
  opened: ReadProject,
  remote: Remote,
  fetched: Awaited<ReturnType<typeof fetchRefs>>,
  nowMs: number,
  known: KnownTrees,
): Promise<Omit<TargetStatus, 'history'>> {
  const { name, baseUrl } = opened.project.target
  const lease = leaseOf(observeLease(fetched.there.get(ledgerRefs(name).lease), name, nowMs))
  try {
    await refuseUnsignedIn(remote, name, fetched)
    const { applied, begun: left } = stateIn(remote, name, fetched, nowMs)
    const workingTree = workingTreeOf(opened, remote, applied, known)
    const subjectOf = (commit: string): string =>
      askGit(remote.dir, ['log', '-1', '--no-show-signature', '--format=%s', commit]) ?? ''
    const begun = left.map((each) => ({ ...each, subject: each.commit === null ? '' : subjectOf(each.commit) }))
    if (applied === undefined) return { name, baseUrl, applied: null, begun, workingTree, lease }
    const { commit, at, application, digest } = applied
    const last = { commit, subject: subjectOf(commit), at, application, digest }
    return { name, baseUrl, applied: last, begun, workingTree, lease }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { code, message, hint } = error
    const workingTree = workingTreeOf(opened, remote, undefined, known)
    return { name, baseUrl, applied: null, begun: [], workingTree, lease, problem: { code, message, hint } }
  }
}

/** For hundreds of targets, all runs would be megabytes. */
const mostRuns = 30

/** They decide nothing, so troubles with them are only notes. */
async function historiesOf(remote: Remote, targets: readonly string[]): Promise<readonly TargetStatus['history'][]> {
  try {
    const all = await readHistories(remote, targets)
    return all.map(({ runs, flaw }) => ({
      ...{ drift: lastingDrift(runs) ?? null, runs: runs.slice(-mostRuns).map(summariseRun) },
      ...(flaw !== undefined && { flaw }),
    }))
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return targets.map(() => ({ drift: null, runs: [], flaw: error.message }))
  }
}

function leaseOf({ lease, state, flaw }: ReturnType<typeof observeLease>): TargetStatus['lease'] {
  const about = flaw === undefined ? {} : { flaw }
  if (lease === undefined)
    return flaw === undefined ? null : { state, holder: '', where: '', since: '', until: null, flaw }
  const { holder, where, since, until = null } = lease
  return { state, holder, where, since, until, ...about }
}

/** Most of hundreds of targets have the same files at the same commit. */
type KnownTrees = Map<string, TargetStatus['workingTree']>

function workingTreeOf(
  opened: ReadProject,
  { dir }: Remote,
  applied: AppliedCommit | undefined,
  known: KnownTrees,
): TargetStatus['workingTree'] {
  const files = filesOf(opened)
  const key = JSON.stringify([applied?.commit, files.files, files.roots, [...(files.extensions ?? [])]])
  return getOrInsert(known, key, () => compareTree(files, dir, applied))
}

function compareTree(
  files: ReturnType<typeof filesOf>,
  dir: string,
  applied: AppliedCommit | undefined,
): TargetStatus['workingTree'] {
  const { commit, reason } = exactCommit(dir, files)
  const about = { commit: commit ?? null, isCommitted: reason === undefined }
  const unknown = (why: string | undefined) => ({ behind: null, missing: null, ...about, ...(why && { reason: why }) })
  if (commit === undefined || applied === undefined) return unknown(reason)
  // The commits in between are not all here.
  if (applied.commit !== commit && isShallow(dir)) return unknown(reason ?? 'the clone is shallow')
  const behind = commitsBetween(dir, applied.commit, commit, files.roots) ?? null
  const missing = commitsBetween(dir, commit, applied.commit, files.roots) ?? null
  return { behind, missing, ...about, ...(reason && { reason }) }
}
