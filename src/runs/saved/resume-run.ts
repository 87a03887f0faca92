// Goes on with an apply that was broken off: finds out what came of its steps, and carries out the rest.
import { setTimeout as delay } from 'node:timers/promises'
import { BrokenApplyError } from '@svcsync/apply/apply-plan.ts'
import { readBack } from '@svcsync/apply/read-back.ts'
import { Synchronisation } from '@svcsync/apply/synchronisation.ts'
import { byAddress } from '@svcsync/core/model/address.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import { describeUnverifiable } from '@svcsync/core/plan/build-plan-document.ts'
import { manifestsText } from '@svcsync/core/plan/plan-digest.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { type ApplyReport, joinReports } from '@svcsync/core/plan/report.ts'
import { discrepancySentence } from '@svcsync/core/saved/plan-refusal.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { RefusedError } from '@svcsync/errors/index.ts'
import { continueJournal, type JournalPlace } from '@svcsync/journal/journal.ts'
import type { JournalState } from '@svcsync/journal/read-journal.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Target } from '@svcsync/project/project.ts'
import type { ReadProject } from '../open/open-project.ts'
import type { OpenedTarget } from '../open/open-target.ts'
import { sha256 } from '../open/sha256.ts'
import { withTargetPolicies } from '../open/with-policies.ts'
import { type ApplyRunOptions, applyRun } from '../plan/apply-run.ts'
import { isDeclared } from '../plan/base-declarations.ts'
import { type PlanRun, type PlanRunOptions, planRun } from '../plan/plan-run.ts'
import { targetDifferences } from './check-saved-plan.ts'
import { carryOn, type HeldRun } from './held-plan.ts'
import { isUnaltered, isUnedited } from './plan-file.ts'
import { planAgain, type SavedPlanRunOptions } from './saved-plan-run.ts'

export interface ResumedRun extends HeldRun {
  readonly planned: PlanDocument
  readonly journal: JournalState
}

export interface ResumeRunOptions extends Omit<PlanRunOptions, 'only'> {
  readonly nowMs: number
  /** Second interrupt: nothing more is waited for. */
  readonly kill?: AbortSignal | undefined
}

/** The plan of what is left, under the ids of the journal's plan. Rejects for everything that is not as it was. */
export async function resumeRun(
  opened: ReadProject,
  client: PlatformClient,
  journal: JournalState,
  options: ResumeRunOptions,
): Promise<ResumedRun> {
  return resumeFrom(opened, client, journal, options, async () => {
    const { only, due } = journal.plan
    const again = due && { sinceMs: due.since == null ? undefined : Date.parse(due.since) }
    const fresh = await planRun(opened, client, {
      ...{ ...options, only, applies: true, due: again },
      rotate: journal.plan,
      leaves: journal.plan.unreadable,
    })
    if (manifestsDigestOf(fresh, journal.plan) === journal.plan.manifestsDigest)
      return { plan: fresh.plan, declarations: opened.declarations, judge: () => fresh.plan.guards }
    throw new RefusedError('SVC2125', 'The manifests have changed since the apply began', {
      hint:
        'Nothing was written. Resume with the same manifests, exceptions and `--var`, or run `svcsync apply` ' +
        'without the journal. An entry whose time has begun or ended since counts as a change.',
    })
  })
}

/** Covers everything that the journal's plan concerned, readable now or not. */
function manifestsDigestOf({ document, plan }: PlanRun, planned: PlanDocument): string {
  const { unread = [], changes } = plan
  const since = new Set(plan.unreadable.flatMap(({ address, isNew }) => (isNew ? address : [])))
  if (since.size === 0) return document.manifestsDigest
  const hadChange = new Set(planned.changes.map(({ address }) => address))
  // A dropped object counts only if it had work.
  const more = unread.filter(
    (object) => since.has(object.address) && (isDeclared(object) || hadChange.has(object.address)),
  )
  const all = [...changes.flatMap(({ desired }) => desired ?? []), ...more]
  return sha256(manifestsText(all.sort(byAddress)))
}

/** The same for a journal that begins with a saved plan: it needs no manifests. Its age does not matter any more. */
export async function resumeSavedRun(
  given: OpenedTarget,
  client: PlatformClient,
  journal: JournalState,
  saved: SavedPlan,
  options: ResumeRunOptions & SavedPlanRunOptions,
): Promise<ResumedRun> {
  const opened = await withTargetPolicies(given)
  return resumeFrom(opened, client, journal, options, () => planAgain(opened, client, saved, options))
}

/** `planNow` plans again what the journal is about, when what the broken run wrote is synchronised. */
async function resumeFrom(
  opened: Pick<ReadProject, 'project'>,
  client: PlatformClient,
  journal: JournalState,
  options: ResumeRunOptions,
  planNow: () => Promise<Parameters<typeof carryOn>[1]>,
): Promise<ResumedRun> {
  const { plan: planned, preconditions } = journal
  refuseForeignJournal(journal, opened.project.target)
  await awaitSynchronised(opened, client, journal, options)
  const now = await planNow()
  const begun = new Map([...journal.steps].map(([id, { state }]) => [id, state]))
  const skips = opened.project.settings.unreadable === 'skip'
  const held = { document: planned, preconditions, begun }
  const run = await carryOn(held, now, opened.project, options.nowMs, ({ differences }) => {
    // Without skips, unreadable objects are reported first.
    if (differences.length === 0 || (!skips && now.plan.unreadable.length > 0)) return
    throw new RefusedError('SVC2126', 'The Svc platform has changed since the interrupted apply', {
      reasons: differences.map(discrepancySentence),
      hint: 'Nothing was written. Run `svcsync apply` without the journal: it plans again.',
    })
  })
  return { ...run, planned, journal }
}

