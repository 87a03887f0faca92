// A run that takes up a saved plan: reads again what its steps rest on, computes the steps again, and goes on only if all
// is as it was when the plan was made. There is no second way from data to steps.
import type { FoldSvcId } from '../core/address.ts'
import { asWrittenDirectory } from '../core/as-written-directory.ts'
import { assembleDesired } from '../core/assemble-desired.ts'
import type { Declaration } from '../core/declaration.ts'
import type { AssemblySettings } from '../core/desired.ts'
import type { Allowance } from '../core/guards/allowances.ts'
import type { Kind } from '../core/kind.ts'
import type { ActingApplication } from '../core/plan-document.ts'
import { PlanRefusal } from '../core/plan-refusal.ts'
import type { SavedPlan } from '../core/saved-plan.ts'
import { type Observation, type ObserveOptions, observe } from '../live/observe.ts'
import type { PlatformClient } from '../platform/index.ts'
import { describeApplication, readActingApplication } from './acting-application.ts'
import { type CheckOptions, checkSavedPlan } from './check-saved-plan.ts'
import { judgeSavedPlan } from './judge-saved-plan.ts'
import { foldOf, type OpenedTarget } from './open-target.ts'
import type { PlanRun } from './plan-run.ts'
import { restoreDeclarations } from './restore-declarations.ts'
import { behindOf, samePlan } from './same-plan.ts'
import { documentOf } from './save-plan.ts'
import { readNeeds } from './scope-needs.ts'
import { secretsOf } from './secrets-of.ts'
import { withTargetPolicies } from './with-policies.ts'

export interface SavedPlanRunOptions extends CheckOptions {
  readonly kinds: readonly Kind[]
  /** What the references of the plan are resolved from. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What guards are to let pass, besides what the plan says. */
  readonly allow?: readonly Allowance[] | undefined
  readonly onProgress?: ((objects: number) => void) | undefined
}

export interface SavedPlanRun extends PlanRun {
  /** Those of the plan, with their references resolved. */
  readonly declarations: readonly Declaration[]
}

/**
 * Asks the guards and the policies of the project again: the verdicts of the result are theirs, beside what the plan says.
 * Rejects with a RefusedError that tells everything that is not as it was; with an AuthorError where a reference leads
 * nowhere here; with a PlatformError or an AccessError when the platform cannot be read. Writes nothing.
 */
export async function savedPlanRun(
  given: OpenedTarget,
  client: PlatformClient,
  saved: SavedPlan,
  options: SavedPlanRunOptions,
): Promise<SavedPlanRun> {
  checkSavedPlan(saved, given, options)
  const opened = await withTargetPolicies(given, options.kinds)
  const { declarations, observation, fold, application } = await observeSaved(opened, client, saved, options)
  const plan = samePlan(saved, observation, fold, options.nowMs)
  const recomputed = { plan, observation, application, nowMs: options.nowMs }
  const guards = await judgeSavedPlan(saved, opened, recomputed, options.allow ?? [])
  return { plan: { ...plan, guards }, document: { ...documentOf(saved), guards }, target: saved.target, declarations }
}

export interface SavedObservation {
  readonly declarations: readonly Declaration[]
  readonly observation: Observation
  readonly fold: FoldSvcId
  /** As whom the run signs in. */
  readonly application: ActingApplication
}

/** Reads what the steps of the plan rest on, as it is now. */
export async function observeSaved(
  { project }: OpenedTarget,
  client: PlatformClient,
  saved: SavedPlan,
  options: SavedPlanRunOptions,
): Promise<SavedObservation> {
  const fold = foldOf(project)
  const { declarations, sets } = restoreDeclarations(saved, {
    ...options,
    projectDir: project.dir,
    variables: project.target.variables,
    readFilesFrom: project.settings.readFilesFrom,
  })
  client.conceal(secretsOf({ declarations }))
  const kinds = new Map(options.kinds.map((kind) => [kind.name, kind]))
  const prune = pruneAgain(saved, kinds, fold)
  await client.authorise(
    readNeeds(
      declarations,
      prune?.rules.map(({ kind }) => kind),
    ),
  )
  const application = await sameApplication(saved, client)
  const assembly: AssemblySettings = {
    fold,
    collections: saved.saved.collections,
    sets,
    overrides: new Set(saved.saved.overrides),
    time: { nowMs: options.nowMs, timeZone: saved.saved.timeZone },
  }
  const { databases } = project.target
  const asWritten = assembleDesired(declarations, asWrittenDirectory(databases, kinds), assembly)
  const observation = await observe(client, declarations, asWritten.desired, {
    ...assembly,
    kinds,
    databases,
    prune,
    pageSize: project.settings.pageSize,
    only: [],
    addresses: new Set([
      ...saved.saved.objects.map(({ address }) => address),
      ...saved.saved.accounts,
      ...behindOf(saved),
    ]),
    ...(options.onProgress && { onProgress: options.onProgress }),
  })
  return { declarations, observation, fold, application }
}

/** Deletes what the plan deletes, and nothing that has come to match a pattern since. */
function pruneAgain({ saved }: SavedPlan, kinds: ReadonlyMap<string, Kind>, fold: FoldSvcId): ObserveOptions['prune'] {
  if (saved.pruned.length === 0) return undefined
  const strays = new Map(saved.pruned.map(({ kind, name, pattern }) => [`${kind} ${fold(name)}`, { pattern }]))
  const pruned = [...new Set(saved.pruned.map(({ kind }) => kind))].flatMap((name) => kinds.get(name) ?? [])
  return {
    rules: pruned.map((kind) => ({ kind, patterns: [] })),
    judge: (kind, name) => strays.get(`${kind.name} ${fold(name)}`),
  }
}

async function sameApplication({ application }: SavedPlan, client: PlatformClient): Promise<ActingApplication> {
  const own = await readActingApplication(client)
  const planned = describeApplication(application)
  const found = describeApplication(own)
  if (planned === found) return own
  throw new PlanRefusal(
    'SVC2106',
    'The plan was made by another application than the one that applies',
    [{ subject: 'application', path: '', planned, found }],
    {
      hint: 'Nothing was written. Plan with the credentials that apply; or apply without a file, with --expect: a digest holds for every application.',
    },
  )
}
