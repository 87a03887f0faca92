// What commands that work on a project have in common: opening it, connecting, and showing problems.
import { cwd, env } from 'node:process'
import { type Allowance, idleAllowances, parseAllowance } from '../core/guards/allowances.ts'
import { isPolicyGuard, type Verdict } from '../core/guards/guard.ts'
import type { SavedPlan } from '../core/saved-plan.ts'
import { AuthorError } from '../errors/index.ts'
import type { JournalState } from '../journal/index.ts'
import { kinds } from '../kinds/index.ts'
import type { PlatformClient } from '../platform/index.ts'
import { checkSavedPlan } from '../runs/check-saved-plan.ts'
import { type ConnectOptions, connect } from '../runs/connect.ts'
import { hasErrors, type ReadProject, readProject, UnusableProject } from '../runs/open-project.ts'
import { foldOf, openTarget } from '../runs/open-target.ts'
import { type PlanRun, planRun } from '../runs/plan-run.ts'
import { type ResumedRun, resumeRun, resumeSavedRun } from '../runs/resume-run.ts'
import { savedPlanRun } from '../runs/saved-plan-run.ts'
import { policyGuards, withPolicies, withTargetPolicies } from '../runs/with-policies.ts'
import type { Console } from './console.ts'
import { noteClientEvent } from './note-client-event.ts'
import { ShownError } from './problems-text.ts'
import type { SharedOptions } from './shared-options.ts'
import { giveYoungObjectsRoom } from './size-heap.ts'
import { version } from './version.ts'

/** Problems of a project file that cannot be used at all are shown with their frames. */
export function readForCommand(options: SharedOptions, colour: boolean): ReadProject {
  giveYoungObjectsRoom()
  return shownIfUnusable(colour, () => read(options))
}

function shownIfUnusable<T>(colour: boolean, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof UnusableProject) throw new ShownError(error.problems, error, colour)
    throw error
  }
}

function read(options: SharedOptions): ReadProject {
  return readProject({
    project: options.project,
    target: options.target,
    variables: options.var,
    concurrency: options.concurrency,
    cwd: cwd(),
    env,
    kinds,
    needCredentials: true,
    nowMs: Date.now(),
  })
}

/** Credentials that are missing are among the problems of the project file: those say where. */
function connectUnlessBroken(
  opened: Pick<ReadProject, 'project' | 'problems' | 'sources'>,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal | undefined,
): PlatformClient {
  const settings: ConnectOptions = {
    version,
    env,
    signal: kill,
    caFile: options.caFile,
    onEvent: (event) => noteClientEvent(event, console, options.verbose ?? false),
  }
  try {
    return connect(opened.project, settings)
  } catch (error) {
    if (!hasErrors(opened.problems)) throw error
    throw new ShownError(opened.problems, opened, console.colourErrors)
  }
}

export interface Planned extends PlanRun {
  readonly client: PlatformClient
}

/** Opens a connection and plans. Problems of the manifests are shown with their frames before the error goes on. */
export async function planForCommand(
  project: ReadProject,
  options: SharedOptions,
  console: Console,
  { kill, goesOn = false }: { readonly kill?: AbortSignal; readonly goesOn?: boolean } = {},
): Promise<Planned> {
  const opened = await withPolicies(project, kinds)
  const allow = options.allow.map((text) => parseAllowance(text, policyGuards(opened)))
  const client = connectUnlessBroken(opened, options, console, kill)
  const { only } = options
  return runWith(opened, client, console, (onProgress) =>
    planRun(opened, client, { kinds, only, allow, version, goesOn, createdAt: new Date().toISOString(), onProgress }),
  )
}