/** A fitting chain shows that nobody edited the journal in passing; its contents are still checked. */
function refuseEdited({ plan, preconditions, brokenAt }: JournalState): void {
  const hint = 'Nothing was written. The journal was edited. Run `svcsync apply` without it: it plans again.'
  if (!('saved' in plan ? isUnaltered(plan as SavedPlan) : isUnedited(plan, preconditions)))
    throw new RefusedError('SVC2103', 'The plan in the journal was altered: its checksum does not match', {
      hint,
    })
  if (brokenAt === undefined) return
  const message = `Line ${brokenAt} of the journal does not follow the lines before: one was edited, moved or removed`
  throw new RefusedError('SVC2129', message, { hint })
}

/** Throws a RefusedError where the journal was edited, or is about another target. */
export function refuseForeignJournal(journal: JournalState, own: Target): void {
  const { plan, preconditions } = journal
  refuseEdited(journal)
  const others = targetDifferences(plan, preconditions, own)
  if (others.length === 0) return
  const message = `The journal has another target than \`${own.name}\`: \`${plan.target.name}\`, ${plan.target.baseUrl}`
  throw new RefusedError('SVC2125', message, {
    reasons: others.map(({ path, planned, found }) => `${path}: ${planned} there, and ${found} here`),
    hint: 'Nothing was written. Name its target with --target.',
  })
}

/** Executes the rest, and reports on the whole plan. `place`: of the journal, which continues. */
export async function applyRest(
  opened: Pick<ReadProject, 'project' | 'declarations'>,
  client: PlatformClient,
  resumed: ResumedRun,
  place: JournalPlace,
  options: Omit<ApplyRunOptions, 'journal' | 'maybeSent'> & { readonly version: string },
): Promise<ApplyReport> {
  const { journal, planned, rest, plan } = resumed
  const { foundDone, foundNotDone, unsettled, needless } = rest
  const told = { version: options.version, done: foundDone, notDone: foundNotDone }
  const isNeedless = new Set(needless)
  const whole = (report: ApplyReport): ApplyReport =>
    joinReports(planned, report, describeUnverifiable(plan.changes), ({ id }) => {
      const known = journal.steps.get(id)
      const isUnchanged = known?.state === 'unchanged' || isNeedless.has(id)
      return { outcome: isUnchanged ? 'unchanged' : 'done', attempts: known?.attempts ?? 0 }
    })
  // Even if no step is left, the journal records the resume, and its end.
  const idle = plan.steps.length === 0 ? await continueJournal(place, journal, told) : undefined
  try {
    const report = await applyRun(opened, client, resumed, {
      ...options,
      journal: () => continueJournal(place, journal, told),
      maybeSent: new Set([...foundNotDone, ...unsettled]),
    })
    const done = whole(report)
    await idle?.finish(done).catch(() => undefined)
    return done
  } catch (error) {
    if (error instanceof BrokenApplyError) throw new BrokenApplyError(whole(error.report), error.cause)
    throw error
  } finally {
    await idle?.close()
  }
}

/** Writes of the interrupted run may still be synchronising, and nothing may rest on them until then. */
async function awaitSynchronised(
  { project }: Pick<ReadProject, 'project'>,
  client: PlatformClient,
  { plan, steps }: JournalState,
  { kill }: ResumeRunOptions,
): Promise<void> {
  const written = plan.steps.flatMap((step) => {
    const kind = project.kinds.find(({ name }) => name === step.kind)
    const state = steps.get(step.id)?.state ?? 'not-done'
    return kind?.synchronises && state !== 'not-done' ? [{ step, kind, state }] : []
  })
  if (written.length === 0) return
  await client.authorise([...new Set(written.map(({ kind }) => kind))].flatMap((kind: Kind) => kind.scopes.read))
  const { pageSize, sync } = project.settings
  const synchronisation = new Synchronisation({
    port: client,
    pageSize,
    timeoutMs: sync.timeoutMs,
    timer: () => performance.now(),
    sleep: (delayMs, signal) => delay(delayMs, undefined, signal && { signal }).catch(() => undefined),
    kill,
    onWaiting: () => undefined,
    onPlatformDown: () => synchronisation.giveUp(),
  })
  synchronisation.hurry(true)
  await Promise.all(
    written.map(async ({ step, kind, state }) => {
      const { address, verb } = step
      const location = step.at as Location
      const at = { ...location, self: location.self ?? location.name ?? '' }
      if (state === 'unknown') {
        // After a step that had no effect, waiting would never end.
        const live = await readBack(client, kind, address, at, { pageSize }).catch(() => undefined)
        if (live === undefined || live.ready || verb === 'delete') return
      }
      await synchronisation.wait({ kind, address, at, until: verb === 'delete' ? 'gone' : 'ready', urgent: true })
    }),
  )
}
