// The ledger of a target: read before a run, and moved after an apply that converged.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BaseIdentity, BegunCommit } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { OperatorError, RefusedError } from '@svcsync/errors/index.ts'
import { commitOf } from '@svcsync/git/commit-tree.ts'
import { askGit, idOf } from '@svcsync/git/read-objects.ts'
import type { exactCommit } from './exact-commit.ts'
import { historyIn, type readHistory } from './history-ref.ts'
import { observeLease, type takeLease } from './lease.ts'
import {
  type AppliedCommit,
  appliedIn,
  type Lease,
  type LedgerEntry,
  leaseIn,
  ledgerRefs,
  writeApplied,
} from './ledger-commit.ts'
import { fetchRefs, moveRef, moveTogether, type RefUpdate, type Remote } from './remote.ts'
import { refuseUnsigned, signEntry } from './signatures.ts'

export interface LedgerState {
  /** Undefined: nothing was applied with a ledger yet. */
  readonly applied: AppliedCommit | undefined
  /** Unfinished applies since then, in order. */
  readonly begun: readonly BegunCommit[]
  readonly lease: ReturnType<typeof observeLease>
  /** A sentence where the ref is gone, and this clone has seen it. */
  readonly loss?: string | undefined
  /** Undefined: not requested, or not available. */
  readonly history?: { readonly remote: Remote; readonly kept: Awaited<ReturnType<typeof readHistory>> } | undefined
  /** What is checked out; undefined: nothing. */
  readonly head: Pick<LedgerEntry, 'id' | 'parents'> | undefined
}

/** Rejects with an OperatorError where the remote cannot be read, or a ref leads to what svcsync has not written. */
export async function readLedger(
  remote: Remote,
  target: string,
  nowMs: number,
  withHistory = false,
): Promise<LedgerState> {
  const { applied, lease, history } = ledgerRefs(target)
  const fetched = await fetchRefs(remote, [applied, lease], withHistory ? [history] : [])
  await refuseUnsignedIn(remote, target, fetched)
  const state = stateIn(remote, target, fetched, nowMs)
  if (!fetched.here.has(history)) return state
  return { ...state, history: { remote, kept: await historyIn(remote, fetched.there.get(history), target) } }
}

/** For fetched refs, with this clone's memory if the remote has no lease. Rejects with an OperatorError. */
export async function refuseUnsignedIn(
  remote: Remote,
  target: string,
  { there, here }: Omit<Awaited<ReturnType<typeof fetchRefs>>, 'head'>,
): Promise<void> {
  const { applied, lease } = ledgerRefs(target)
  await refuseUnsigned(remote, [
    { ref: applied, entry: there.get(applied)?.id },
    // It counts also where the remote has it no more.
    { ref: lease, entry: here.get(lease)?.id || undefined },
  ])
}

/** For fetched and signed refs. Throws as `readLedger`. */
export function stateIn(
  remote: Remote,
  target: string,
  { there, here, head }: Awaited<ReturnType<typeof fetchRefs>>,
  nowMs: number,
): LedgerState {
  const { name } = remote
  const refs = ledgerRefs(target)
  const lease = observeLease(there.get(refs.lease), target, nowMs)
  const entry = there.get(refs.applied)
  const remembered = here.get(refs.lease)
  // Deleting the ref only frees the lease: this clone may still remember it.
  const isGone = lease.entry === undefined
  const last = isGone ? remembered && leaseIn(remembered, target) : lease.lease
  const begun = (applied?: AppliedCommit): readonly BegunCommit[] =>
    typeof last === 'object' ? begunIn(last, applied, isGone) : []
  if (entry === undefined)
    return { applied: undefined, begun: begun(), lease, loss: lossIn(remote, target, here.get(refs.applied)), head }
  const applied = appliedIn(entry, target)
  if (typeof applied !== 'string') {
    refuseAnother(remote, refs.applied, applied)
    return { applied, begun: begun(applied), lease, head }
  }
  throw new OperatorError(
    'SVC2232',
    `${refs.applied} on the remote \`${name}\` was not written by svcsync: ${applied}`,
    {
      hint:
        `\`git fetch ${name} ${refs.applied} && git show FETCH_HEAD\` shows what it is. ` +
        `\`git push ${name} :${refs.applied}\` starts a new ledger; \`--no-ledger\` ignores it.`,
    },
  )
}