/** Opens a connection and finds out what is left of an apply that was broken off. Nothing is written. */
export async function resumeForCommand(
  journal: JournalState,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
): Promise<{ readonly opened: TakenUp; readonly resumed: ResumedRun & { readonly client: PlatformClient } }> {
  const target = options.target ?? (env.SVCSYNC_TARGET ? env.SVCSYNC_TARGET : journal.plan.target.name)
  const run = { kinds, version, createdAt: new Date().toISOString(), kill }
  if (!('saved' in journal.plan)) {
    const opened = await withPolicies(readForCommand({ ...options, target }, console.colourErrors), kinds)
    const client = connectUnlessBroken(opened, options, console, kill)
    const resumed = await runWith(opened, client, console, (onProgress) =>
      resumeRun(opened, client, journal, { ...run, onProgress }),
    )
    return { opened, resumed }
  }
  giveYoungObjectsRoom()
  const { project, concurrency } = options
  const opened = shownIfUnusable(console.colourErrors, () =>
    openTarget({ project, target, concurrency, cwd: cwd(), env, kinds }),
  )
  const client = connectUnlessBroken(opened, options, console, kill)
  const saved = journal.plan as SavedPlan
  const resumed = await runWith(opened, client, console, (onProgress) =>
    resumeSavedRun(opened, client, journal, saved, { ...run, env, nowMs: Date.now(), onProgress }),
  )
  const { declarations } = resumed
  return { opened: { project: opened.project, fold: foldOf(opened.project), declarations }, resumed }
}

/** What a saved plan takes from the project, and its own declarations. */
export type TakenUp = Pick<ReadProject, 'project' | 'fold' | 'declarations'>

/** Opens a connection and takes up a saved plan: nothing that it rests on has changed when this resolves. */
export async function takeUpForCommand(
  saved: SavedPlan,
  options: SharedOptions & { readonly maxAge?: number },
  console: Console,
  kill?: AbortSignal,
): Promise<{ readonly opened: TakenUp; readonly planned: Planned }> {
  const { project, concurrency, maxAge } = options
  giveYoungObjectsRoom()
  const target = options.target ?? (env.SVCSYNC_TARGET ? env.SVCSYNC_TARGET : saved.target.name)
  const bare = shownIfUnusable(console.colourErrors, () =>
    openTarget({ project, target, concurrency, cwd: cwd(), env, kinds }),
  )
  const nowMs = Date.now()
  checkSavedPlan(saved, bare, { nowMs, maxAgeMs: maxAge })
  const opened = await withTargetPolicies(bare, kinds).catch((error: unknown) => {
    if (error instanceof UnusableProject) throw new ShownError(error.problems, error, console.colourErrors)
    throw error
  })
  const known = saved.guards.flatMap(({ guard }) => (isPolicyGuard(guard) ? [guard] : []))
  const allow = options.allow.map((text) => parseAllowance(text, [...new Set([...policyGuards(opened), ...known])]))
  const client = connectUnlessBroken(opened, options, console, kill)
  const { declarations, ...planned } = await runWith(opened, client, console, (onProgress) =>
    savedPlanRun(opened, client, saved, { kinds, env, nowMs, maxAgeMs: maxAge, allow, onProgress }),
  )
  noteIdle(allow, planned.plan.guards, console)
  return { opened: { project: opened.project, fold: foldOf(opened.project), declarations }, planned }
}

/** Says which allowances let nothing pass: a slip of writing, or left over. */
export function noteIdle(allowances: readonly Allowance[], verdicts: readonly Verdict[], console: Console): void {
  for (const { allowance, hint } of idleAllowances(allowances, verdicts)) {
    console.note(
      `warning SVC2072  \`--allow ${allowance.guard}=${allowance.value}\` allows nothing in this plan. ${hint}`,
    )
  }
}

/** Shows progress, and problems with their frames; on an error the connection is given up. */
async function runWith<T extends PlanRun>(
  opened: Pick<ReadProject, 'project' | 'sources'>,
  client: PlatformClient,
  console: Console,
  run: (onProgress: (count: number) => void) => Promise<T>,
): Promise<T & { readonly client: PlatformClient }> {
  let objects = 0
  try {
    const result = await run((count) => {
      objects += count
      console.progress(`Reading ${opened.project.target.name}: ${objects} objects`)
    })
    console.progress('')
    // Not spread: that would put a plan into words that nobody may ask for.
    return Object.assign(result, { client })
  } catch (error) {
    console.progress('')
    await client.close()
    if (error instanceof AuthorError) throw new ShownError(error.problems, opened, console.colourErrors)
    throw error
  }
}
