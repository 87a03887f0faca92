// A run that plans: opens the project, observes what is live, plans, judges, and documents.
import { type AccessDocument, unlimited } from '@svcsync/core/access/describe-access.ts'
import { liveChanges } from '@svcsync/core/compare/cause.ts'
import type { Allowance } from '@svcsync/core/guards/allowances.ts'
import type { CommitHistory, Promotion } from '@svcsync/core/guards/guard.ts'
import { addressMatcher } from '@svcsync/core/model/address.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Exception } from '@svcsync/core/model/exception.ts'
import type { LiveSnapshot } from '@svcsync/core/model/live.ts'
import { globSuggestion } from '@svcsync/core/model/near-misses.ts'
import { describePlan } from '@svcsync/core/plan/build-plan-document.ts'
import { findDoubtedFields, findUnknownWords } from '@svcsync/core/plan/doubted-fields.ts'
import { planDue } from '@svcsync/core/plan/due.ts'
import { removeExcepted } from '@svcsync/core/plan/except.ts'
import { findDroppedEnds } from '@svcsync/core/plan/find-announcements.ts'
import { findPerhapsRenamed } from '@svcsync/core/plan/perhaps-renamed.ts'
import { makePlan, type Plan } from '@svcsync/core/plan/plan.ts'
import type { BaseIdentity, PlanDocument, TargetIdentity } from '@svcsync/core/plan/plan-document.ts'
import type { Preconditions } from '@svcsync/core/plan/precondition.ts'
import { withoutPlanned } from '@svcsync/core/plan/unmanaged.ts'
import { AuthorError, distinctProblems, OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Base } from '../open/open-base.ts'
import { hasErrors, type OpenedProject, type ReadProject } from '../open/open-project.ts'
import { sha256 } from '../open/sha256.ts'
import { problemsOfFiles } from '../open/with-policies.ts'
import { accessIn } from './access-of-plan.ts'
import { findKept, findUnimportable, findUnknownAccounts } from './account-warnings.ts'
import { readActingAccount } from './acting-application.ts'
import { identityOfBase, isDeclared, keptWithoutLedger } from './base-declarations.ts'
import { judgePlan, passedDue } from './judge-plan.ts'
import { observeProject, openForPlan } from './observe-project.ts'
import { planFacts } from './plan-facts.ts'
import { inOrderOfStock, withStock } from './read-stock.ts'
import { rotating } from './rotating.ts'
import { findWeakened } from './weakened.ts'

export interface PlanRunOptions {
  readonly only: readonly string[]
  readonly version: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly allow?: readonly Allowance[] | undefined
  readonly onProgress?: ((objects: number) => void) | undefined
  /** The plan is made to be carried out, now: that the installation is another one is a refusal. */
  readonly applies?: boolean
  /** Counts undeclared live objects; `everywhere`: also inside undeclared ones. Absent: nothing is counted. */
  readonly unmanaged?: { readonly everywhere: boolean } | undefined
  /** Accounts that gain access are checked for licences, which takes further requests. */
  readonly licences?: boolean | undefined
  /** Whose credentials are sent: `connection/main/ERP#prod`, or those of a plan that is carried on with. */
  readonly rotate?: readonly string[] | PlanDocument | undefined
  readonly base?: Base | undefined
  /** The known differences. Absent: those in the project's own file. */
  readonly exceptions?: readonly Exception[] | undefined
  /** Known entries of lists that the platform tells only in part; for a run without a base. */
  readonly held?: Base | undefined
  /** The commit applied last, and whether the planned one comes after it. */
  readonly history?: CommitHistory | undefined
  /** The state of the earlier target; an undo does not ask. */
  readonly promotion?: Promotion | 'takes-back' | undefined
  /** Only what bounds in time brought about is planned. */
  readonly due?: { readonly sinceMs?: number | undefined } | undefined
  /** The journal of the apply that is taken back, as the person wrote it, and what that leads back to. */
  readonly journal?: Pick<BaseIdentity, 'ref' | 'begun'> | undefined
  /** For an undo, which no manifest tells that substitutions are managed: they are read all the same. */
  readonly standIns?: boolean | undefined
  /** The unreadable objects of the resumed plan, which it skips again. */
  readonly leaves?: PlanDocument['unreadable'] | undefined
}

