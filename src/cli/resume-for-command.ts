// Finds out for a command what is left of an apply that was broken off.
import { cwd, env } from 'node:process'
import type { SavedPlan } from '../core/saved/saved-plan.ts'
import type { JournalState } from '../journal/index.ts'
import { kinds } from '../kinds/index.ts'
import type { PlatformClient } from '../platform/index.ts'
import { foldOf, openTarget } from '../runs/open/open-target.ts'
import { withPolicies } from '../runs/open/with-policies.ts'
import { type ResumedRun, resumeRun, resumeSavedRun } from '../runs/saved/resume-run.ts'
import type { Console } from './console.ts'
import { allowancesOf, connectUnlessBroken, readForCommand, runWith, shownIfUnusable } from './open-for-command.ts'
import { addressesOf, type SharedOptions } from './shared-options.ts'
import { giveYoungObjectsRoom } from './size-heap.ts'
import { policiesForCommand, type TakenUp } from './take-up-for-command.ts'
import { version } from './version.ts'

/** Opens a connection and finds out what is left of an apply that was broken off. Nothing is written. */
export async function resumeForCommand(
  journal: JournalState,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
): Promise<{ readonly opened: TakenUp; readonly resumed: ResumedRun & { readonly client: PlatformClient } }> {
  const target = options.target ?? (env.SVCSYNC_TARGET ? undefined : journal.plan.target.name)
  const nowMs = Date.now()
  const run = { kinds, version, createdAt: new Date(nowMs).toISOString(), nowMs, kill }
  if (!('saved' in journal.plan)) {
    const opened = await withPolicies(
      readForCommand({ ...options, ...(target !== undefined && { target }) }, console.errorForm),
      kinds,
    )
    const client = connectUnlessBroken(opened, options, console, kill)
    const resumed = await runWith(opened, client, console, (onProgress) =>
      resumeRun(opened, client, journal, { ...run, allow: allowancesOf(options, opened), onProgress }),
    )
    return { opened, resumed }
  }
  giveYoungObjectsRoom()
  const { project, concurrency } = options
  const bare = shownIfUnusable(console.errorForm, () =>
    openTarget({ project, target, concurrency, addresses: addressesOf(options), cwd: cwd(), env, kinds }),
  )
  const saved = journal.plan as SavedPlan
  const { opened, allow } = await policiesForCommand(bare, saved, options, console)
  const client = connectUnlessBroken(opened, options, console, kill)
  const resumed = await runWith(opened, client, console, (onProgress) =>
    resumeSavedRun(opened, client, journal, saved, { ...run, env, allow, onProgress }),
  )
  const { declarations } = resumed
  return { opened: { project: opened.project, fold: foldOf(opened.project), declarations }, resumed }
}
