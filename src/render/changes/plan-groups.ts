// A plan's changes in the order in which people review them: by kind, and within a kind what destroys first; and what they
// come to in numbers.
import { countAccess } from '../../core/access/describe-access.ts'
import { refusals } from '../../core/guards/judge-guards.ts'
import { groupBy } from '../../core/model/group-by.ts'
import { isJsonObject, type Json } from '../../core/model/json.ts'
import type { Element } from '../../core/model/kind.ts'
import type { ChangeDocument, DifferenceDocument, PlanDocument, StepDocument } from '../../core/plan/plan-document.ts'
import { leftBehind } from '../../core/plan/report.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import type { ShownPlan } from './by-cause.ts'
import { newAmong } from './difference-rows.ts'

type ChangeAction = ChangeDocument['action']

export interface PlanGroup {
  readonly title: string
  /** The beginning that all addresses of the group share, up to and with a slash. */
  readonly prefix: string
  readonly changes: readonly ReviewedChange[]
  readonly counts: Readonly<Record<ChangeAction, number>>
}

export interface ReviewedChange extends Omit<ChangeDocument, 'digest'> {
  /** The address without the prefix of its group. */
  readonly name: string
}

export const actions: readonly ChangeAction[] = ['delete', 'update', 'create']

/** Kinds in which something is deleted come first, the others as the plan lists them. */
export function groupChanges(plan: PlanDocument): PlanGroup[] {
  const steps = groupBy(plan.steps, ({ address }) => address)
  const kinds = [...new Set([...Object.keys(plan.kinds), ...plan.changes.map(({ kind }) => kind)])]
  const groups = kinds.flatMap((kind) => {
    const changes = plan.changes.filter((change) => change.kind === kind)
    return changes.length === 0 ? [] : [groupOf(plan.kinds[kind] ?? kind, changes, steps)]
  })
  return [...groups.filter(({ counts }) => counts.delete > 0), ...groups.filter(({ counts }) => counts.delete === 0)]
}

function groupOf(
  title: string,
  changes: readonly ChangeDocument[],
  steps: ReadonlyMap<string, readonly StepDocument[]>,
): PlanGroup {
  const prefix = commonPrefix(changes.map(({ address }) => ({ address, end: nameStart(address, steps.get(address)) })))
  const reviewed = changes.map((change) =>
    review(change, change.address.slice(prefix.length), steps.get(change.address) ?? []),
  )
  const of = (action: ChangeAction) => reviewed.filter((change) => change.action === action)
  return {
    title,
    prefix,
    changes: actions.flatMap(of),
    counts: { create: of('create').length, update: of('update').length, delete: of('delete').length },
  }
}

/** Without a group: under its whole address. */
export function reviewAlone(change: ChangeDocument): ReviewedChange {
  return review(change, change.address, [])
}

/** The digest, which is made when somebody asks for it, is nothing to show: copying it would ask for thousands. */
function review(change: ChangeDocument, name: string, steps: readonly StepDocument[]): ReviewedChange {
  const { address, kind, action, prunedBy, cause, place } = change
  return {
    ...{ address, kind, action, name, differences: differencesOf(change, steps) },
    ...(prunedBy !== undefined && { prunedBy }),
    ...(cause !== undefined && { cause }),
    ...(place !== undefined && { place }),
  }
}

/** Of a create, what there is to say beside its address. */
function differencesOf(change: ChangeDocument, steps: readonly StepDocument[]): readonly DifferenceDocument[] {
  if (change.action !== 'create') return change.differences
  const all = change.differences.length > 0 ? change.differences : sentBy(steps)
  const identity = ['svcId', 'name'].find((field) => all.some(({ path }) => path === field))
  return all.filter(({ path, after }) => path !== identity || !change.address.endsWith(`/${after}`))
}

/** A create that lists no differences is shown by everything that its steps send. */
function sentBy(steps: readonly StepDocument[]): DifferenceDocument[] {
  const fields = new Map<string, Json>()
  const collections = new Map<string, Element[]>()
  const collect = (name: string, elements: readonly Element[]): void => {
    collections.set(name, [...(collections.get(name) ?? []), ...elements])
  }
  for (const step of steps) {
    if (isJsonObject(step.spec)) {
      for (const [path, after] of Object.entries(step.spec)) if (after !== undefined) fields.set(path, after)
    }
    for (const [name, elements] of Object.entries(step.collections ?? {})) collect(name, elements)
    if (step.verb === 'add' && step.collection !== undefined) collect(step.collection, step.elements ?? [])
  }
  return [
    ...[...fields].map(([path, after]) => ({ path, after })),
    ...[...collections].map(([path, added]) => ({ path, added })),
  ]
}

