// What a plan comes to, in numbers and in one sentence.
import type { PlanDocument } from '../core/plan/plan-document.ts'
import { formatCount, formatNumber } from './format-count.ts'
import { groupChanges, type PlanGroup } from './plan-groups.ts'

interface ElementCounts {
  readonly collection: string
  readonly added: number
  readonly removed: number
}

/** Of each collection that changes, by name. */
export function countElements(groups: readonly PlanGroup[]): ElementCounts[] {
  const counts = new Map<string, { added: number; removed: number }>()
  for (const { changes } of groups) {
    for (const { differences } of changes) {
      for (const { path, added, removed } of differences) {
        if (added === undefined && removed === undefined) continue
        const count = counts.get(path) ?? { added: 0, removed: 0 }
        count.added += added?.length ?? 0
        count.removed += removed?.length ?? 0
        counts.set(path, count)
      }
    }
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([collection, count]) => ({ collection, ...count }))
}

/** `members +40 −2`. */
export function formatElements({ collection, added, removed }: ElementCounts): string {
  const parts = [added > 0 ? `+${formatNumber(added)}` : '', removed > 0 ? `−${formatNumber(removed)}` : '']
  return [collection, ...parts.filter((part) => part !== '')].join(' ')
}

export function isEmpty(plan: PlanDocument): boolean {
  return plan.changes.length === 0 && plan.steps.length === 0
}

/** `12 to create, 3 to update, 1 to delete`. */
export function formatCounts({ counts }: PlanDocument): string {
  const { create, update } = counts
  return `${formatNumber(create)} to create, ${formatNumber(update)} to update, ${formatNumber(counts.delete)} to delete`
}

/** What the counts of objects leave out: elements and requests. */
export function formatEffects(plan: PlanDocument, groups: readonly PlanGroup[] = groupChanges(plan)): string[] {
  const elements = countElements(groups)
    .filter(({ added, removed }) => added + removed > 0)
    .map(formatElements)
  return [...(elements.length > 0 ? [elements.join(', ')] : []), formatCount(plan.counts.steps, 'request')]
}

/** The sentence in place of a plan that holds nothing. It promises no more than what was seen. */
export function sayNothingToDo(plan: PlanDocument): string {
  if (plan.unreadable.length > 0) {
    const could = formatCount(plan.unreadable.length, 'object')
    return `No differences in what could be read. ${could} could not be read, so nothing is promised about ${plan.unreadable.length === 1 ? 'it' : 'them'}.`
  }
  if (plan.counts.none === 0) return 'No changes. Nothing is declared, or nothing of it was selected.'
  const compared = `${formatCount(plan.counts.none, 'object')} compared`
  const reach = plan.unverifiable.length > 0 ? ', as far as it can be compared' : ''
  return `No changes. The Svc platform is as declared${reach}: ${compared}.`
}