/** An entry completes commits of its own lease alone. `isOld`: a deleted ref may have completed them since. */
function begunIn(lease: Lease, applied: AppliedCommit | undefined, isOld: boolean): readonly BegunCommit[] {
  const { name, after, begun, left = [] } = lease
  const isComplete = name !== undefined && applied?.lease === name
  if (!isComplete && after !== applied?.entry && (isOld || name === undefined)) return []
  return (isComplete ? left : begun).filter(({ commit, undo }) => undo || commit === null || commit !== applied?.commit)
}

function lossIn({ name }: Remote, target: string, remembered: LedgerEntry | undefined): string | undefined {
  const { applied: ref } = ledgerRefs(target)
  const seen = remembered === undefined ? '' : appliedIn(remembered, target)
  if (typeof seen === 'string') return undefined
  return (
    `${ref} is gone from the remote \`${name}\`. This clone has seen it, with ${seen.commit.slice(0, 7)} ` +
    `as applied at ${seen.at}: \`git push ${name} ${seen.entry.slice(0, 12)}:${ref}\` puts it back.`
  )
}

/** The commit of another project would hide dropped declarations, or revoke those of the other. */
function refuseAnother(remote: Remote, ref: string, { project: applied, commit }: AppliedCommit): void {
  const { dir, project } = remote
  if (applied === '' || applied === project) return
  const isIn = (at: string, path: string): boolean => idOf(dir, `${at}:${path}`) !== undefined
  const isAnother =
    existsSync(join(dir, applied)) || isIn(commit, project) || (isIn('HEAD', applied) && isIn('HEAD', project))
  if (!isAnother && hasMoved(remote, { project: applied, commit })) return
  throw new OperatorError('SVC2232', `${ref} is the ledger of the project \`${applied}\`, and not of \`${project}\``, {
    hint:
      'A repository has one ledger for each name of a target: rename the target of one of the two projects. ' +
      `If the other project is gone, \`git push ${remote.name} :${ref}\` starts a new ledger, ` +
      'and nobody revokes what the old one gave. `--no-ledger` ignores it.',
  })
}

/** True if it is this project now: git shows the move, or only this one has appeared since. */
function hasMoved(
  { dir, project }: Remote,
  { project: applied, commit }: Pick<AppliedCommit, 'project' | 'commit'>,
): boolean {
  const patterns = [applied, project].map((path) => `**/${path.replace(/^.*\//, '').replace(/[*?[\]\\]/g, '\\$&')}`)
  const diff = ['--glob-pathspecs', 'diff', '-M', '--no-ext-diff', '--diff-filter=AR', '--name-status', '-z']
  const answer = askGit(dir, [...diff, commit, 'HEAD', '--', ...patterns])
  const [come, became] = [[] as string[], [] as string[]]
  const words = answer?.split('\0') ?? []
  for (let at = 0; words[at]; at += 2) {
    const isRenamed = words[at]?.startsWith('R') === true
    if (isRenamed && words[at + 1] === applied) became.push(words[at + 2] ?? '')
    if (isRenamed) at++
    come.push(words[at + 1] ?? '')
  }
  return answer !== undefined && (became.length > 0 ? became : come).every((path) => path === project)
}

/** Each costs a look at all of its files, for every plan. */
const mostBegun = 50

/**
 * Commits that may be on the platform once `own` has begun. Known ones keep their start. Above the limit, the oldest
 * go: later commits repeat their grants if they still declare them, and remove them otherwise.
 */
