// Counts a plan or a drift, and words the result that has no changes.
import { countAccess } from '@svcsync/core/access/describe-access.ts'
import { refusals } from '@svcsync/core/guards/judge-guards.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { findUnreverted } from '@svcsync/core/plan/report.ts'
import { byCount, formatCount, formatNumber } from '../text/counts.ts'
import type { ShownPlan } from './by-cause.ts'
import { newEntries } from './difference-rows.ts'
import { driftVerbs } from './drift-words.ts'
import type { ReviewedChange } from './reviewed-change.ts'

/** Entries of an object that is deleted end with it, and are removed from no list. */
function countElements(changes: readonly ReviewedChange[]) {
  const counts = new Map<string, { added: number; removed: number }>()
  for (const { action, differences } of changes) {
    if (action === 'delete') continue
    for (const { path, added, removed } of differences) {
      if (added === undefined && removed === undefined) continue
      const count = getOrInsert(counts, path, () => ({ added: 0, removed: 0 }))
      count.added += newEntries(added).length
      count.removed += removed?.length ?? 0
    }
  }
  const held = [...counts].filter(([, { added, removed }]) => added + removed > 0)
  return held.sort(([a], [b]) => (a < b ? -1 : 1)).map(([collection, count]) => ({ collection, ...count }))
}

const formatElements = ({ collection, added, removed }: ReturnType<typeof countElements>[number]): string =>
  [collection, ...signed(['+', added], ['−', removed])].join(' ')

const signed = (...counts: readonly (readonly [sign: string, count: number])[]): string[] =>
  counts.filter(([, count]) => count > 0).map(([sign, count]) => `${sign}${formatNumber(count)}`)

/** For a summary: `access +4 −1, 2 uncertain`; empty where nobody gains or loses. */
function formatAccess({ access, accessDrift }: PlanDocument, drift: boolean): string {
  if (access === undefined) return ''
  const [more, less] = [countAccess(access, 'gained'), countAccess(access, 'lost')]
  // `countFound` has what nobody declared.
  const [plus, minus] = drift ? [accessDrift ? 0 : less, more] : [more, less]
  const unsure = drift ? 0 : access.unknown.filter(({ subject }) => subject !== null).length + access.more.unknown
  const sure = signed(['+', plus], ['−', minus])
  const parts = [
    ...(sure.length === 0 ? [] : [sure.join(' ')]),
    ...(unsure === 0 ? [] : [`${formatNumber(unsure)} uncertain`]),
  ]
  return parts.length === 0 ? '' : `access ${parts.join(', ')}`
}

/** Drift is empty also while changes are pending. */
export function isEmpty(plan: ShownPlan): boolean {
  if (plan.accessDrift && plan.accessDrift.undeclared > 0) return false
  return plan.changes.length === 0 && (plan.steps.length === 0 || plan.pending !== undefined)
}

/** `1 deletion, 3 updates, 12 creations; members +40 −2; 27 requests`. */
export function formatEffects(plan: PlanDocument, changes: readonly ReviewedChange[]): string {
  const { counts } = plan
  const objects = [
    [counts.delete, 'deletion'],
    [counts.update, 'update'],
    [counts.create, 'creation'],
  ] as const
  const counted = objects.flatMap(([count, noun]) => (count > 0 ? [formatCount(count, noun)] : [])).join(', ')
  const elements = countElements(changes).map(formatElements).join(', ')
  return [counted, elements, formatAccess(plan, false), formatRequests(plan)].filter((part) => part !== '').join('; ')
}

/** `0 created, 1 changed, 0 missing; members +1`, and what it takes to heal. */
export function formatDrift(plan: PlanDocument, changes: readonly ReviewedChange[]): string {
  const { counts, accessDrift } = plan
  const undeclared = accessDrift?.undeclared ?? 0
  const objects = (['delete', 'update', 'create'] as const)
    .map((action) => `${formatNumber(counts[action])} ${driftVerbs[action]}`)
    .join(', ')
  const elements = countElements(changes)
    .map(({ collection, added, removed }) => formatElements({ collection, added: removed, removed: added }))
    .join(', ')
  const healing = plan.changes.length === 0 ? '' : `healing takes ${formatRequests(plan)}`
  const levels = undeclared === 0 ? objects : `${objects}, ${formatCount(undeclared, 'level')} undeclared`
  return [levels, elements, formatAccess(plan, true), healing].filter((part) => part !== '').join('; ')
}

function formatRequests({ counts, steps }: Pick<PlanDocument, 'counts' | 'steps'>): string {
  const sharing = steps.filter(({ shared }) => shared).length
  return `${sharing > 1 ? 'at most ' : ''}${formatCount(counts.steps, 'request')}`
}

/** Sentences beside the verdict of a plan that holds nothing. They promise no more than what was seen. */
export function describeEmptyPlan(plan: ShownPlan): string {
  const { unreadable, accessDrift, base, pending = [], guards, counts } = plan
  const statement = 'No differences in what could be read'
  if (unreadable.length > 0)
    return (
      `${statement}. ` +
      `Nothing is promised about ${byCount(unreadable.length, 'the object', 'the objects')} that could not be.`
    )
  const hidden = accessDrift?.unread.length ?? 0
  if (hidden > 0) {
    const lists = formatCount(hidden, 'object or list', 'objects or lists')
    return `${statement}. ${lists} could not be read: who can do what there is not known.`
  }
  if (base?.from === 'journal') {
    const left = findUnreverted(plan.warnings).length
    return left === 0
      ? 'Nothing is left to revert.'
      : `${formatCount(left, 'thing')} cannot be reverted: see the warnings.`
  }
  if (plan.due !== undefined) return `Nothing is due${plan.due.since === null ? '' : ' of what was applied last'}.`
  if (pending.length > 0) {
    const [are, them] = byCount(pending.length, ['is', 'it'], ['are', 'them'])
    // A guard may keep it from doing so, and says what does.
    const way = refusals(guards).length > 0 ? '' : `: \`svcsync apply\` brings ${them} about`
    return `${formatCount(pending.length, 'object')} ${are} declared otherwise and not applied yet${way}.`
  }
  const left = describeMissing(plan)
  if (counts.none === 0)
    return left === '' ? 'Nothing is declared, or nothing of it was selected.' : `Nothing was compared.${left}`
  const [are, they] = byCount(counts.none, ['is', 'it'], ['are', 'they'])
  const reach = plan.unverifiable.length > 0 ? `, as far as ${they} can be compared` : ''
  const also = accessDrift === undefined ? '' : ' Nobody is seen to do what nobody declared or accepted.'
  return (
    `${formatCount(counts.none, 'object')} ${are} as ` +
    `declared${reach}${formatExceptedCount(counts.excepted)}.${left}${also}`
  )
}

const formatExceptedCount = (excepted = 0): string =>
  excepted === 0 ? '' : `, but for ${formatCount(excepted, 'difference')} that exceptions leave alone`

export function describeMissing({ lacking = [] }: Pick<PlanDocument, 'lacking'>): string {
  return lacking
    .map(({ objects, reason }) => ` ${formatCount(objects, 'declared object')} left out: ${reason}.`)
    .join('')
}
