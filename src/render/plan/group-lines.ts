// The changes of one kind for the terminal. Long lists are cut to the first of each action and counts of the others, but for what
// nobody may miss.
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { changeLines } from '../changes/change-lines.ts'
import { foundAs } from '../changes/drift-words.ts'
import { actions, countElements, formatElements, type PlanGroup, type ReviewedChange } from '../changes/plan-groups.ts'
import { foldNames, formatNumber } from '../text/counts.ts'
import { type Flow, indent, piece, say, wrapItems } from '../text/line.ts'

interface GroupForm {
  readonly verbose: boolean
  readonly drift: boolean
  /** Of an update or a create: it is never only counted. */
  readonly isGrave: (change: ReviewedChange) => boolean
}

/** So many creates of one kind still show their fields, and so many updates are all shown. Of more, the first are listed. */
const mostOfAction = 50

/** Somebody or something loses what was there; of drift: was given what nobody declares. */
export function takesAway({ action, differences }: ReviewedChange): boolean {
  return action === 'delete' || differences.some(({ removed = [] }) => removed.length > 0)
}

/**
 * An entry with settings may replace one that allowed more, one about an object limit what held everywhere, and what ends end
 * sooner: nobody may say that it takes nothing away.
 */
export function setsAnew({ action, differences }: ReviewedChange): boolean {
  return differences.some(
    ({ path, added = [] }) =>
      (action === 'update' && (path === 'to' || added.some(({ about }) => about !== undefined))) ||
      added.some(({ settings }) => settings !== undefined),
  )
}

/** What takes away, and what guards refuse; where nothing else tells who comes to administer, that too. */
export function graveIn({ guards, access }: PlanDocument): GroupForm['isGrave'] {
  const refused = new Set(guards.flatMap(({ verdict, addresses }) => (verdict === 'refused' ? addresses : [])))
  const isSilent = access === undefined || access.mode === 'none'
  const administers = ({ differences }: ReviewedChange): boolean =>
    differences.some(({ added = [] }) => added.some(({ level }) => level === 'Administrator'))
  return (change) => takesAway(change) || refused.has(change.address) || (isSilent && administers(change))
}

/** The changes of the groups of which something holds, with their counts. */
export function pick(groups: readonly PlanGroup[], holds: (change: ReviewedChange) => boolean): PlanGroup[] {
  return groups.flatMap((group) => {
    const changes = group.changes.filter(holds)
    const count = (wanted: ReviewedChange['action']): number => changes.filter(({ action }) => action === wanted).length
    const counts = { create: count('create'), update: count('update'), delete: count('delete') }
    return changes.length === 0 ? [] : [{ ...group, changes, counts }]
  })
}

export function groupLines({ title, prefix, changes, counts }: PlanGroup, form: GroupForm): Flow[] {
  const { verbose, drift, isGrave } = form
  const worded = (action: ReviewedChange['action']): string => (drift ? foundAs[action] : `to ${action}`)
  const numbers = actions
    .filter((action) => counts[action] > 0)
    .map((action) => `${formatNumber(counts[action])} ${worded(action)}`)
  const heading = [[piece(`${prefix}…`, 'faint')], [piece(numbers.join(', '), 'faint')]]
  return [
    wrapItems([piece(title, 'strong'), indent(2)], heading, indent(2)),
    ...actions.flatMap((action) => {
      const own = changes.filter((change) => change.action === action)
      const foldable = action === 'delete' || own.length <= mostOfAction ? [] : own.filter((each) => !isGrave(each))
      const { shown } = foldNames(foldable, '+', { whole: verbose })
      const hidden = new Set(foldable.slice(shown.length))
      const brief = !verbose && action === 'create' && own.length > mostOfAction
      return [
        ...own
          .filter((change) => !hidden.has(change))
          .flatMap((change) => changeLines(change, { verbose, drift, brief: brief && !isGrave(change) })),
        ...hiddenLines([...hidden], worded(action)),
      ]
    }),
  ]
}

/** `… and 318 more to update, privileges +640, --verbose for all`. */
function hiddenLines(hidden: readonly ReviewedChange[], worded: string): Flow[] {
  if (hidden.length === 0) return []
  const elements = countElements([{ changes: hidden }])
    .filter(({ added, removed }) => added + removed > 0)
    .map((each) => `, ${formatElements(each)}`)
  return say(`… and ${formatNumber(hidden.length)} more ${worded}${elements.join('')}, --verbose for all`, 'faint', 2)
}
