// Words notices beside the changes: unreadable objects, warnings, objects that prune keeps, and dates ahead.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { Unreadable } from '@svcsync/core/model/live.ts'
import { ownCollection, type PlanDocument, type UpcomingDocument } from '@svcsync/core/plan/plan-document.ts'
import { skippedSteps } from '@svcsync/core/plan/rest-on-unread.ts'
import { compareProblems, formatPlace, type Problem } from '@svcsync/errors/index.ts'
import {
  type Block,
  maybeNote,
  name,
  names,
  note,
  type Row,
  section,
  type Text,
  table,
  words,
} from '../blocks/block.ts'
import { withPlaces } from '../changes/entry-groups.ts'
import { byCount, formatCount } from '../text/counts.ts'

export const hintOf = (hint: string | undefined): Text[] => (hint === undefined ? [] : [[words('hint:', 'good'), hint]])

export function unreadSection(
  unreadable: PlanDocument['unreadable'],
  title: string,
  steps: PlanDocument['steps'] = [],
): Block[] {
  const rows = groupUnread(unreadable).map(({ addresses, code, reason, hint }): Row => {
    const cause = code === undefined ? reason : `${code}: ${reason}`
    return {
      sign: '!',
      tone: 'error',
      cells: [[names(addresses)]],
      below: [cause, ...hintOf(hint)],
      isGrave: true,
      tags: ['unreadable'],
    }
  })
  const skipped = skippedSteps(steps)
  const addresses = [...new Set(steps.flatMap(({ id, address }) => (skipped.has(id) ? address : [])))]
  const [rest, are] = byCount(skipped.size, ['rests', 'is'], ['rest', 'are'])
  const lead =
    `${formatCount(skipped.size, 'request')} ${rest} on ` +
    `${byCount(unreadable.length, 'it', 'them')} and ${are} skipped: for`
  const skips = skipped.size === 0 ? [] : [note([lead, names(addresses), '.'], 'warning')]
  return section(title, 'error', [...table(rows, { noun: ['cause', 'causes'] }), ...skips], ['unreadable'])
}

/** Warnings of policies about objects that do not change: a reviewer of the plan has nothing to decide about them. */
export function standingWarnings({ warnings, changes }: PlanDocument): readonly Problem[] {
  const changed = new Set(changes.map(({ address }) => address))
  return warnings.filter(({ code, address = '' }) => code === 'SVC1802' && !changed.has(address))
}

/** Groups warnings of one code by their places, with one hint for all. */
export function warningRows(warnings: readonly Problem[], noun?: readonly [one: string, several: string]): Block[] {
  const sorted = [...warnings].sort(compareProblems)
  return [...groupBy(sorted, ({ code }) => code)].flatMap(([code, own]) => {
    const hints = new Set<string>()
    const rows = own.map(({ message, place, address, hint, related = [] }): Row => {
      const isInside = address !== undefined && !message.includes(address)
      const isNew = hint !== undefined && !hints.has(hint)
      if (isNew) hints.add(hint)
      const others = related.map((other): Text => [{ at: other.place }, other.message])
      return {
        sign: '!',
        cells: [[words(code, 'faint')], isInside ? [message, '(', name(address), ')'] : message],
        place,
        below: [...others, ...(isNew ? hintOf(hint) : [])],
      }
    })
    return table(rows, { noun: noun ?? [code, code], weight: 'news' })
  })
}

/** Access broke policies before the plan, too. */
const breaksPolicy = ({ code }: Problem): boolean => code === 'SVC1807'

export function warningSection(plan: PlanDocument): Block[] {
  const standing = new Set(standingWarnings(plan))
  const access = groupBy(plan.warnings.filter(breaksPolicy), ({ severity }) => severity)
  const [denied = [], warned = []] = (['error', 'warning'] as const).map((severity) => access.get(severity))
  const others = plan.warnings.filter(
    (warning) => warning.account === undefined && !standing.has(warning) && !breaksPolicy(warning),
  )
  return [
    // Denials are never folded behind warnings.
    ...section(
      'Access that breaks policies',
      denied.length > 0 ? 'error' : 'warning',
      [...warningRows(denied, ['denied', 'denied']), ...warningRows(warned, ['warned of', 'warned of'])],
      ['policy-broken'],
    ),
    ...section('Warnings', 'warning', warningRows(others)),
  ]
}

