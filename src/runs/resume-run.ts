// A run that goes on with an apply that was broken off: finds out what came of its steps, and carries out the rest of the
// same plan, if everything else is as that plan and its steps leave it.

import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { BrokenApplyError, createSynchronisation, readBack } from '../apply/index.ts'
import { buildPlanDocument } from '../core/build-plan-document.ts'
import type { Declaration } from '../core/declaration.ts'
import type { Kind, Location } from '../core/kind.ts'
import type { Plan } from '../core/plan.ts'
import type { PlanDocument } from '../core/plan-document.ts'
import type { ApplyReport } from '../core/report.ts'
import { type RestOfPlan, restOfPlan } from '../core/rest-of-plan.ts'
import type { SavedPlan } from '../core/saved-plan.ts'
import { wholeReport } from '../core/whole-report.ts'
import { RefusedError } from '../errors/index.ts'
import { continueJournal, type JournalPlace, type JournalState } from '../journal/index.ts'
import type { PlatformClient } from '../platform/index.ts'
import { type ApplyRunOptions, applyRun } from './apply-run.ts'
import type { ReadProject } from './open-project.ts'
import { foldOf, type OpenedTarget } from './open-target.ts'
import { isUnaltered } from './plan-file.ts'
import { type PlanRun, type PlanRunOptions, planRun } from './plan-run.ts'
import { planAgain } from './same-plan.ts'
import { observeSaved, type SavedPlanRunOptions } from './saved-plan-run.ts'
import { sha256 } from './sha256.ts'

export interface ResumedRun extends PlanRun {
  /** The plan of the journal. */
  readonly planned: PlanDocument
  readonly journal: JournalState
  readonly rest: RestOfPlan
}

export interface ResumeRunOptions extends Omit<PlanRunOptions, 'only' | 'allow'> {
  /** Second interrupt: nothing more is waited for. */
  readonly kill?: AbortSignal | undefined
}

/**
 * Writes nothing. Rejects with a RefusedError that tells everything that is not as it was; otherwise as `planRun` does.
 * The result holds the plan of what is left, under the ids of the journal's plan.
 */
export async function resumeRun(
  opened: ReadProject,
  client: PlatformClient,
  journal: JournalState,
  options: ResumeRunOptions,
): Promise<ResumedRun> {
  return takeUp(opened, client, journal, options, async () => {
    const fresh = await planRun(opened, client, { ...options, only: journal.plan.only })
    if (fresh.document.manifestsDigest === journal.plan.manifestsDigest) {
      keepsOwnAccess(fresh, journal.plan)
      return fresh
    }
    throw new RefusedError('SVC2125', 'The manifests do not say what they said when the apply was begun', {
      hint: 'Nothing was written. Go on with the manifests of then, and with the same `--var`; or run apply without the journal. An entry whose time has begun or ended since is a change, too.',
    })
  })
}

/** Another application may go on than the one that was asked about when the apply began. */
function keepsOwnAccess({ plan }: PlanRun, planned: PlanDocument): void {
  const allowed = new Set(planned.guards.flatMap(({ verdict, allow }) => (verdict === 'allowed' ? [allow] : [])))
  const refused = plan.guards.filter(
    ({ guard, verdict, allow }) => guard === 'acting-application' && verdict === 'refused' && !allowed.has(allow),
  )
  if (refused.length === 0) return
  throw new RefusedError('SVC2070', 'Refused by acting-application: nothing was written', {
    reasons: refused.map(({ sentence }) => sentence),
    hint: 'Go on with the application that began; or run apply without the journal, and allow it there.',
  })
}

export interface ResumedSavedRun extends ResumedRun {
  /** Those of the saved plan, with their references resolved. */
  readonly declarations: readonly Declaration[]
}

/** The same for a journal that begins with a saved plan: it needs no manifests. Its age does not matter any more. */
export async function resumeSavedRun(
  opened: OpenedTarget,
  client: PlatformClient,
  journal: JournalState,
  saved: SavedPlan,
  options: ResumeRunOptions & SavedPlanRunOptions,
): Promise<ResumedSavedRun> {
  if (!isUnaltered(saved)) {
    throw new RefusedError('SVC2103', 'The plan in the journal is not as it was saved: its checksum does not fit', {
      hint: 'Nothing was written. The journal was edited. Run apply without it: it plans anew.',
    })
  }
  const fold = foldOf(opened.project)
  let declarations: readonly Declaration[] = []
  const resumed = await takeUp({ project: opened.project, fold }, client, journal, options, async () => {
    const again = await observeSaved(opened, client, saved, options)
    declarations = again.declarations
    const plan: Plan = { ...planAgain(saved, again.observation, fold), guards: saved.guards }
    const { target, only } = saved
    const { version, createdAt } = options
    const document = buildPlanDocument(plan, { target, version, createdAt, only, fold, digest: sha256 })
    return { plan, document, target }
  })
  return { ...resumed, declarations }
}