export function mergeBegun(
  { applied, begun }: Pick<LedgerState, 'applied' | 'begun'>,
  own: readonly BegunCommit[],
): readonly BegunCommit[] {
  const isNew = (each: BegunCommit): boolean => each.commit !== applied?.commit && !isAmong(begun, each)
  return [...begun, ...own.filter(isNew)].slice(-mostBegun)
}

/** True if the same commit is there, for the whole or for the same part. */
const isAmong = (all: readonly BegunCommit[], { commit, only, undo }: BegunCommit): boolean =>
  all.some(
    (each) => each.commit === commit && each.undo === undo && (each.only.length === 0 || `${each.only}` === `${only}`),
  )

interface AppliedRun {
  /** With which it was applied; undefined: `takeLease` gives one. */
  readonly lease?: Pick<Awaited<ReturnType<typeof takeLease>>, 'name' | 'giving' | 'given'> | undefined
  readonly exact: ReturnType<typeof exactCommit>
  /** A deleted line then revokes what it gave, even if the ref stays. */
  readonly isRemembered: boolean
  /** Something that is declared has ended since what was applied last: from now on it is somebody else's who has it. */
  readonly hasEnded: boolean
  readonly installation: string
  readonly version: string
  readonly digest: string
  /** Of the plan. */
  readonly base: BaseIdentity | 'none'
  /** It has sent credentials anew: nothing shows that, and so the next apply sends them again. */
  readonly rotates: boolean
  /** As whoever applies says. */
  readonly approvedBy: readonly string[]
  /** As the forge says, of each commit that comes with this one; undefined: nobody asks it, or it does not answer. */
  readonly approvals?: ((commit: string) => Promise<AppliedCommit['approvals']>) | undefined
  /** As whom svcsync signed in; empty where the platform does not tell. */
  application(): Promise<string>
  /**
   * For a run without writes. It moves the ref with the lease alone: else commits that another apply has begun, from an
   * earlier plan, would count as begun before this run, and be forgotten. Rejects with a RefusedError if another apply
   * has begun since.
   */
  readonly takeLease?: (() => Promise<Omit<Awaited<ReturnType<typeof takeLease>>, 'lost'>>) | undefined
}

type RunFacts = Omit<
  AppliedRun,
  'installation' | 'version' | 'digest' | 'approvedBy' | 'approvals' | 'application' | 'takeLease' | 'lease'
>

/** Why the ref stays where it is; undefined: it is to be moved. An empty reason: it is where it should be. */
export function reasonToStay(
  { applied, begun }: Pick<LedgerState, 'applied' | 'begun'>,
  { outcome, counts, unreadable }: Pick<ApplyReport, 'outcome' | 'counts' | 'unreadable'>,
  { exact, base, isRemembered, hasEnded, rotates }: RunFacts,
): { readonly reason: string; readonly hint?: string } | undefined {
  if (outcome !== 'converged' && outcome !== 'nothing-to-do')
    return {
      reason: unreadable ? 'some of it could not be read' : 'the Svc platform is not as declared',
      hint: isRemembered
        ? 'The ledger remembers what it gave: if you delete a line now, the next apply revokes that.'
        : 'Run `svcsync apply` again before you remove entries: the ledger does not hold yet what this apply gave.',
    }
  const { commit, reason, hint } = exact
  if (commit === undefined || reason !== undefined) {
    const next = `The applied changes stay. Commit, and run apply again: ${nextApply(rotates)}, and moves the ledger.`
    const isLost = !isRemembered && counts.done > 0
    return {
      reason: reason ?? '',
      hint: `${hint ?? next}${isLost ? ' A line that is deleted before that revokes nothing.' : ''}`,
    }
  }
  const isThere = applied?.commit === commit && begun.length === 0 && !hasEnded
  if (isThere && outcome === 'nothing-to-do') return { reason: '' }
  if (isBaseComplete(base, applied, begun, commit)) return undefined
  // As after `apply --resume` of what somebody has applied since.
  if (isThere) return { reason: '' }
  return {
    reason: 'the plan has another base',
    hint:
      'The applied changes stay. ' +
      'Plan and apply again without `--since`: that compares with the last applied commit, and moves the ledger.',
  }
}