export function unknownAccounts({ warnings }: PlanDocument): Block[] {
  const rows = warningRows(warnings.filter(({ account }) => account !== undefined))
  return section('Accounts that the platform does not have', 'warning', rows, ['unknown-account'])
}

export function pruneSection({ changes, only, prune }: PlanDocument): Block[] {
  const count = changes.filter(({ prunedBy }) => prunedBy !== undefined).length
  const rows = (prune?.kept ?? []).map(({ address, reason }): Row => ({ cells: [[name(address), ':', reason]] }))
  return [
    ...maybeNote(describePrune(count, only.length > 0), 'warning'),
    ...section('Prune matches and keeps', 'strong', table(rows, { noun: ['object', 'objects'], weight: 'bulk' })),
  ]
}

/** Deletions by prune, and its scope. Empty: it deletes nothing. */
function describePrune(count: number, isSelected: boolean): string {
  if (count === 0) return ''
  const them = byCount(count, 'it', 'them')
  const [lists, rest] = isSelected
    ? ['Declared lists that `--only` selects', 'undeclared or unselected objects were']
    : ['Declared lists', 'undeclared objects were']
  const what = `Prune deletes ${formatCount(count, 'object')} that no manifest mentions`
  return `${what}. ${lists} let go of ${them} first; ${rest} not read, and may still refer to ${them}.`
}

/** Events that differ only in their account share a row. */
export function upcomingSection(upcoming: PlanDocument['upcoming'], title: string): Block[] {
  const groups = groupBy(upcoming, (entry) => {
    const { at, shown, event, address, set, place } = entry
    return JSON.stringify([at, shown, event, address, listOf(entry), set, set !== undefined && formatPlace(place)])
  })
  const rows = [...groups.values()].map((entries): Row => {
    const [first, ...others] = entries as [UpcomingDocument, ...UpcomingDocument[]]
    const { at, shown = at, event, address, collection, set, place, svcId, listedAt = place } = first
    const isOne = others.length === 0
    const who = isOne ? name(svcId) : formatCount(entries.length, 'account')
    const through: Text = set === undefined ? [] : [`through set ${set}`, { at: place }]
    const named = withPlaces(entries, (entry) => entry.listedAt ?? entry.place).map(
      ([each, line]) => `${each.svcId} ${line}`,
    )
    return {
      cells: [
        [words(shown, 'faint')],
        [words(event, event === 'begins' ? 'add' : 'remove')],
        collection === ownCollection
          ? ['account', name(address), 'is deleted']
          : [who, `in ${listOf(first)} of`, name(address), ...through],
      ],
      ...(isOne && { place: listedAt }),
      below: isOne ? [] : [[names(named, event === 'begins' ? 'news' : 'loss')]],
    }
  })
  return section(title, 'strong', table(rows))
}

function listOf({ level, collection, company, item }: UpcomingDocument): string {
  const list = item === undefined ? (level ?? collection) : `${collection} (${item})`
  return company === undefined ? list : `${list} (${company.name})`
}

/** In the order of the first of each: a list that could not be read is one cause, however many are looked for in it. */
export function groupUnread(unreadable: readonly Unreadable[]) {
  const groups = new Map<string, Omit<Unreadable, 'address'> & { readonly addresses: string[] }>()
  for (const { address, account: _, ...cause } of unreadable) {
    const key = JSON.stringify([cause.code, cause.reason, cause.hint, cause.isNew])
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { ...cause, addresses: [address] })
    else known.addresses.push(address)
  }
  return [...groups.values()]
}