async function takeUp(
  opened: Pick<ReadProject, 'project' | 'fold'>,
  client: PlatformClient,
  journal: JournalState,
  options: ResumeRunOptions,
  planNow: () => Promise<PlanRun>,
): Promise<ResumedRun> {
  const planned = journal.plan
  sameTarget(planned, opened)
  await awaitSynchronised(opened, client, journal, options)
  const fresh = await planNow()
  const states = new Map([...journal.steps].map(([id, { state }]) => [id, state]))
  const rest = restOfPlan(planned, states, { document: fresh.document, steps: fresh.plan.steps }, opened.fold)
  if (rest.discrepancies.length > 0 && fresh.document.unreadable.length === 0) {
    throw new RefusedError('SVC2126', 'The Svc platform is not as the apply that was broken off left it', {
      reasons: rest.discrepancies,
      hint: 'Nothing was written. Run apply without the journal: it plans anew.',
    })
  }
  // The guards were asked about the whole plan, before its first write.
  const plan = { ...fresh.plan, steps: rest.steps, guards: planned.guards }
  return { plan, document: fresh.document, target: fresh.target, planned, journal, rest }
}

/** Carries out what is left, and reports on the whole plan. `place`: of the journal, which is gone on with. */
export async function applyRest(
  opened: Pick<ReadProject, 'project' | 'fold' | 'declarations'>,
  client: PlatformClient,
  resumed: ResumedRun,
  place: JournalPlace,
  options: Omit<ApplyRunOptions, 'journal' | 'maybeSent'> & { readonly version: string },
): Promise<ApplyReport> {
  const { journal, planned, rest, plan } = resumed
  const { foundDone, foundNotDone, needless } = rest
  const told = { version: options.version, done: foundDone, notDone: foundNotDone }
  const isNeedless = new Set(needless)
  const whole = (report: ApplyReport): ApplyReport =>
    wholeReport(planned, report, ({ id }) => {
      const known = journal.steps.get(id)
      const isUnchanged = known?.state === 'unchanged' || isNeedless.has(id)
      return { outcome: isUnchanged ? 'unchanged' : 'done', attempts: known?.attempts ?? 0 }
    })
  // Where nothing is left, the journal learns it all the same.
  if (plan.steps.length === 0) await (await continueJournal(place, journal.length, told)).close()
  try {
    const report = await applyRun(opened, client, resumed, {
      ...options,
      journal: () => continueJournal(place, journal.length, told),
      maybeSent: new Set(foundNotDone),
    })
    return whole(report)
  } catch (error) {
    if (error instanceof BrokenApplyError) throw new BrokenApplyError(whole(error.report), error.cause)
    throw error
  }
}

function sameTarget(
  { target: { baseUrl, apiVersion, databases, name } }: PlanDocument,
  { project }: Pick<ReadProject, 'project'>,
): void {
  const { target } = project
  const isSame =
    target.baseUrl === baseUrl && target.apiVersion === apiVersion && isDeepStrictEqual(target.databases, databases)
  if (isSame) return
  throw new RefusedError(
    'SVC2125',
    `The journal is about another target than \`${target.name}\`: \`${name}\`, ${baseUrl}`,
    {
      hint: 'Nothing was written. Name its target with --target.',
    },
  )
}

/** What the broken run wrote may still be being synchronised: nothing can be said of it, or rest on it, until then. */
async function awaitSynchronised(
  { project, fold }: Pick<ReadProject, 'project' | 'fold'>,
  client: PlatformClient,
  { plan, steps }: JournalState,
  { kinds, kill }: ResumeRunOptions,
): Promise<void> {
  const written = plan.steps.flatMap((step) => {
    const kind = kinds.find(({ name }) => name === step.kind)
    const state = steps.get(step.id)?.state ?? 'not-done'
    return kind?.synchronises && state !== 'not-done' ? [{ step, kind, state }] : []
  })
  if (written.length === 0) return
  await client.authorise([...new Set(written.map(({ kind }) => kind))].flatMap((kind: Kind) => kind.scopes.read))
  const { pageSize, sync } = project.settings
  const synchronisation = createSynchronisation({
    port: client,
    fold,
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
        // Where it was not carried out, nothing would ever come of waiting.
        const live = await readBack(client, kind, address, at, { fold, pageSize }).catch(() => undefined)
        if (live === undefined || live.ready || verb === 'delete') return
      }
      await synchronisation.wait({ kind, address, at, until: verb === 'delete' ? 'gone' : 'ready', urgent: true })
    }),
  )
}
