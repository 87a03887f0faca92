// A run that plans: reads what is declared and what is live, and compares.
import { buildPlanDocument } from '../core/build-plan-document.ts'
import { unknownAccounts } from '../core/check-changes.ts'
import type { Kind } from '../core/kind.ts'
import { makePlan, type Plan } from '../core/plan.ts'
import type { PlanDocument, TargetIdentity } from '../core/plan-document.ts'
import { AuthorError, compareProblems, type Problem } from '../errors/index.ts'
import { findNames, observe } from '../live/observe.ts'
import type { PlatformClient } from '../platform/index.ts'
import { hasErrors, type OpenedProject } from './open-project.ts'
import { probeAccounts } from './probe-accounts.ts'
import { readNeeds } from './scope-needs.ts'

export interface PlanRunOptions {
  readonly kinds: readonly Kind[]
  readonly only: readonly string[]
  readonly version: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly onProgress?: ((objects: number) => void) | undefined
}

export interface PlanRun {
  readonly plan: Plan
  readonly document: PlanDocument
  readonly target: TargetIdentity
}

/**
 * Rejects with an AuthorError that holds every problem of the manifests, those included that only the platform could
 * tell; with a PlatformError or an AccessError when the platform cannot be read at all.
 */
export async function planRun(
  opened: OpenedProject,
  client: PlatformClient,
  options: PlanRunOptions,
): Promise<PlanRun> {
  const { project, declarations, fold } = opened
  const kinds = new Map(options.kinds.map((kind) => [kind.name, kind]))
  const settings = {
    fold,
    kinds,
    only: options.only,
    collections: project.settings.collections,
    pageSize: project.settings.pageSize,
    databases: project.target.databases,
    ...(options.onProgress && { onProgress: options.onProgress }),
  }
  if (hasErrors(opened.problems)) {
    // Names that lead nowhere belong to the same list, where the platform can be asked.
    const more = await client
      .authorise(readNeeds(declarations))
      .then(() => findNames(client, declarations, settings))
      .catch(() => [])
    throw new AuthorError(distinct([...opened.problems, ...more]))
  }
  await client.authorise(readNeeds(declarations))
  const { desired, live, problems } = await observe(client, declarations, settings)
  const compared = makePlan(desired, live, fold)
  const found = distinct([...opened.problems, ...problems, ...compared.problems])
  if (hasErrors(found)) throw new AuthorError(found)
  const accounts = await probeAccounts(client, compared.changes, live, options.kinds, settings)
  const warnings = unknownAccounts(compared.changes, { ...live, accounts }, fold)
  const plan: Plan = { ...compared, problems: distinct([...found, ...warnings]) }
  const { name, baseUrl, apiVersion, databases } = project.target
  const target: TargetIdentity = { name, baseUrl, apiVersion, databases }
  const document = buildPlanDocument(plan, { target, version: options.version, createdAt: options.createdAt })
  return { plan, document, target }
}

function distinct(problems: readonly Problem[]): Problem[] {
  const sorted = [...problems].sort(compareProblems)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || problem.place === undefined || compareProblems(before, problem) !== 0
  })
}
