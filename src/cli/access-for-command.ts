// What commands that look at what people can do have in common: the baseline of what was accepted, and the reading of everything.
import { documentAccessDrift } from '../core/access/access-drift.ts'
import { kinds } from '../kinds/index.ts'
import type { AccessBaseline } from '../project/access-baseline.ts'
import { driftAccessRun, type FoundAccess } from '../runs/access/drift-access-run.ts'
import type { ReadProject } from '../runs/open/open-project.ts'
import { baselineOf, withBaseline } from '../runs/open/with-baseline.ts'
import type { Console } from './console.ts'
import { type Planned, reading } from './open-for-command.ts'

/** With what is wrong in the baseline among the problems of the project. */
export function withBaselineFor(read: ReadProject): {
  readonly opened: ReadProject
  readonly baseline: AccessBaseline
} {
  const baseline = baselineOf(read, kinds)
  return { opened: withBaseline(read, baseline), baseline }
}

/** Problems of the baseline are shown with their frames. */
export function findAccess(
  opened: ReadProject,
  planned: Planned,
  baseline: AccessBaseline,
  console: Console,
): Promise<FoundAccess> {
  return reading(opened.project.target, opened.sources, console, (onProgress) =>
    driftAccessRun(opened, planned.client, planned, baseline, kinds, onProgress),
  )
}

export async function documentAccess(
  opened: ReadProject,
  planned: Planned,
  baseline: AccessBaseline,
  console: Console,
): Promise<ReturnType<typeof documentAccessDrift>> {
  const found = await findAccess(opened, planned, baseline, console)
  return documentAccessDrift(found, found.unread, found.requests)
}
