// What commands that look at what people can do have in common: the reading of everything.
import { documentAccessDrift } from '../core/access/access-drift.ts'
import { countAccess } from '../core/access/describe-access.ts'
import { kinds } from '../kinds/index.ts'
import type { AccessBaseline } from '../project/access-baseline.ts'
import type { ShownPlan } from '../render/changes/by-cause.ts'
import { driftAccessRun } from '../runs/access/drift-access-run.ts'
import type { ReadProject } from '../runs/open/open-project.ts'
import type { Console } from './console.ts'
import { type Planned, reading } from './open-for-command.ts'

/** Problems of the baseline are shown with their frames. */
export function findAccess(opened: ReadProject, planned: Planned, baseline: AccessBaseline, console: Console) {
  return reading(opened.project.target, opened.sources, console, (onProgress) =>
    driftAccessRun(opened, planned.client, planned, baseline, kinds, onProgress),
  )
}

/** The drift, with what people can do in the place of what the plan alone knows of that. */
export async function addAccess(
  drift: ShownPlan,
  opened: ReadProject,
  planned: Planned,
  baseline: AccessBaseline,
  console: Console,
): Promise<ShownPlan> {
  const found = await findAccess(opened, planned, baseline, console)
  const { access, accessDrift } = documentAccessDrift(found)
  const counts = { ...drift.counts, gained: countAccess(access, 'gained'), lost: countAccess(access, 'lost') }
  return { ...drift, access, accessDrift, counts }
}
