// A small calm installation, and what a plan for it tells of access, in short words.
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import type { Change } from '../../src/core/compare/change.ts'
import { accessChanges, type Side } from './access-sides.ts'

export const place = 'process/main/A/P'
export const holding = (svcId: string, company: string | null = null) => ({
  svcId,
  address: place,
  level: 'Start',
  company,
})
export const standsIn = (company: string | null = null, places: readonly string[] = []) => ({
  ...{ of: 'anna', by: 'jan', until: '2100-01-01' },
  ...{ places, company },
})
export const calm: Side = { users: ['anna', 'jan'], groups: {}, holdings: [holding('anna')] }

/** `edit`: of the changes, what a side does not tell. */
export function told(before: Side, after: Side, edit = (change: Change): Change => change, nowMs = 0): string[] {
  return toldOf(accessChanges(before, after).map(edit), nowMs)
}

export function toldOf(changes: readonly Change[], nowMs = 0): string[] {
  const graph = accessGraphOf(changes, nowMs)
  return accessDifference(graph).flatMap(({ effect, certain, subjects, rights }) =>
    subjects.flatMap((each) =>
      rights.map(
        (right) =>
          `${certain ? '' : 'may '}${effect} ${graph.svcIds[each]} ${graph.rights[right]?.company?.guid ?? 'for all'}`,
      ),
    ),
  )
}
