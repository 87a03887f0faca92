// A plan that is carried on with, from a file or a journal: planned again, held to what came out, and judged.
import type { Verdict } from '@svcsync/core/guards/guard.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { checkPreconditions } from '@svcsync/core/saved/check-preconditions.ts'
import type { Project } from '@svcsync/project/project.ts'
import { sha256 } from '../open/sha256.ts'
import type { PlanRun } from '../plan/plan-run.ts'

type PlannedNow = Parameters<typeof checkPreconditions>[1] & {
  /** The declarations behind it, with resolved references. */
  readonly declarations: readonly Declaration[]
  judge(left: Omit<Plan, 'guards'>): readonly Verdict[] | Promise<readonly Verdict[]>
}

export interface HeldRun extends PlanRun {
  readonly declarations: PlannedNow['declarations']
  readonly rest: ReturnType<typeof checkPreconditions>
}

/** `refuse` throws for a plan that no longer fits. An empty rest needs no judgement. */
export async function carryOn(
  held: Parameters<typeof checkPreconditions>[0],
  now: PlannedNow,
  { settings }: Pick<Project, 'settings'>,
  nowMs: number,
  refuse: (rest: HeldRun['rest']) => void,
): Promise<HeldRun> {
  const { document, preconditions } = held
  const rest = checkPreconditions(held, now, { digest: sha256, nowMs, unreadable: settings.unreadable })
  refuse(rest)
  // Only the number of the parts left out is known.
  const left = document.lacking && { lacking: document.lacking }
  const plan = { ...now.plan, steps: rest.steps, ...left }
  const guards = rest.steps.length === 0 && held.begun.size > 0 ? [] : await now.judge(plan)
  const shown = { ...document, unreadable: plan.unreadable, guards }
  const undoes = document.base?.from === 'journal'
  const { declarations } = now
  return {
    plan: { ...plan, guards },
    declarations,
    document: shown,
    preconditions,
    target: document.target,
    undoes,
    rest,
  }
}
