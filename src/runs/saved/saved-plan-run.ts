// Reads the preconditions of the steps again, computes the plan again, and continues only if nothing changed.
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import type { Allowance } from '@svcsync/core/guards/allowances.ts'
import type { CommitHistory, Promotion } from '@svcsync/core/guards/guard.ts'
import { selectionOf } from '@svcsync/core/model/address.ts'
import type { AssemblySettings, Desired } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { removeExcepted, restoreExceptions } from '@svcsync/core/plan/except.ts'
import { makePlan, type Plan } from '@svcsync/core/plan/plan.ts'
import type { ActingApplication } from '@svcsync/core/plan/plan-document.ts'
import { withAccount } from '@svcsync/core/plan/rest-on-unread.ts'
import { PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
import type { SavedDeclared, SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { byCount, RefusedError, SvcsyncError } from '@svcsync/errors/index.ts'
import { observe } from '@svcsync/live/observe.ts'
import { type BaseDeclarations, joinedAsWritten } from '@svcsync/live/observe-base.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { OpenedTarget } from '../open/open-target.ts'
import { readNeeds } from '../open/scope-needs.ts'
import { secretsOf } from '../open/secrets-of.ts'
import { withTargetPolicies } from '../open/with-policies.ts'
import { describeApplication, readActingApplication } from '../plan/acting-application.ts'
import { isDeclared } from '../plan/base-declarations.ts'
import { checkInstallation, installationNeeds } from '../plan/check-installation.ts'
import { withStock } from '../plan/read-stock.ts'
import { readingPort } from '../plan/reading-port.ts'
import { rotatingAs } from '../plan/rotating.ts'
import { checkSavedPlan } from './check-saved-plan.ts'
import { carryOn, type HeldRun } from './held-plan.ts'
import { judgeSavedPlan } from './judge-saved-plan.ts'
import { documentOf } from './plan-file.ts'
import { restoreBase, restoreDeclarations, restoreEnds } from './restore-declarations.ts'

export interface SavedPlanRunOptions {
  readonly nowMs: number
  /** The plan may not be older, whatever it says of itself. */
  readonly maxAgeMs?: number | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The allowances for guards: those in the file do not count. */
  readonly allow?: readonly Allowance[] | undefined
  readonly onProgress?: ((objects: number) => void) | undefined
  /** If another commit was applied since: whether the plan's commit comes after it. */
  readonly history?: CommitHistory | undefined
  readonly promotion?: Promotion | 'takes-back' | undefined
}

/** The verdicts are those of the project now, beside what the plan refuses. Writes nothing. */
export async function savedPlanRun(
  given: OpenedTarget,
  client: PlatformClient,
  saved: SavedPlan,
  options: SavedPlanRunOptions,
): Promise<HeldRun> {
  checkSavedPlan(saved, given, options)
  const opened = await withTargetPolicies(given)
  const again = await planAgain(opened, client, saved, options)
  // The needs from its creation have just been resolved.
  const document = { ...documentOf(saved), needs: [] }
  const held = { document, preconditions: saved.saved, begun: new Map() }
  return carryOn(held, again, opened.project, options.nowMs, ({ differences }) => {
    if (differences.length > 0) throw staleRefusal(saved, again.plan, differences)
  })
}

function staleRefusal(
  { createdAt }: SavedPlan,
  { steps, unreadable }: Omit<Plan, 'guards'>,
  differences: PlanRefusal['discrepancies'],
): PlanRefusal {
  // As many as are listed: an object may differ in several fields.
  const { size } = new Set(differences.map(({ subject }) => subject))
  const what = byCount(size, 'One thing that the plan depends on has', `${size} things that the plan depends on have`)
  return new PlanRefusal('SVC2107', `${what} changed since it was made, at ${createdAt}`, differences, {
    hint:
      steps.length === 0 && unreadable.length === 0
        ? 'Nothing was written. Nothing of it is left to do: it may have been applied already.'
        : 'Nothing was written. Plan again, and have that plan reviewed.',
  })
}

/** `plan`: what it would take now; `observed`: for checkPreconditions. */
export async function planAgain(
  opened: OpenedTarget,
  client: PlatformClient,
  saved: SavedPlan,
  options: SavedPlanRunOptions,
) {
  const { project } = opened
  const { kinds } = project
  const { databases } = project.target
  const { declarations, otherwiseResolved, assembly, asWritten, base } = asSaved(() => {
    const { declarations, sets, otherwiseResolved } = restoreDeclarations(saved, {
      kinds,
      env: options.env,
      projectDir: project.dir,
      variables: project.target.variables,
      readFilesFrom: project.settings.readFilesFrom,
    })
    const time = { nowMs: options.nowMs, timeZone: saved.saved.timeZone }
    const assembly = assemblyOf(saved.saved, { normalise: client.normalise, sets, time })
    const asWritten = assembleDesired(declarations, asWrittenDirectory(databases, kinds), assembly)
    return {
      declarations,
      otherwiseResolved,
      assembly,
      asWritten,
      base: saved.saved.base && baseAgain(saved.saved.base, saved.base, asWritten.desired, assembly, project),
    }
  })
  client.conceal(secretsOf({ declarations }))
  const prune = pruneAgain(saved, kinds, assembly)
  await client.authorise([
    ...readNeeds(
      [...declarations, ...(base ? [base, ...base.begun] : []).flatMap((side) => side.declarations)],
      prune?.kinds,
    ),
    ...installationNeeds(project),
  ])
  // Both ask as whom svcsync signs in.
  const port = readingPort(client, () => undefined)
  await checkInstallation(project, port, { applies: true })
  const application = await sameApplication(saved, port)
  const { objects, accounts, behind } = saved.saved
  const observation = await observe(client, declarations, asWritten.desired, {
    ...assembly,
    kinds,
    databases,
    prune,
    base,
    pageSize: project.settings.pageSize,
    only: [],
    addresses: new Set([...objects.map(({ address }) => address), ...accounts, ...behind]),
    ...(options.onProgress && { onProgress: options.onProgress }),
  })
  const { desired, live } = observation
  const beside = new Set([...accounts, ...behind])
  const written = rotatingAs(
    saved,
    desired.filter(({ address }) => !beside.has(address)),
  )
  const unread = desired.flatMap((object) => {
    const reason = accounts.includes(object.address) ? live.unreadable.get(object.address) : undefined
    return reason === undefined ? [] : [{ ...withAccount(reason, object), isNew: true as const }]
  })
  const identity = saved.saved.base && saved.base?.from !== 'journal' ? saved.base : null
  const { prune: found } = observation
  // The plan's creation decided whether the manifests win.
  const { desired: wanted, orphans } = removeExcepted({ desired: written, orphans: found?.orphans ?? [] }, live, {
    ...{ exceptions: restoreExceptions(saved.exceptions?.left ?? []), hasBase: false },
    ...{ nowMs: options.nowMs, normalise: client.normalise },
  })
  const left = found && { ...found, orphans }
  const made = makePlan(wanted, live, left, identity ?? undefined, [...saved.unreadable, ...unread])
  const { plan, stocks } = await withStock(port, made, observation.reads.lists)
  // They determine the requests as much as the visible parts.
  const remark = 'its references would be resolved with other variables, or from another folder'
  const others = otherwiseResolved(written.filter(isDeclared)).map((subject) => ({ subject, path: '', remark }))
  if (others.length > 0) throw staleRefusal(saved, plan, others)
  const judge = (left: Omit<Plan, 'guards'>) =>
    judgeSavedPlan(saved, opened, { plan: left, observation, stocks, application, ...options })
  return { declarations, plan: { ...plan, problems: [] }, observed: { ...observation, ...live }, judge }
}

function assemblyOf(
  saved: SavedDeclared,
  { normalise, sets, time }: Pick<AssemblySettings, 'normalise' | 'sets' | 'time'>,
): AssemblySettings {
  const { collections, privileges } = saved
  const [ends, overrides] = [restoreEnds(saved, { normalise, time }), new Set(saved.overrides)]
  return { normalise, collections, privileges, sets, ends, overrides, time }
}

/** Items that no svcsync has saved may be of any form: what comes of them is a refusal, and no defect. */
function asSaved<T>(restore: () => T): T {
  try {
    return restore()
  } catch (error) {
    if (error instanceof SvcsyncError) throw error
    throw new RefusedError('SVC2103', 'The declarations in the plan have not the form that svcsync saves', {
      cause: error,
      hint: 'The file was edited. Make it again with `svcsync plan --out`.',
    })
  }
}

/** Deletes only the objects of the plan, and none that has begun to match a pattern since. */
function pruneAgain(
  { saved }: SavedPlan,
  kinds: readonly Kind[],
  { normalise }: Pick<AssemblySettings, 'normalise'>,
): Parameters<typeof observe>[3]['prune'] {
  if (saved.pruned.length === 0) return undefined
  const orphans = new Map(saved.pruned.map(({ kind, name, pattern }) => [`${kind} ${normalise(name)}`, { pattern }]))
  const pruned = [...new Set(saved.pruned.map(({ kind }) => kind))]
  return {
    kinds: pruned.flatMap((name) => kinds.find((kind) => kind.name === name) ?? []),
    judge: (kind, name) => orphans.get(`${kind.name} ${normalise(name)}`),
  }
}

/** The base's declarations of the plan's objects, with the consequences in the plan. */
function baseAgain(
  saved: NonNullable<SavedPlan['saved']['base']>,
  identity: SavedPlan['base'],
  current: readonly Desired[],
  { normalise, time }: AssemblySettings,
  { kinds, target }: OpenedTarget['project'],
): BaseDeclarations {
  const directory = asWrittenDirectory(target.databases, kinds)
  const written = (part: SavedDeclared, at: string | undefined) => {
    const { declarations, sets } = restoreBase(part, kinds)
    const appliedMs = at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(at)
    const own = { nowMs: time.nowMs, timeZone: part.timeZone, appliedMs }
    const assembly = assemblyOf(part, { normalise, sets, time: own })
    return { declarations, assembly, asWritten: assembleDesired(declarations, directory, assembly).desired }
  }
  const own = written(saved, identity?.at)
  const begun = (saved.begun ?? []).map((part, index) => {
    const { commit = null, at, only = [], undo } = identity?.begun?.[index] ?? {}
    return { commit, undo, isSelected: selectionOf(only, kinds), ...written(part, at) }
  })
  const deleted = new Set(saved.deleted)
  const deletionOf = ({ address }: Desired) => (deleted.has(address) ? {} : undefined)
  const rules = { ...saved.removed, deletionOf }
  const known = { ...own, begun, rules }
  return { ...known, joined: joinedAsWritten(current, known) }
}

async function sameApplication({ application }: SavedPlan, port: PlatformPort): Promise<ActingApplication> {
  const own = await readActingApplication(port)
  const planned = describeApplication(application)
  const found = describeApplication(own)
  if (planned === found) return own
  throw new PlanRefusal(
    'SVC2106',
    'The plan was made by another application than the one that applies',
    [{ subject: 'application', path: '', planned, found }],
    {
      hint:
        'Nothing was written. Plan with the credentials that apply; ' +
        'or apply without a file, with --expect: a digest holds for every application.',
    },
  )
}
