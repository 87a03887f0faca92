// Who gains and who loses what by a plan, from what it has read anyway: no request more.
import { accessDifference } from '../../core/access/access-difference.ts'
import { accessGraphOf } from '../../core/access/access-graph.ts'
import { aftermathOf } from '../../core/access/aftermath.ts'
import { type AccessDocument, describeAccess, noAccess } from '../../core/access/describe-access.ts'
import { declaredAccounts } from '../../core/assemble/declared-accounts.ts'
import type { Change } from '../../core/compare/change.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { Observation } from '../../live/observe.ts'
import type { OpenedProject } from '../open/open-project.ts'

export function accessOfPlan(
  { changes, unreadable }: Pick<Plan, 'changes' | 'unreadable'>,
  { desired }: Pick<Observation, 'desired'>,
  { project, desired: asWritten }: OpenedProject,
  mode: AccessDocument['mode'] = project.access,
): AccessDocument {
  if (mode === 'none' || !changes.some(movesAccess)) return noAccess(mode)
  const graph = accessGraphOf(changes, aftermathOf(changes), declaredAccounts(asWritten).users.keys())
  const unread = new Set(unreadable.map(({ address }) => address))
  const closed = desired.filter(({ kind, address }) => {
    return unread.has(address) && Object.values(kind.collections).some(({ part }) => part !== undefined)
  })
  return describeAccess(
    graph,
    accessDifference(graph),
    mode,
    closed.map(({ address }) => address),
  )
}

/** Whether anybody comes into a list or leaves one, or an account comes or goes. */
function movesAccess({ action, collections }: Change): boolean {
  return action === 'create' || action === 'delete' || collections.length > 0
}