/** At least the first word goes, at most everything before the name. A slash that belongs to a name is written `\/`. */
function commonPrefix(all: readonly { readonly address: string; readonly end: number }[]): string {
  const { address: first, end: last } = all[0] as { readonly address: string; readonly end: number }
  const ends = [...first.matchAll(/(?<!\\)\//g)].map(({ index }) => index + 1).filter((end) => end <= last)
  const shared = ends.filter((end) => all.every((one) => end <= one.end && one.address.startsWith(first.slice(0, end))))
  return first.slice(0, shared.at(-1) ?? 0)
}

/** Where the name begins: a svcId, which stands last, keeps its slashes as they are. */
function nameStart(address: string, steps: readonly StepDocument[] = []): number {
  const at = steps[0]?.at
  const name = isJsonObject(at) ? at.name : undefined
  return typeof name === 'string' && address.endsWith(`/${name}`) ? address.length - name.length : address.length
}

interface ElementCounts {
  readonly collection: string
  readonly added: number
  readonly removed: number
}

/** Of each collection that changes, by name. */
export function countElements(groups: readonly Pick<PlanGroup, 'changes'>[]): ElementCounts[] {
  const counts = new Map<string, { added: number; removed: number }>()
  for (const { changes } of groups) {
    for (const { differences } of changes) {
      for (const { path, added, removed } of differences) {
        if (added === undefined && removed === undefined) continue
        const count = counts.get(path) ?? { added: 0, removed: 0 }
        count.added += newAmong(added).length
        count.removed += removed?.length ?? 0
        counts.set(path, count)
      }
    }
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([collection, count]) => ({ collection, ...count }))
}

/** `members +40 −2`. */
export function formatElements({ collection, added, removed }: ElementCounts): string {
  return [collection, ...signed(['+', added], ['−', removed])].join(' ')
}

/** `+40`, `−2`: those that are any. */
export function signed(...counts: readonly (readonly [sign: string, count: number])[]): string[] {
  return counts.filter(([, count]) => count > 0).map(([sign, count]) => `${sign}${formatNumber(count)}`)
}

/** For a summary: `access +4 −1 ?2`; empty where nobody gains or loses. */
export function formatAccess({ access, accessDrift }: PlanDocument, drift: boolean): string {
  if (access === undefined) return ''
  const [more, less] = [countAccess(access, 'gained'), countAccess(access, 'lost')]
  // `countFound` has what nobody declared.
  const [plus, minus] = drift ? [accessDrift ? 0 : less, more] : [more, less]
  const unsure = drift ? 0 : access.unknown.filter(({ subject }) => subject !== null).length + access.more.unknown
  const parts = signed(['+', plus], ['−', minus], ['?', unsure])
  return parts.length === 0 ? '' : ['access', ...parts].join(' ')
}

/** Of drift, also where something is pending. */
export function isEmpty(plan: ShownPlan): boolean {
  if (plan.accessDrift && plan.accessDrift.undeclared > 0) return false
  return plan.changes.length === 0 && (plan.steps.length === 0 || plan.pending !== undefined)
}

/** `12 to create, 3 to update, 1 to delete`. */
export function formatCounts({ counts }: PlanDocument): string {
  const { create, update } = counts
  return `${formatNumber(create)} to create, ${formatNumber(update)} to update, ${formatNumber(counts.delete)} to delete`
}

/** What the counts of objects leave out: elements and requests. */
export function formatEffects(plan: PlanDocument, groups: readonly PlanGroup[]): string[] {
  const elements = countElements(groups)
    .filter(({ added, removed }) => added + removed > 0)
    .map(formatElements)
  const access = formatAccess(plan, false)
  return [
    ...(elements.length > 0 ? [elements.join(', ')] : []),
    ...(access === '' ? [] : [access]),
    formatRequests(plan),
  ]
}

/** Steps that may share one are not counted as one each. */
export function formatRequests({ counts, steps }: Pick<PlanDocument, 'counts' | 'steps'>): string {
  const sharing = steps.filter(({ shared }) => shared).length
  return `${sharing > 1 ? 'at most ' : ''}${formatCount(counts.steps, 'request')}`
}

/** The sentence in place of a plan that holds nothing. It promises no more than what was seen. */
export function sayNothingToDo(plan: ShownPlan): string {
  if (plan.unreadable.length > 0) {
    const could = formatCount(plan.unreadable.length, 'object')
    return `No differences in what could be read. ${could} could not be read, so nothing is promised about ${plan.unreadable.length === 1 ? 'it' : 'them'}.`
  }
  const hidden = plan.accessDrift?.unread.length ?? 0
  if (hidden > 0)
    return `No differences in what could be read. ${formatCount(hidden, 'object or list', 'objects or lists')} could not be read, so nothing is promised about who can do what there.`
  if (plan.base?.from === 'journal') {
    const left = leftBehind(plan.warnings).length
    return left === 0
      ? 'No changes. Nothing is left to take back.'
      : `No changes. ${formatCount(left, 'thing')} cannot be taken back: see the warnings.`
  }
  if (plan.due !== undefined) return 'No changes. Nothing is due.'
  if (plan.pending?.length) {
    const [are, them] = plan.pending.length === 1 ? ['is', 'it'] : ['are', 'them']
    // A guard may keep it from doing so, and says what does.
    const way = refusals(plan.guards).length > 0 ? '' : `: \`svcsync apply\` brings ${them} about`
    return `No drift. ${formatCount(plan.pending.length, 'object')} ${are} declared otherwise and not applied yet${way}.`
  }
  const left = sayLacking(plan)
  if (plan.counts.none === 0)
    return left === ''
      ? 'No changes. Nothing is declared, or nothing of it was selected.'
      : `Nothing was compared.${left}`
  const compared = `${formatCount(plan.counts.none, 'object')} compared`
  const reach = plan.unverifiable.length > 0 ? ', as far as it can be compared' : ''
  const also = plan.accessDrift === undefined ? '' : ' Nobody is seen to do what nobody declared or accepted.'
  return `No changes. ${whatIsAsDeclared(plan)} as declared${reach}: ${compared}.${left}${also}`
}

type Left = Pick<PlanDocument, 'lacking'>

/** What stands before "as declared": it says no more than what was looked at. */
export function whatIsAsDeclared({ lacking = [] }: Left): string {
  return lacking.length > 0 ? 'What was compared is' : 'The Svc platform is'
}

/** Declared, and left out: a sentence for each kind, behind another one. */
export function sayLacking({ lacking = [] }: Left): string {
  return lacking
    .map(({ objects, reason }) => ` ${formatCount(objects, 'declared object')} left out: ${reason}.`)
    .join('')
}
