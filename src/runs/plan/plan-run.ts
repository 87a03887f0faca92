// A run that plans: reads what is declared and what is live, and compares.
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { externalAccounts } from '../../core/assemble/external-accounts.ts'
import { selectDeclarations } from '../../core/assemble/select-declarations.ts'
import { rememberingComparison } from '../../core/compare/comparison.ts'
import { unknownAccounts } from '../../core/compare/unknown-accounts.ts'
import type { Allowance } from '../../core/guards/allowances.ts'
import { refusals } from '../../core/guards/judge-guards.ts'
import { addressMatcher, selectionOf } from '../../core/model/address.ts'
import { type Declaration, identityOf } from '../../core/model/declaration.ts'
import type { Desired } from '../../core/model/desired.ts'
import type { Kind } from '../../core/model/kind.ts'
import { type DescribedPlan, type DocumentContext, describePlan } from '../../core/plan/build-plan-document.ts'
import { makePlan, type Plan } from '../../core/plan/plan.ts'
import { manifestsText } from '../../core/plan/plan-digest.ts'
import type { PlanDocument, TargetIdentity } from '../../core/plan/plan-document.ts'
import { type SavedPreconditions, savedPreconditions } from '../../core/saved/saved-plan.ts'
import { AuthorError, compareProblems, OperatorError, type Problem } from '../../errors/index.ts'
import { findNames, observe } from '../../live/observe.ts'
import type { PlatformClient } from '../../platform/index.ts'
import { databaseName } from '../open/database-name.ts'
import { checkProject, hasErrors, type OpenedProject, type ReadProject } from '../open/open-project.ts'
import { listNeeds, readNeeds, writeNeeds } from '../open/scope-needs.ts'
import { secretsOf } from '../open/secrets-of.ts'
import { sha256 } from '../open/sha256.ts'
import { problemsOfDesired, withPolicies } from '../open/with-policies.ts'
import { judgePlan } from './judge-plan.ts'
import { planFacts } from './plan-facts.ts'
import { probeAccounts } from './probe-accounts.ts'
import { pruneOf, pruneRules } from './prune-plan.ts'
import { refusedKinds } from './refused-kinds.ts'

/** Until then a connection on the way is open, at least to a platform near by. */
const tokenSentMs = 3

export interface PlanRunOptions {
  readonly kinds: readonly Kind[]
  readonly only: readonly string[]
  readonly version: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** What guards are to let pass. */
  readonly allow?: readonly Allowance[] | undefined
  readonly onProgress?: ((objects: number) => void) | undefined
  /**
   * The steps will be carried out without a question: access for them is asked for while the plan is put into words. That
   * it is refused shows when they are carried out.
   */
  readonly goesOn?: boolean
  /** Counts what is live and not declared; `everywhere`: also inside of what is not declared. Absent: nothing is counted. */
  readonly unmanaged?: { readonly everywhere: boolean } | undefined
}

export interface PlanRun {
  readonly plan: Plan
  /** Put into words when it is first asked for: a run that shows nothing can do without. */
  readonly document: PlanDocument
  /** What it takes to carry on with the plan later; likewise. */
  readonly preconditions: SavedPreconditions
  readonly target: TargetIdentity
}

/**
 * Rejects with an AuthorError that holds every problem of the manifests, those included that only the platform could
 * tell; with a PlatformError or an AccessError when the platform cannot be read at all.
 */