/** Otherwise dropped declarations, since the last entry or since an unknown apply, would never be revoked. */
function isBaseComplete(
  base: AppliedRun['base'],
  applied: LedgerState['applied'],
  begun: LedgerState['begun'],
  commit: string,
): boolean {
  const known = base === 'none' ? [] : (base.begun ?? [])
  const isOfApplied = applied === undefined || (base !== 'none' && base.commit === applied.commit)
  return isOfApplied && begun.every((each) => each.commit === commit || isAmong(known, each))
}

const nextApply = (rotates: boolean): string =>
  rotates ? 'it sends the credentials once more' : 'it finds nothing to do'

/** Moves the ref if all that the commit declares is on the platform; else it says why. Never rejects. */
export async function recordApplied(
  remote: Remote,
  target: string,
  state: LedgerState,
  report: ApplyReport,
  { application, approvedBy, approvals, installation, version, digest, takeLease, lease: held, ...own }: AppliedRun,
): Promise<NonNullable<ApplyReport['ledger']>> {
  const { applied } = state
  const { counts, verified, startedAt, elapsedMs } = report
  const { applied: ref } = ledgerRefs(target)
  const unmoved = (reason: string, hint?: string): NonNullable<ApplyReport['ledger']> => ({
    ref,
    commit: applied?.commit ?? null,
    moved: false,
    ...(reason !== '' && { reason }),
    ...(hint !== undefined && { hint }),
  })
  const why = reasonToStay(state, report, own)
  if (why !== undefined) return unmoved(why.reason, why.hint)
  const commit = own.exact.commit as string
  const at = new Date(Date.parse(startedAt) + elapsedMs).toISOString()
  const facts = {
    ...{ installation, version, digest, approvedBy },
    target,
    project: remote.project,
    commit,
    at,
    counts,
    objects: verified.equal,
    application: await application(),
    approvals: await approvals?.(commit),
  }
  const again = `The applied changes stay. Run apply again: ${nextApply(own.rotates)}, and moves the ledger.`
  let lease: Awaited<ReturnType<NonNullable<typeof takeLease>>> | undefined
  let noted: NonNullable<ApplyReport['ledger']>
  try {
    lease = await takeLease?.()
    const holder = lease ?? held
    const entry = writeApplied(remote.dir, { ...facts, lease: holder?.name ?? '' }, applied?.entry)
    const move = async (written: string) => {
      const own: RefUpdate = { ref, from: applied?.entry, to: await signEntry(remote, written) }
      // It tells its own troubles when it is given back by itself.
      const back = await holder?.giving().catch(() => undefined)
      if (back === undefined || !(await moveTogether(remote, [own, back]))) return moveRef(remote, own)
      holder?.given()
      return 'moved'
    }
    if (entry === undefined)
      noted = unmoved(`git cannot write the entry: ${unwrittenReason(remote.dir, commit)}`, again)
    else if ((await move(entry)) === 'moved') noted = { ref, commit, moved: true }
    else noted = unmoved('another apply has moved it meanwhile', again)
  } catch (error) {
    noted = unmoved(unmovedReason(error), again)
  }
  const notes = (await lease?.giveBack(noted.moved ? 'complete' : 'nothing')) ?? []
  return { ...noted, ...(notes.length > 0 && { lease: notes }) }
}

function unmovedReason(error: unknown): string {
  if (error instanceof RefusedError) return 'another apply has begun meanwhile'
  return error instanceof OperatorError ? error.message : 'its remote cannot be reached'
}

function unwrittenReason(dir: string, commit: string): string {
  return commitOf(dir, commit) === undefined
    ? `this clone has no commit ${commit.slice(0, 12)}`
    : 'its objects cannot be stored'
}
