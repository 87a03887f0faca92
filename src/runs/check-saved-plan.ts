// What can be said against a saved plan before anything is asked of the platform: its target, its age, its content.
import { isDeepStrictEqual } from 'node:util'
import { contentText } from '../core/plan-digest.ts'
import type { TargetIdentity } from '../core/plan-document.ts'
import { type Discrepancy, PlanRefusal } from '../core/plan-refusal.ts'
import type { SavedPlan } from '../core/saved-plan.ts'
import { RefusedError } from '../errors/index.ts'
import { canonicalUrl, type Target } from '../project/index.ts'
import { foldOf, type OpenedTarget } from './open-target.ts'
import { documentOf } from './save-plan.ts'
import { sha256 } from './sha256.ts'

export interface CheckOptions {
  /** Milliseconds since 1970. */
  readonly nowMs: number
  /** The plan may not be older, whatever it says of itself. */
  readonly maxAgeMs?: number | undefined
}

/** Clocks of two machines may differ by so much. */
const clockSkewMs = 5 * 60_000

/** Throws a RefusedError. */
export function checkSavedPlan(saved: SavedPlan, { project }: OpenedTarget, options: CheckOptions): void {
  sameTarget(saved, project.target)
  if (sha256(contentText(documentOf(saved), foldOf(project))) !== saved.digest) {
    throw new RefusedError('SVC2103', 'The content of the plan is not the one that its digest was made of', {
      hint: 'The file was edited. Make it again with `svcsync plan --out`.',
    })
  }
  notExpired(saved, options)
}

function sameTarget({ target, saved }: SavedPlan, own: Target): void {
  const found: Discrepancy[] = []
  const compare = (path: string, planned: string, here: string): void => {
    if (planned !== here) found.push({ subject: 'target', path, planned, found: here })
  }
  compare('baseUrl', canonicalUrl(target.baseUrl), canonicalUrl(own.baseUrl))
  compare('apiVersion', target.apiVersion, own.apiVersion)
  if (!isDeepStrictEqual(target.databases, own.databases)) {
    compare('databases', databaseList(target), databaseList(own))
  }
  compare('svcIdCase', saved.svcIds, own.svcIds)
  if (found.length === 0) return
  const message = `The plan was made for another target than \`${own.name}\` of this project`
  throw new PlanRefusal('SVC2106', message, found, {
    hint: 'Nothing was written. Name the target of the plan with --target, or plan for this one.',
  })
}

function databaseList({ databases }: Pick<TargetIdentity, 'databases'>): string {
  const list = Object.entries(databases).map(([name, id]) => `${name} = ${id}`)
  return list.sort().join(', ')
}

function notExpired({ createdAt, expiresAt }: SavedPlan, { nowMs, maxAgeMs }: CheckOptions): void {
  const hint = 'Nothing was written. Plan again, and have that plan reviewed.'
  const madeMs = Date.parse(createdAt)
  if (nowMs >= Date.parse(expiresAt)) {
    throw new RefusedError('SVC2105', `The plan expired at ${expiresAt}; it was made at ${createdAt}`, { hint })
  }
  if (maxAgeMs !== undefined && nowMs - madeMs >= maxAgeMs) {
    throw new RefusedError('SVC2105', `The plan was made at ${createdAt}, and is older than --max-age allows`, { hint })
  }
  if (madeMs - nowMs > clockSkewMs) {
    throw new RefusedError('SVC2105', `The plan was made at ${createdAt}, which is still to come`, {
      hint: 'Nothing was written. Check the clocks of this machine and of the one that planned.',
    })
  }
}
