// Checks a resumed plan before any request: its target and its age.
import { isDeepStrictEqual } from 'node:util'
import type { TargetIdentity } from '@svcsync/core/plan/plan-document.ts'
import type { Preconditions } from '@svcsync/core/plan/precondition.ts'
import { type Discrepancy, PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { RefusedError } from '@svcsync/errors/index.ts'
import type { Target } from '@svcsync/project/project.ts'
import { canonicalUrl } from '@svcsync/project/read-addresses.ts'
import type { OpenedTarget } from '../open/open-target.ts'
import { clockSkewMs } from './plan-file.ts'

interface CheckOptions {
  readonly nowMs: number
  /** The plan may not be older, whatever it says of itself. */
  readonly maxAgeMs?: number | undefined
}

export function checkSavedPlan(
  saved: SavedPlan,
  { project }: Pick<OpenedTarget, 'project'>,
  options: CheckOptions,
): void {
  const found = targetDifferences(saved, saved.saved, project.target)
  if (found.length > 0) {
    const message = `The plan was made for another target than \`${project.target.name}\` of this project`
    throw new PlanRefusal('SVC2106', message, found, {
      hint: 'Nothing was written. Name the target of the plan with --target, or plan for this one.',
    })
  }
  notExpired(saved, options)
}

/** In what the target of a plan is another installation than one of this project; its name does not matter. */
export function targetDifferences(
  { target }: { readonly target: TargetIdentity },
  { svcIds }: Pick<Preconditions, 'svcIds'>,
  own: Target,
): Discrepancy[] {
  const found: Discrepancy[] = []
  const compare = (path: string, planned: string, here: string): void => {
    if (planned !== here) found.push({ subject: 'target', path, planned, found: here })
  }
  compare('baseUrl', canonicalUrl(target.baseUrl), canonicalUrl(own.baseUrl))
  compare('apiVersion', target.apiVersion, own.apiVersion)
  if (!isDeepStrictEqual(target.databases, own.databases)) compare('databases', databaseList(target), databaseList(own))
  compare('svcIdCase', svcIds, own.svcIds)
  return found
}

function databaseList({ databases }: Pick<TargetIdentity, 'databases'>): string {
  const list = Object.entries(databases).map(([name, id]) => `${name} = ${id}`)
  return list.sort().join(', ')
}

function notExpired({ createdAt, expiresAt }: SavedPlan, { nowMs, maxAgeMs }: CheckOptions): void {
  const hint = 'Nothing was written. Plan again, and have that plan reviewed.'
  const madeMs = Date.parse(createdAt)
  if (nowMs >= Date.parse(expiresAt))
    throw new RefusedError('SVC2105', `The plan expired at ${expiresAt}; it was made at ${createdAt}`, { hint })
  if (maxAgeMs !== undefined && nowMs - madeMs >= maxAgeMs)
    throw new RefusedError('SVC2105', `The plan was made at ${createdAt}, and is older than --max-age allows`, { hint })
  if (madeMs - nowMs > clockSkewMs)
    throw new RefusedError('SVC2105', `The plan was made at ${createdAt}, which is in the future`, {
      hint: 'Nothing was written. Check the clocks of this machine and of the one that planned.',
    })
}
