// Takes up a saved plan for a command. Apart from planning: most commands load none of it.
import { cwd, env } from 'node:process'
import { type Allowance, parseAllowance } from '../core/guards/allowances.ts'
import { isPolicyGuard } from '../core/guards/guard.ts'
import type { SavedPlan } from '../core/saved/saved-plan.ts'
import { kinds } from '../kinds/index.ts'
import { type ReadProject, UnusableProject } from '../runs/open/open-project.ts'
import { foldOf, type OpenedTarget, openTarget } from '../runs/open/open-target.ts'
import { policyGuards, withTargetPolicies } from '../runs/open/with-policies.ts'
import { checkSavedPlan } from '../runs/saved/check-saved-plan.ts'
import { savedPlanRun } from '../runs/saved/saved-plan-run.ts'
import type { Console } from './console.ts'
import { noteIdle } from './note-idle.ts'
import { connectUnlessBroken, type Planned, runWith, shownIfUnusable } from './open-for-command.ts'
import { ShownError } from './problems-text.ts'
import { addressesOf, type SharedOptions } from './shared-options.ts'
import { giveYoungObjectsRoom } from './size-heap.ts'

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
  const target = options.target ?? (env.SVCSYNC_TARGET ? undefined : saved.target.name)
  const bare = shownIfUnusable(console.errorForm, () =>
    openTarget({ project, target, concurrency, addresses: addressesOf(options), cwd: cwd(), env, kinds }),
  )
  const nowMs = Date.now()
  checkSavedPlan(saved, bare, { nowMs, maxAgeMs: maxAge })
  const { opened, allow } = await policiesForCommand(bare, saved, options, console)
  const client = connectUnlessBroken(opened, options, console, kill)
  const { declarations, ...planned } = await runWith(opened, client, console, (onProgress) =>
    savedPlanRun(opened, client, saved, { kinds, env, nowMs, maxAgeMs: maxAge, allow, onProgress }),
  )
  noteIdle(allow, planned.plan.guards, console)
  return { opened: { project: opened.project, fold: foldOf(opened.project), declarations }, planned }
}

/** A target with its policies, and what the command allows: of guards, and of policies of the project or the plan. */
export async function policiesForCommand(
  bare: OpenedTarget,
  { guards }: SavedPlan,
  options: SharedOptions,
  console: Console,
): Promise<{ readonly opened: OpenedTarget; readonly allow: readonly Allowance[] }> {
  const opened = await withTargetPolicies(bare, kinds).catch((error: unknown) => {
    if (error instanceof UnusableProject) throw new ShownError(error.problems, error, console.errorForm)
    throw error
  })
  const known = guards.flatMap(({ guard }) => (isPolicyGuard(guard) ? [guard] : []))
  const allow = options.allow.map((text) => parseAllowance(text, [...new Set([...policyGuards(opened), ...known])]))
  return { opened, allow }
}
