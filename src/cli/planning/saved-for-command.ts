// Opens what a saved plan or a journal is about, and plans it again. Apart from planning: most commands load none.
import { env } from 'node:process'
import { parseAllowance } from '@svcsync/core/guards/allowances.ts'
import { type CommitHistory, isPolicyGuard } from '@svcsync/core/guards/guard.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import type { JournalState } from '@svcsync/journal/read-journal.ts'
import { type KnownLedger, strayCommits, withoutStrays } from '@svcsync/ledger/stray-commits.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import type { OpenedTarget } from '@svcsync/runs/open/open-target.ts'
import { policyGuards, withPolicies, withTargetPolicies } from '@svcsync/runs/open/with-policies.ts'
import { checkSavedPlan } from '@svcsync/runs/saved/check-saved-plan.ts'
import { type ResumeRunOptions, resumeRun, resumeSavedRun } from '@svcsync/runs/saved/resume-run.ts'
import { savedPlanRun } from '@svcsync/runs/saved/saved-plan-run.ts'
import { allowed, type SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'
import { growYoungRoom } from '../v8-settings.ts'
import { version } from '../version.ts'
import { journalInGit } from './journal-in-git.ts'
import {
  allowancesOf,
  connectUnlessBroken,
  ledgerForApply,
  noteIdle,
  openOptions,
  promotionForCommand,
  readForCommand,
  runWith,
  targetForCommand,
} from './open-for-command.ts'

/** Opens a connection and plans a saved plan again: nothing that it rests on has changed when this resolves. */
export async function savedPlanForCommand(
  saved: SavedPlan,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
) {
  const nowMs = Date.now()
  const { maxAge: maxAgeMs } = options
  const check = (bare: OpenedTarget): void => checkSavedPlan(saved, bare, { nowMs, maxAgeMs })
  const { opened, allow, client, ledger, history, promotion } = await connectFor(saved, options, console, kill, check)
  const planned = await runWith(opened, client, console, (onProgress) =>
    savedPlanRun(opened, client, saved, { env, nowMs, maxAgeMs, allow, onProgress, history, promotion }),
  )
  noteIdle(allow, planned.plan.guards, console)
  const isRemembered = ledger !== undefined && saved.saved.commit !== undefined && saved.only.length === 0
  if (!isRemembered && saved.steps.length > 0 && saved.steps.every(({ rotates }) => rotates))
    console.note(
      'warning SVC2290  The plan only sends credentials: ' +
        'svcsync cannot tell whether it was applied before, and each apply sends them again.',
    )
  return { opened: projectOf(opened, planned), planned, ledger }
}

/** Opens a connection and finds out what is left of an apply that was broken off. Nothing is written. */
export async function resumeForCommand(
  journal: JournalState,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
) {
  const { plan } = journal
  const nowMs = Date.now()
  const run = { version, createdAt: new Date(nowMs).toISOString(), nowMs, kill }
  if ('saved' in plan) {
    const saved = plan as SavedPlan
    const { opened, allow, client, ledger, history, promotion } = await connectFor(saved, options, console, kill)
    const planned = await runWith(opened, client, console, (onProgress) =>
      resumeSavedRun(opened, client, journal, saved, { ...run, env, allow, onProgress, history, promotion }),
    )
    return { opened: projectOf(opened, planned), planned, ledger }
  }
  const target = targetOf(plan, options)
  const read = readForCommand({ ...options, ...(target !== undefined && { target }) })
  const opened = await withPolicies(read)
  const ledger = await ledgerForApply({ from: 'manifests', opened }, { ...options, only: plan.only }, console, kill)
  const client = connectUnlessBroken(opened, options, console, kill)
  const promotion = await promotionForCommand(opened, { ...options, only: plan.only })
  const before = { ...(await beforeJournal(plan, opened, options, ledger)), promotion }
  const planned = await runWith(opened, client, console, (onProgress) =>
    resumeRun(opened, client, journal, { ...run, ...before, allow: allowancesOf(options, opened), onProgress }),
  )
  return { opened, planned, ledger }
}

/** The base of the interrupted apply, on which its revocations depend, and the commit applied last. */
async function beforeJournal(
  { base }: JournalState['plan'],
  opened: ReadProject,
  options: SharedOptions,
  ledger: KnownLedger | undefined,
): Promise<Pick<ResumeRunOptions, 'base' | 'history'>> {
  // As with a lease, everybody who may push the ref of a journal can name any commit in it.
  const isInRef = options.resume === journalInGit
  const isKept = base?.from === 'ledger' && (ledger !== undefined || isInRef)
  const all = [...(ledger?.strays ?? []), ...(isKept ? await straysIn(base, opened.project) : [])]
  const strays = [...new Map(all.map((each) => [each.commit, each])).values()]
  const history = await historySince(base, opened, { applied: ledger?.applied, strays })
  if (!base || base.from === 'journal') return { history }
  const { commitHistory, openBase } = await import('@svcsync/runs/open/open-base.ts')
  const { commit, at, begun = [], from } = base
  const wanted =
    from === 'ledger'
      ? { ref: commit ?? undefined, at, begun: withoutStrays(begun, strays), from }
      : { ref: commit ?? base.ref }
  const known = openBase(wanted, opened, openOptions(options))
  const own = commitHistory(opened, from === 'ledger' || isInRef ? (known.commit ?? undefined) : undefined, strays)
  return { base: known, history: history?.applied === undefined ? own : history }
}

async function straysIn(
  { commit, begun = [] }: NonNullable<JournalState['plan']['base']>,
  { file, ledger }: ReadProject['project'],
): Promise<CommitHistory['strays']> {
  if (ledger === undefined) return []
  const [{ openRemote }, { commitOf }] = await Promise.all([
    import('@svcsync/ledger/remote.ts'),
    import('@svcsync/git/commit-tree.ts'),
  ])
  const remote = openRemote(file, ledger.remote)
  const applied = commit === null ? undefined : { commit }
  return strayCommits(remote, { applied, begun }, commitOf(remote.dir, 'HEAD') ?? null)
}

/** The target of the plan, unless another is named. */
export const targetOf = ({ target }: Pick<SavedPlan, 'target'>, options: SharedOptions): string | undefined =>
  options.target ?? (env.SVCSYNC_TARGET ? undefined : target.name)

/** Calls `check` before it reads policies. Allowances may name policies of the project or of the plan. */
async function connectFor(
  saved: SavedPlan,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
  check?: (bare: OpenedTarget) => void,
) {
  growYoungRoom(1)
  const bare = targetForCommand({ ...options, target: targetOf(saved, options) })
  check?.(bare)
  const opened = await withTargetPolicies(bare)
  const known = saved.guards.flatMap(({ guard }) => (isPolicyGuard(guard) ? [guard] : []))
  const allow = allowed(options, 'plan').map((text) =>
    parseAllowance(text, [...new Set([...policyGuards(opened), ...known])]),
  )
  const ledger = await ledgerForApply({ from: 'plan', opened, saved }, options, console, kill)
  if (check !== undefined) refuseAppliedBefore(saved, ledger?.applied)
  const history = await historySince(saved.base, opened, ledger, saved.saved.commit ?? null)
  const promotion =
    opened.project.guards.promotedFrom === undefined
      ? undefined
      : await (await import('./ledger-for-command.ts')).promotionOfSaved(opened.project, saved, options)
  return { opened, allow, ledger, history, promotion, client: connectUnlessBroken(opened, options, console, kill) }
}

/** Others may have applied since; undefined: nobody has, or it is to go back. `planned`: commit of a saved plan. */
async function historySince(
  base: SavedPlan['base'] | undefined,
  opened: OpenedTarget | ReadProject,
  { applied, strays }: Partial<Pick<KnownLedger, 'applied' | 'strays'>> = {},
  planned?: string | null,
): Promise<CommitHistory | undefined> {
  if (base?.from === 'journal') return undefined
  const { commitHistory } = await import('@svcsync/runs/open/open-base.ts')
  return commitHistory(opened, base?.commit === applied?.commit ? undefined : applied?.commit, strays, planned)
}

/** Nothing on the platform shows that a rotation was applied: the ledger does. */
function refuseAppliedBefore(
  { digest, steps }: SavedPlan,
  applied: { readonly digest: string; readonly at: string } | undefined,
): void {
  if (applied?.digest !== digest || !steps.some(({ rotates }) => rotates)) return
  throw new PlanRefusal('SVC2107', `The plan was applied already, at ${applied.at}`, [], {
    hint: 'Nothing was written. To send the credentials again, plan again.',
  })
}

function projectOf({ project }: OpenedTarget, { declarations }: { readonly declarations: readonly Declaration[] }) {
  return { project, declarations }
}
