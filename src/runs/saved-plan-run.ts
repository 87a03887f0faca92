// A run that takes up a saved plan: reads again what its steps rest on, computes the steps again, and goes on only if all
// is as it was when the plan was made. There is no second way from data to steps.
import { addressKey, type FoldSvcId } from '../core/address.ts'
import { asWrittenDirectory } from '../core/as-written-directory.ts'
import { assembleDesired } from '../core/assemble-desired.ts'
import { stepDocument } from '../core/build-plan-document.ts'
import { compareBases, compareSteps } from '../core/compare-basis.ts'
import type { Declaration } from '../core/declaration.ts'
import type { AssemblySettings } from '../core/desired.ts'
import type { Allowance } from '../core/guards/allowances.ts'
import type { Kind } from '../core/kind.ts'
import { liveBasisOf } from '../core/live-basis.ts'
import { makePlan, type Plan } from '../core/plan.ts'
import { basisText } from '../core/plan-digest.ts'
import type { ActingApplication } from '../core/plan-document.ts'
import { type Discrepancy, PlanRefusal } from '../core/plan-refusal.ts'
import type { SavedPlan } from '../core/saved-plan.ts'
import { stepsByAddress } from '../core/step.ts'
import { formatPlace, type Problem } from '../errors/index.ts'
import { type Observation, type ObserveOptions, observe } from '../live/observe.ts'
import type { PlatformClient } from '../platform/index.ts'
import { describeApplication, readActingApplication } from './acting-application.ts'
import { type CheckOptions, checkSavedPlan } from './check-saved-plan.ts'
import { judgeSavedPlan } from './judge-saved-plan.ts'
import { foldOf, type OpenedTarget } from './open-target.ts'
import type { PlanRun } from './plan-run.ts'
import { restoreDeclarations } from './restore-declarations.ts'
import { documentOf } from './save-plan.ts'
import { readNeeds } from './scope-needs.ts'
import { secretsOf } from './secrets-of.ts'
import { sha256 } from './sha256.ts'
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

/** What it would take now. What steps only refer to, and what guards look at besides, is no part of it. */
export function planAgain(saved: SavedPlan, { desired, live, prune }: Observation, fold: FoldSvcId) {
  const beside = new Set([...saved.saved.accounts, ...behindOf(saved)])
  const objects = desired.filter(({ address }) => !beside.has(address))
  return makePlan(objects, live, fold, prune)
}

/** The plan computed again; throws a PlanRefusal with everything that keeps it from being the same. */
function samePlan(saved: SavedPlan, observation: Observation, fold: FoldSvcId, nowMs: number): Omit<Plan, 'guards'> {
  const plan = planAgain(saved, observation, fold)
  const discrepancies = [
    ...passedBounds(saved, nowMs),
    ...errorsAsDiscrepancies(observation.problems),
    ...missingAccounts(saved, observation, fold),
    ...unreadableBehind(saved, observation, fold),
    ...changedObjects(saved, plan, fold),
  ]
  const digests = new Map(saved.steps.map(({ address, liveDigest }) => [address, liveDigest]))
  const steps = plan.steps.map((step) => stepDocument(step, digests.get(step.address) ?? ''))
  if (discrepancies.length === 0) discrepancies.push(...errorsAsDiscrepancies(plan.problems))
  if (discrepancies.length === 0) discrepancies.push(...compareSteps(saved.steps, steps))
  if (discrepancies.length === 0) return { ...plan, unreadable: [], problems: [] }
  // As many as are listed: an object may differ in several fields.
  const { size } = new Set(discrepancies.map(({ subject }) => subject))
  const what = size === 1 ? 'One thing that the plan rests on is' : `${size} things that the plan rests on are`
  throw new PlanRefusal('SVC2107', `${what} not as when it was made, at ${saved.createdAt}`, discrepancies, {
    hint:
      plan.steps.length === 0 && plan.unreadable.length === 0
        ? 'Nothing was written, and nothing of it is left to do: it may have been applied already.'
        : 'Nothing was written. Plan again, and have that plan reviewed.',
  })
}

/** An entry whose time has begun or ended since is another entry. */
function passedBounds({ upcoming, saved }: SavedPlan, nowMs: number): Discrepancy[] {
  const addresses = new Set(saved.objects.map(({ address }) => address))
  return upcoming
    .filter(({ address, at }) => addresses.has(address) && Date.parse(at) <= nowMs)
    .map(({ address, collection, svcId, event, at }) => {
      const verb = event === 'begins' ? 'began' : 'ended'
      return { subject: address, path: collection, remark: `the time of \`${svcId}\` ${verb} at ${at}` }
    })
}

function errorsAsDiscrepancies(problems: readonly Problem[]): Discrepancy[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ address, place, message }) => {
      return { subject: address ?? (place === undefined ? 'plan' : formatPlace(place)), path: '', remark: message }
    })
}

function missingAccounts({ saved }: SavedPlan, { desired, live }: Observation, fold: FoldSvcId): Discrepancy[] {
  return saved.accounts.flatMap((address): Discrepancy[] => {
    const account = desired.find((object) => object.address === address)
    const key = account && addressKey(address, account.kind.comparesBy, fold)
    if (key !== undefined && live.objects.has(key)) return []
    const reason = key === undefined ? undefined : live.unreadable.get(key)?.reason
    const remark = reason === undefined ? 'was there, and is gone; steps refer to it' : `could not be read: ${reason}`
    return [{ subject: address, path: '', remark }]
  })
}

/** Files of before guards were asked again name none. */
function behindOf({ saved }: SavedPlan): readonly string[] {
  return saved.behind ?? []
}

/** What is gone is no matter of its own: whoever was in it has lost it already. */
function unreadableBehind(saved: SavedPlan, { desired, live }: Observation, fold: FoldSvcId): Discrepancy[] {
  const behind = new Set(behindOf(saved))
  return desired.flatMap(({ address, kind }): Discrepancy[] => {
    const reason = behind.has(address)
      ? live.unreadable.get(addressKey(address, kind.comparesBy, fold))?.reason
      : undefined
    return reason === undefined ? [] : [{ subject: address, path: '', remark: `could not be read: ${reason}` }]
  })
}

function changedObjects({ saved, steps }: SavedPlan, plan: Omit<Plan, 'guards'>, fold: FoldSvcId): Discrepancy[] {
  const changes = new Map(plan.changes.map((change) => [change.address, change]))
  const unreadable = new Map(plan.unreadable.map(({ address, reason }) => [address, reason]))
  const digests = new Map(steps.map(({ address, liveDigest }) => [address, liveDigest]))
  const own = stepsByAddress(plan.steps)
  return saved.objects.flatMap(({ address, basis }): Discrepancy[] => {
    const change = changes.get(address)
    if (change === undefined) {
      const reason = unreadable.get(address)
      const remark = reason === undefined ? 'is not found under this address any more' : `could not be read: ${reason}`
      return [{ subject: address, path: '', remark }]
    }
    const found = liveBasisOf(change, own.get(address) ?? [], fold)
    const different = compareBases(address, basis, found, fold)
    if (different.length > 0 || sha256([basisText(found, fold)]) === digests.get(address)) return different
    return [{ subject: address, path: '', remark: 'its live state has another digest than in the plan' }]
  })
}
