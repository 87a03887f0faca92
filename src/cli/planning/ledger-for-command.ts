// The ledger as an apply of the command line uses it: waits for another apply, and says what people should know.

import { env } from 'node:process'
import { parseAllowance } from '@svcsync/core/guards/allowances.ts'
import type { Promotion } from '@svcsync/core/guards/guard.ts'
import { judge, refuseByGuards } from '@svcsync/core/guards/judge-guards.ts'
import { promotedGuard } from '@svcsync/core/guards/promoted.ts'
import { longestApplyMs } from '@svcsync/core/model/time-bounds.ts'
import type { BegunCommit } from '@svcsync/core/plan/plan-document.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { formatCount, OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import { commitOf as commitOfRef, commitsSince } from '@svcsync/git/commit-tree.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import type { exactCommit } from '@svcsync/ledger/exact-commit.ts'
import { awaitLease, describeLease, takeLease } from '@svcsync/ledger/lease.ts'
import { type LedgerState, mergeBegun, readLedger, recordApplied } from '@svcsync/ledger/ledger.ts'
import { type AppliedCommit, type Lease, ledgerRefs } from '@svcsync/ledger/ledger-commit.ts'
import { type KnownLedger, strayCommits } from '@svcsync/ledger/stray-commits.ts'
import type { Project } from '@svcsync/project/project.ts'
import { commitOf, openLedger, promotionOf } from '@svcsync/runs/open/open-ledger.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import type { OpenedTarget } from '@svcsync/runs/open/open-target.ts'
import { filesOf } from '@svcsync/runs/open/watched-paths.ts'
import { describeApplication, readActingApplication } from '@svcsync/runs/plan/acting-application.ts'
import type { ApplyRunOptions } from '@svcsync/runs/plan/apply-run.ts'
import type { PlanRun } from '@svcsync/runs/plan/plan-run.ts'
import { allowed, type SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'
import { version } from '../version.ts'
import { openHistory, recordApply, recordRefusal } from './run-history.ts'

/** The source of an apply: the manifests, a saved plan, or an undo. */
type ApplySource =
  | { readonly from: 'manifests'; readonly opened: ReadProject }
  | { readonly from: 'undo'; readonly opened: ReadProject }
  | { readonly from: 'plan'; readonly opened: OpenedTarget; readonly saved: SavedPlan }

/** Undefined: no ledger. Waits until nobody else applies, or rejects with a RefusedError. */
export async function ledgerForCommand(
  goal: ApplySource,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
): Promise<(NonNullable<ApplyRunOptions['ledger']> & KnownLedger) | undefined> {
  const { project } = goal.opened
  const opened = await openLedger(project, {
    env,
    clock: Date.now,
    signal: kill,
    allowUnsigned: allowed(options, 'unsigned'),
    withHistory: options.baseUrl === undefined,
  }).catch(async (error: unknown) => {
    if (error instanceof OperatorError) await refuseUnpromoted(goal, options)
    throw error
  })
  if (opened === undefined) return undefined
  const { remote, target } = opened
  const approvals = options.approvals && (await approvalsFor(remote.dir, () => opened.state.applied?.commit, console))
  // An apply uses the present state.
  const exact =
    goal.from === 'manifests'
      ? commitForCommand(remote.dir, goal.opened, options, opened.state.head?.id)
      : goal.from === 'undo'
        ? undone
        : commitOfSaved(goal.saved)
  const state = await awaitLedger(opened, options, console, kill)
  const { lease } = state
  // An undo has no base: it carries on with what was begun, whatever that is.
  const planned = goal.from === 'plan' ? goal.saved.saved.commit : state.head?.id
  const strays = goal.from === 'undo' ? [] : await strayCommits(remote, state, planned ?? null)
  noteState(state, project, console)
  if (state.applied === undefined && state.begun.length === 0)
    console.note(`The ledger of \`${target}\` begins with this apply: it does not know earlier ones.`)
  const opensHistory = () => openHistory(project, options, console, state.history)
  let isRemembered = true
  let held: Awaited<ReturnType<typeof takeLease>> | undefined
  const take = async (begun: LedgerState['begun']) => {
    const after = state.applied?.entry
    const taken = await takeLease(lease, opened, { begun, after }, { begun: state.begun, after })
    if (lease.state !== 'free' && lease.lease !== undefined) {
      const { holder, until } = lease.lease
      const why = { held: 'as `--allow` says', dead: 'its process has ended', expired: `it ran out at ${until}` }[
        lease.state
      ]
      console.note(`The lease of \`${target}\` was taken over from ${holder}: ${why}.`)
    }
    return taken
  }
  return {
    applied: state.applied,
    begun: state.begun,
    head: state.head,
    strays,
    async takeLease(planned) {
      const own = begunCommits(planned, exact, remote.dir)
      isRemembered = own !== undefined
      if (exact.reason !== undefined && !isRemembered)
        console.note(
          `The ledger does not remember what this apply gives until an apply of a commit completes: ${exact.reason}.`,
        )
      const kept = withoutAllowed(state, planned)
      const begun = mergeBegun(kept, own ?? [])
      const forgotten = kept.begun
        .filter((each) => !begun.includes(each))
        .map(({ commit }) => commit?.slice(0, 7) ?? 'an undo')
      if (forgotten.length > 0)
        console.note(
          `The ledger forgets what only ${forgotten.join(', ')} gave: ` +
            `${formatCount(begun.length, 'later apply', 'later applies')} began and did not complete.`,
        )
      held = await take(begun)
      return held
    },
    note: (report, planned, client) =>
      recordApplied(remote, target, withoutAllowed(state, planned), report, {
        ...{ exact, version, installation: project.target.baseUrl, digest: planned.document.digest },
        ...{
          base: planned.document.base ?? 'none',
          isRemembered,
          hasEnded: hasEndedSince(planned.plan, state.applied),
        },
        rotates: planned.plan.steps.some((step) => step.rotates),
        approvedBy: [...new Set(options.approvedBy ?? [])],
        approvals,
        application: () => readActingApplication(client).then(describeApplication, () => ''),
        ...(held ? { lease: held } : { takeLease: () => take(state.begun) }),
      }),
    recordRefusal: async (planned, client) => recordRefusal({ ...planned, client }, await opensHistory()),
    async record(report, { document }, client) {
      const history = await opensHistory()
      return history && { runs: await recordApply(report, { document, client }, project.target.svcIds, history) }
    },
  }
}

/** Throws an OperatorError before anything is written; what it gives never rejects. */
async function approvalsFor(dir: string, applied: () => string | undefined, console: Console) {
  const { gitHubApprovals } = await import('@svcsync/forge/github-approvals.ts')
  const approvalsOf = gitHubApprovals(env)
  return async (commit: string): Promise<AppliedCommit['approvals']> => {
    const commits = commitsSince(dir, applied(), commit)
    const [first, left] = [commits.slice(0, mostAsked), commits.length - mostAsked]
    if (left > 0) console.note(`GitHub was not asked who approved ${formatCount(left, 'older commit')} of this apply.`)
    try {
      return Object.fromEntries(await approvalsOf(first))
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      console.note(`The ledger does not tell who approved this apply, for GitHub did not: ${error.message}`)
      return undefined
    }
  }
}

/** Each is at least one request. */
const mostAsked = 100

/** A user without the ledger may not know the commit of the earlier target: the guard's refusal names that. */
async function refuseUnpromoted(goal: ApplySource, options: SharedOptions): Promise<void> {
  if (goal.from === 'undo') return
  const promotion =
    goal.from === 'manifests'
      ? await promotionForPlan(goal.opened, options)
      : await promotionOfSaved(goal.opened.project, goal.saved, options)
  if (promotion === undefined || promotion === 'takes-back' || promotion.state !== 'unknown') return
  const named = allowed(options, 'plan').filter((text) => text.startsWith(`${promotedGuard.name}=`))
  const allowances = named.map((text) => parseAllowance(text))
  const verdicts = promotedGuard.find({ promotion }).map((finding) => judge(promotedGuard, finding, allowances))
  // The target's own ledger cannot be read either.
  refuseByGuards(verdicts, ['--no-ledger'])
}

/** Without what was allowed to be left out of the bases: nobody takes back what that gave. */
function withoutAllowed(state: LedgerState, { plan }: Pick<PlanRun, 'plan'>): LedgerState {
  const allowed = plan.guards.flatMap(({ guard, verdict, allow }) =>
    guard === 'older-commit' && verdict === 'allowed' ? [allow] : [],
  )
  return { ...state, begun: state.begun.filter(({ commit }) => !allowed.includes(`older-commit=${commit}`)) }
}

/** By the clock of whoever planned; what had ended before that apply was no longer ours then. */
function hasEndedSince({ changes }: PlanRun['plan'], applied: LedgerState['applied']): boolean {
  if (applied === undefined) return false
  const sinceMs = Date.parse(applied.at) - longestApplyMs
  return changes.some(({ desired }) =>
    Object.values(desired?.collections ?? {}).some(({ outside }) =>
      [...(outside?.values() ?? [])].some(({ event, at }) => event === 'ended' && Date.parse(at) > sinceMs),
    ),
  )
}

/** The goal of an apply. Undefined: no commit has it. */
function begunCommits(
  { document, undoes, base: known }: PlanRun,
  { commit, reason, isPart }: ReturnType<typeof exactCommit>,
  dir: string,
): readonly BegunCommit[] | undefined {
  const at = new Date().toISOString()
  const { only, base, due } = document
  if (undoes) {
    // Only the clone of that time may have its commit.
    const isHere = (each: string | null): boolean => each !== null && commitOfRef(dir, each) !== undefined
    return (
      base?.begun?.map((each) => (isHere(each.commit) ? each : { ...each, commit: null })) ?? [
        { commit: null, at, only, undo: true },
      ]
    )
  }
  // Time brings about what was declared before.
  if (due && known) return []
  return commit === undefined || (reason !== undefined && !isPart) ? undefined : [{ commit, at, only }]
}

function noteState(
  { applied, loss, lease: { flaw } }: LedgerState,
  { target: { name, baseUrl } }: Project,
  console: Console,
): void {
  if (loss !== undefined) console.note(loss)
  if (flaw !== undefined) {
    const ref = ledgerRefs(name).lease
    console.note(
      `warning SVC2232  ${ref} is no lease: ${flaw}. It blocks nobody, and the next apply that writes replaces it.`,
    )
  }
  if (applied === undefined || applied.installation === '' || applied.installation === baseUrl) return
  console.note(
    `The last apply to \`${name}\` was to ${applied.installation}, and this is ${baseUrl}: ` +
      'objects that are no longer declared since then count here as well. `--no-ledger` ignores it.',
  )
}

/** The commit applied last. The lease does not concern a mere reader. */
export async function ledgerForPlan(
  project: Project,
  options: Pick<SharedOptions, 'allow'>,
  console: Console,
  withHistory = false,
): Promise<KnownLedger | undefined> {
  const allowUnsigned = allowed(options, 'unsigned')
  const opened = await openLedger(project, { env, clock: Date.now, allowUnsigned, withHistory })
  if (opened === undefined) return undefined
  const { remote, state, target } = opened
  noteState(state, project, console)
  if (state.applied === undefined && state.begun.length === 0)
    console.note(`The ledger of \`${target}\` is empty: it does not know earlier applies.`)
  return { ...state, strays: await strayCommits(remote, state, state.head?.id ?? null) }
}

export function promotionForPlan(opened: ReadProject, options: SharedOptions): Promise<Promotion | undefined> {
  const dir = repositoryOf(opened.project.dir)
  // The commit has declared the due work, too.
  const planned =
    dir === undefined
      ? { commit: undefined, reason: 'the project is in no repository' }
      : commitForCommand(dir, opened, { ...options, due: false })
  const withoutLedger = options.ledger === false
  return promotionOf(opened.project, { planned, roots: filesOf(opened).roots, withoutLedger, nowMs: Date.now() })
}

export async function promotionOfSaved(
  project: Project,
  saved: SavedPlan,
  { ledger }: Pick<SharedOptions, 'ledger'>,
): Promise<Promotion | 'takes-back' | undefined> {
  if (saved.base?.from === 'journal') return 'takes-back'
  const planned = commitOfSaved(saved)
  return promotionOf(project, { planned, roots: [], withoutLedger: ledger === false, nowMs: Date.now() })
}

/** Tells whether the plan equals a commit, complete and without other edits. `dir`: the folder with `.git`. */
export function commitForCommand(
  dir: string,
  opened: Pick<ReadProject, 'project' | 'parsed' | 'manifests' | 'policyFiles' | 'exceptions'>,
  { only, due, var: variables, baseUrl }: Pick<SharedOptions, 'only' | 'due' | 'var' | 'baseUrl'>,
  head?: string,
): ReturnType<typeof exactCommit> {
  const exact = commitOf({ dir }, opened, head)
  const without = 'The applied changes stay. Apply without it to move the ledger.'
  if (Object.keys(variables).length > 0)
    return { ...exact, reason: 'no commit holds the values of `--var`', hint: without }
  if (baseUrl !== undefined) return { ...exact, reason: '`--base-url` names another installation', hint: without }
  if (due) return { ...exact, reason: '`--due` applied only the due changes', hint: 'Apply everything to move it.' }
  if (only.length > 0) {
    const isPart = exact.reason === undefined && { isPart: true as const }
    return { ...exact, reason: '`--only` applied only a part of the project', hint: without, ...isPart }
  }
  return exact
}

const undone: ReturnType<typeof exactCommit> = {
  commit: undefined,
  reason: 'the result of an undo is no commit',
  hint: 'Revert the commit as well, and apply to move it.',
}

function commitOfSaved({ base, saved, only }: SavedPlan): ReturnType<typeof exactCommit> {
  if (base?.from === 'journal') return undone
  const commit = saved.commit?.match(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)?.[0]
  if (commit === undefined) return { commit, reason: 'the saved plan was not made from a clean commit' }
  const hint = 'The applied changes stay. Apply everything to move the ledger.'
  if (only.length === 0) return { commit }
  return { commit, reason: 'the saved plan is of a part of the project', hint, isPart: true }
}

/** The ledger as whoever was waited for has left it. */
async function awaitLedger(
  opened: NonNullable<Awaited<ReturnType<typeof openLedger>>>,
  options: SharedOptions,
  console: Console,
  signal: AbortSignal,
): Promise<LedgerState> {
  const { remote, target, state, clock } = opened
  if (state.lease.state !== 'held') return state
  const onWait = (lease: Lease): void => console.note(`Waiting: ${describeLease(lease)}.`)
  const timeoutMs = options.leaseTimeout ?? 0
  await awaitLease(state.lease, opened, { timeoutMs, onWait, signal, allowed: allowed(options, 'lease') })
  return readLedger(remote, target, clock(), state.history !== undefined)
}