export interface PlanRun {
  readonly plan: Plan
  readonly undoes?: boolean
  /** Built on demand, since a run without output needs none. */
  readonly document: PlanDocument
  /** With a base: who has what, or lacks it, since the platform was changed and not the manifests. */
  readonly driftAccess?: () => AccessDocument
  /** The facts for resuming the plan later; likewise. */
  readonly preconditions: Preconditions
  readonly target: TargetIdentity
  /** The earlier declarations; absent: nobody asked. */
  readonly base?: Base | undefined
  /** Objects that only the base declares, whether anything is left of them or not. */
  readonly gone?: readonly Desired[]
  readonly held?: Base | undefined
  /** The lists that it read; absent: it may have, and they are not kept. */
  readonly reads?: Observation['reads'] | undefined
}

/**
 * Rejects with an AuthorError that holds every problem of the manifests, those included that only the platform could
 * tell; with a PlatformError or an AccessError when the platform cannot be read at all; as `checkInstallation` does.
 */
export async function planRun(given: ReadProject, client: PlatformClient, options: PlanRunOptions): Promise<PlanRun> {
  const opening = await openForPlan(given, client, options)
  const { opened } = opening
  const observation = await observeProject(opening, client, options)
  const planning = { opened, observation, client, options }
  const compared = await compareObserved(planning)
  const access = await accessIn(compared.plan, opened, observation, client, options)
  const judging = judgingOf(planning, compared, access)
  const passed = options.due === undefined ? compared.plan : await passedDue(compared.plan, { ...compared, ...judging })
  const plan = await judged(planning, { ...compared, plan: passed }, judging)
  return documentPlan(planning, plan, access)
}

/** What a plan is made of: the declared, the live, and how it was asked for. */
interface PlanInput {
  readonly opened: OpenedProject
  readonly observation: Observation
  readonly client: PlatformClient
  readonly options: PlanRunOptions
}

type PlanAccess = Awaited<ReturnType<typeof accessIn>>

/** The plan without what guards say of it. */
async function compareObserved({ opened, observation, client, options }: PlanInput) {
  const { live, prune } = observation
  const rotated = rotating(observation.desired, options.rotate)
  const { desired, orphans, exceptions } = removeExcepted({ desired: rotated, orphans: prune?.orphans ?? [] }, live, {
    exceptions: options.exceptions ?? opened.exceptions.exceptions,
    ...{ nowMs: opened.assembly.time.nowMs, normalise: client.normalise, hasBase: options.base !== undefined },
  })
  const left = prune && { ...prune, orphans }
  const made = makePlan(desired, live, left, options.base && identityOfBase(options.base), options.leaves)
  const whole = { ...made, ...(exceptions && { exceptions }) }
  const found = await requireSound(opened, observation, whole)
  refuseIdleGlobs(options.only, whole, live, opened)
  const without =
    options.due && planDue(whole, desired, live, { ...options, due: options.due, hasBase: options.base !== undefined })
  const chosen = without?.(noAccounts) ?? whole
  const { plan, stocks, problems } = await withStock(client, chosen, observation.reads.lists)
  // An undo restores former words.
  const unshown = options.journal === undefined ? findUnknownWords(plan.changes, client.names) : []
  const others = found.filter(({ code }) => code !== 'SVC1351')
  if (unshown.length > 0) throw new AuthorError(distinctProblems([...others, ...unshown]))
  return {
    ...{ plan, stocks, desired, problems: [...found, ...problems] },
    without: (held: ReadonlySet<string>) => inOrderOfStock(without?.(held) ?? plan, stocks),
  }
}

const noAccounts: ReadonlySet<string> = new Set()

/** Judges a plan, or parts of it, by guards and policies, with the platform's facts read once. */
function judgingOf(
  { opened, observation, client, options }: PlanInput,
  { stocks }: Pick<Awaited<ReturnType<typeof compareObserved>>, 'stocks'>,
  access: PlanAccess,
) {
  const { history, journal, promotion, allow = [] } = options
  let acting: ReturnType<typeof readActingAccount> | undefined
  const judgement = (plan: Omit<Plan, 'guards'>) =>
    judgePlan(plan, opened, {
      ...{ observation, stocks, history, allowances: allow, promotion: journal ? 'takes-back' : promotion },
      access: () => access.describe(plan, 'declared', unlimited),
      standing: () => access.standing(plan),
      acting: () => {
        acting ??= readActingAccount(client)
        return acting
      },
    })
  return { judgement, judge: async (plan: Omit<Plan, 'guards'>) => (await judgement(plan)).guards }
}