export async function planRun(given: ReadProject, client: PlatformClient, options: PlanRunOptions): Promise<PlanRun> {
  const read = await withPolicies(given, options.kinds)
  const { project, fold } = read
  client.conceal(secretsOf(read))
  const declarations = selectDeclarations(read.declarations, options.only, ({ database }) =>
    databaseName(project, database),
  )
  const pruned = pruneRules(project, options.kinds, options.only)
  const authorised = client.authorise(
    readNeeds(
      declarations,
      pruned.map(({ kind }) => kind),
    ),
  )
  // The request for the token gets on its way, and the declarations are put together while it is answered.
  await Promise.race([authorised.catch(() => undefined), delay(tokenSentMs)])
  const opened = checkProject(read, options.kinds)
  const kinds = new Map(options.kinds.map((kind) => [kind.name, kind]))
  const settings = {
    ...opened.assembly,
    kinds,
    only: options.only,
    pageSize: project.settings.pageSize,
    databases: project.target.databases,
    ...(options.onProgress && { onProgress: options.onProgress }),
  }
  if (hasErrors(opened.problems)) {
    // Names that lead nowhere belong to the same list, where the platform can be asked.
    const more = await authorised.then(() => findNames(client, declarations, settings)).catch(() => [])
    throw new AuthorError(distinct([...opened.problems, ...more]))
  }
  const prune = pruneOf(opened, pruned, options.only)
  let manifestsDigest: string | undefined
  const onDesired = (desired: readonly Desired[]): void => {
    manifestsDigest = sha256(manifestsText(desired))
  }
  // Work for the time that requests take. Companies are named later: those objects are compared once more.
  const compare = rememberingComparison(fold)
  const meanwhile = { onDesired, onLive: compare }
  // What is listed for the counts alone may need more access, which must not hold up what is declared, nor end the run.
  const unmanaged = options.unmanaged && {
    everywhere: options.unmanaged.everywhere,
    refused: authorised.then(() => refusedKinds(client, listNeeds(options.kinds))).then(({ refused }) => refused),
  }
  unmanaged?.refused.catch(() => undefined)
  const observing = observe(client, declarations, opened.desired, {
    ...{ ...settings, ...meanwhile, authorised, prune, unmanaged },
  })
  const [{ desired, live, problems, prune: strays, unmanaged: counts }] = await Promise.all([observing, authorised])
  const compared = makePlan(desired, live, fold, strays, compare)
  const sound = distinct([...opened.problems, ...problems, ...compared.problems])
  if (hasErrors(sound)) throw new AuthorError(sound)
  const found = distinct([...sound, ...(await problemsOfDesired(opened, desired))])
  if (hasErrors(found)) throw new AuthorError(found)
  refuseIdleGlobs(options.only, compared)
  const declared = declaredAccounts(opened, options.only)
  const known = new Set([...live.accounts, ...declared.selected])
  const matches = externalAccounts(project.externalAccounts, fold)
  const isExternal = (svcId: string) => matches(svcId) && !declared.unselected.has(fold(svcId))
  const [accounts, judgement] = await Promise.all([
    probeAccounts(client, compared.changes, known, options.kinds, settings, isExternal),
    judgePlan(compared, new Map([...live.totals, ...(strays?.totals ?? [])]), opened, client, options.allow ?? []),
  ])
  const unknown = unknownAccounts(compared.changes, { accounts, unselected: declared.unselected, isExternal }, fold)
  const warnings = distinct([...found, ...unknown, ...judgement.problems])
  const plan: Plan = { ...compared, problems: warnings, guards: judgement.guards, unmanaged: counts ?? null }
  const { name, baseUrl, apiVersion, databases } = project.target
  const target: TargetIdentity = { name, baseUrl, apiVersion, databases }
  const { version, createdAt, only } = options
  if (options.goesOn && plan.steps.length > 0 && refusals(plan.guards).length === 0) {
    client.authorise(writeNeeds(plan.steps, kinds)).catch(() => undefined)
    // A turn of the loop, in which the request leaves.
    await setImmediate()
  }
  return planInWords(plan, {
    target,
    version,
    createdAt,
    only,
    fold,
    digest: sha256,
    manifestsDigest,
    nowMs: opened.assembly.time.nowMs,
    facts: (preconditions) => planFacts(opened, plan, preconditions),
  })
}

/** Put into words when that is first asked for. */
function planInWords(plan: Plan, context: DocumentContext): PlanRun {
  let described: DescribedPlan | undefined
  const inWords = (): DescribedPlan => {
    described ??= describePlan(plan, context)
    return described
  }
  return {
    plan,
    target: context.target,
    get document() {
      return inWords().document
    },
    get preconditions() {
      const { preconditions, facts } = inWords()
      return savedPreconditions(preconditions, facts)
    },
  }
}

/** Accounts that are declared, folded, by whether the run looks at them. */
function declaredAccounts({ declarations, fold }: OpenedProject, only: readonly string[]) {
  const isSelected = selectionOf(only)
  const selected: string[] = []
  const unselected = new Map<string, Declaration>()
  for (const declaration of declarations) {
    const { kind, section } = declaration
    if (kind.provides === undefined || section.partial) continue
    const name = identityOf(declaration)
    if (isSelected(`${kind.segment}/${name}`)) selected.push(fold(name))
    else unselected.set(fold(name), declaration)
  }
  return { selected, unselected }
}

/** A glob that selects nothing is a slip: what it was meant to select would pass for unchanged. */
function refuseIdleGlobs(globs: readonly string[], { changes, unreadable }: Omit<Plan, 'guards'>): void {
  const seen = [...changes, ...unreadable]
  const idle = globs.find((glob) => {
    const matches = addressMatcher(glob)
    return !seen.some(({ address }) => matches(address))
  })
  if (idle === undefined) return
  throw new OperatorError('SVC2004', `No declared object has an address that matches \`--only ${idle}\``, {
    hint: 'Addresses are like `user/anna@example.com` or `process/main/Purchasing/**`; `svcsync plan` shows them.',
  })
}

function distinct(problems: readonly Problem[]): Problem[] {
  const sorted = [...problems].sort(compareProblems)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || problem.place === undefined || compareProblems(before, problem) !== 0
  })
}