async function judged(
  { opened, observation, client, options }: PlanInput,
  { plan: compared, desired, problems }: Omit<Awaited<ReturnType<typeof compareObserved>>, 'without'>,
  { judgement: judge }: ReturnType<typeof judgingOf>,
): Promise<Plan> {
  const { settings } = opened.project
  const { unmanaged } = observation
  const [unknown, kept, judgement, weakened] = await Promise.all([
    findUnknownAccounts(client, compared, observation, opened, options),
    findKept(client, compared.changes, {
      kinds: opened.project.kinds,
      lists: observation.reads.lists,
      undoes: options.journal !== undefined,
    }),
    judge(compared),
    // Time alone causes due work.
    options.due === undefined ? findWeakened(options.base, opened, { ...compared, desired }) : [],
  ])
  const unimportable = settings.identifiers === 'warn' ? findUnimportable(compared.changes) : []
  return {
    ...compared,
    problems: distinctProblems([
      ...[...problems, ...unknown, ...kept, ...unimportable, ...judgement.problems],
      ...(options.base?.read.problems ?? []),
      ...keptWithoutLedger(compared),
      ...findDoubtedFields(compared.changes),
      ...(compared.base === undefined
        ? []
        : [...findPerhapsRenamed(desired, compared), ...findDroppedEnds(compared.changes)]),
    ]),
    guards: judgement.guards,
    weakened,
    // Due work sends no fields.
    needs: options.due === undefined ? opened.manifests.needs : [],
    unmanaged:
      unmanaged === undefined
        ? null
        : withoutPlanned(unmanaged, {
            changes: compared.changes,
            exceptions: options.exceptions ?? opened.exceptions.exceptions,
            nowMs: opened.assembly.time.nowMs,
          }),
  }
}

/** Throws all problems together if one is an error, else returns them. Policies judge only sound manifests. */
async function requireSound(
  opened: OpenedProject,
  { desired, problems }: Observation,
  compared: Omit<Plan, 'guards'>,
): Promise<readonly Problem[]> {
  const sound = distinctProblems([...opened.problems, ...problems, ...compared.problems])
  if (hasErrors(sound)) throw new AuthorError(sound)
  const found = distinctProblems([...sound, ...(await problemsOfFiles(opened, desired.filter(isDeclared)))])
  if (hasErrors(found)) throw new AuthorError(found)
  return found
}

function documentPlan({ opened, observation, options }: PlanInput, plan: Plan, access: PlanAccess): PlanRun {
  const { version, createdAt, only, base, held, journal } = options
  const { reads, desired } = observation
  const { name, baseUrl, apiVersion, databases, only: scope } = opened.project.target
  const target: TargetIdentity = { name, baseUrl, apiVersion, databases, ...(scope && { only: scope.map(String) }) }
  const { nowMs } = opened.assembly.time
  const undone = journal === undefined ? undefined : ({ ...journal, commit: null, from: 'journal' } as const)
  let described: ReturnType<typeof describePlan> | undefined
  const inWords = () => {
    described ??= describePlan(plan, {
      ...{ target, version, createdAt, only, digest: sha256, nowMs },
      base: plan.base ?? undone ?? null,
      access: access.describe(plan),
      facts: (rests) => planFacts(opened, plan, rests),
    })
    return described
  }
  return {
    plan,
    target,
    base,
    held,
    reads,
    ...(base && { gone: desired.filter((object) => !isDeclared(object)) }),
    ...(base && { driftAccess: () => access.describe({ ...plan, changes: liveChanges(plan.changes), steps: [] }) }),
    get document() {
      return inWords().document
    },
    get preconditions() {
      return inWords().preconditions
    },
  }
}

/** A glob that selects nothing is a slip: what it should select would pass for unchanged. */
function refuseIdleGlobs(
  globs: readonly string[],
  { changes, unreadable, exceptions }: Omit<Plan, 'guards'>,
  live: LiveSnapshot,
  { desired, project: { kinds } }: OpenedProject,
): void {
  const seen = [...changes, ...unreadable, ...live.unreadable.values(), ...(exceptions?.left ?? [])]
  const idle = globs.find((glob) => {
    const matches = addressMatcher(glob, kinds)
    return !seen.some(({ address }) => matches(address))
  })
  if (idle === undefined) return
  const near = globSuggestion(
    idle,
    desired.map(({ address }) => address),
    kinds,
  )
  throw new OperatorError('SVC2004', `No declared object matches \`--only ${idle}\``, {
    hint:
      near ?? 'Addresses are like `user/anna@example.com` or `process/main/Purchasing/**`; `svcsync plan` shows them.',
  })
}
