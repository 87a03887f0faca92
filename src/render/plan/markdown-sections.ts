// The parts of a comment that a reviewer must not miss.
import { elementLimits, elementName } from '../../core/model/elements.ts'
import type { Element } from '../../core/model/kind.ts'
import type { ChangeDocument, DifferenceDocument, PlanDocument } from '../../core/plan/plan-document.ts'
import { compareProblems, formatPlace, type Problem } from '../../errors/index.ts'
import { isAmong } from '../changes/by-cause.ts'
import { causesAs, objectSentence } from '../changes/drift-words.ts'
import type { PlanGroup } from '../changes/plan-groups.ts'
import { groupUnread, saySkipped } from '../changes/unread-groups.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { code, firstOf, listSection, prose } from '../text/markdown.ts'
import { groupUpcoming, sayDays } from './upcoming.ts'

const elementsInLine = 10
const relatedPlaces = 3
const mostUnread = 10

/** `skips`: the requests that an apply skips with them are told as well. */
export function unreadableSection(plan: PlanDocument, names: number, skips: boolean): string[] {
  const { unreadable } = plan
  const title = `⚠️ ${formatCount(unreadable.length, 'object')} could not be read`
  const nothing = `Nothing is planned for ${unreadable.length === 1 ? 'it' : 'them'}, and nothing is promised.`
  const lead = [nothing, ...(skips ? [prose(saySkipped(plan))] : [])].join(' ').trim()
  return listSection(title, unreadItems(unreadable), names, lead, '')
}

export function unreadItems(unreadable: PlanDocument['unreadable']): string[] {
  return groupUnread(unreadable).map(({ addresses, ...cause }) => {
    const named = addresses.slice(0, mostUnread).map(code).join(', ')
    const rest = addresses.length > mostUnread ? ` and ${formatNumber(addresses.length - mostUnread)} more` : ''
    const hint = cause.hint === undefined ? '' : `<br>${prose(withCommands(cause.hint))}`
    return `- ${named}${rest}: ${prose(withCode(cause))}${hint}`
  })
}

/** What is deleted, and who is taken out of what. */
export function destructiveSection(groups: readonly PlanGroup[], names: number): string[] {
  const changes = groups.flatMap((group) => group.changes)
  const deletions = changes
    .filter(({ action }) => action === 'delete')
    .map((change) => `- **delete** ${code(change.address)} (${whereDeclared(change)})`)
  const removals = changes.flatMap(({ address, differences }) =>
    differences
      .filter(({ removed }) => removed !== undefined && removed.length > 0)
      .map(({ path, removed = [] }) => `- ${code(address)} loses ${prose(path)} ${listElements(removed)}`),
  )
  return listSection('⚠️ Deleted or taken away', [...deletions, ...removals], names)
}

/** Whoever got in, and what came to be, that nobody declared: the part of drift that gives access. */
export function foundSection(groups: readonly PlanGroup[], names: number, isKnown: boolean): string[] {
  const { added: addedBy } = causesAs(isKnown).entry
  const changes = groups.flatMap((group) => group.changes)
  const created = changes
    .filter(({ action }) => action === 'delete')
    .map((change) => {
      const sentence = objectSentence(change).replace(';', '**;')
      return `- ${code(change.address)} **${sentence} (${whereDeclared(change)})`
    })
  const updated = changes.filter(({ action }) => action === 'update')
  const added = updated.flatMap(({ address, differences }) =>
    differences.flatMap((difference) => {
      const removed = withinTime(difference)
      if (removed.length === 0) return []
      const what = `${code(address)}: ${prose(difference.path)} ${listElements(removed)}`
      return `- ${what} **${addedBy}**; healing removes ${removed.length === 1 ? 'it' : 'them'}`
    }),
  )
  return listSection(`⚠️ Created or ${addedBy}`, [...created, ...added], names)
}

function whereDeclared({ place, prunedBy }: ChangeDocument): string {
  if (place !== undefined) return code(formatPlace(place))
  return prunedBy === undefined ? 'declared nowhere' : `declared nowhere, pruned by ${code(prunedBy)}`
}

/** Without those that are listed, for a time that is over or has not begun: nobody added them. */
function withinTime({ removed = [], outsideTime = [] }: DifferenceDocument): readonly Element[] {
  return removed.filter((element) => !isAmong(element, outsideTime))
}

export function listElements(elements: readonly Element[]): string {
  return firstOf(elements, elementsInLine, (element) => {
    const limits = elementLimits(element)
    const name = code(elementName(element))
    return limits.length === 0 ? name : `${name} (${prose(limits.join(', '))})`
  })
}

/** Warnings of policies about objects that do not change: a reviewer of the plan has nothing to decide about them. */
export function standingWarnings({ warnings, changes }: PlanDocument): readonly Problem[] {
  const changed = new Set(changes.map(({ address }) => address))
  return warnings.filter(({ code, address = '' }) => code === 'SVC1802' && !changed.has(address))
}

/** The others, by their places. */
export function ownWarnings(plan: PlanDocument): Problem[] {
  const standing = new Set(standingWarnings(plan))
  return plan.warnings.filter((warning) => !standing.has(warning)).sort(compareProblems)
}

export function warningSection(plan: PlanDocument, names: number): string[] {
  const items = ownWarnings(plan).map(({ code: number, message, place, address, hint, related = [] }) => {
    const where = place === undefined ? address : formatPlace(place)
    const object =
      place === undefined || address === undefined || message.includes(address) ? '' : ` in ${code(address)}`
    const others = related
      .slice(0, relatedPlaces)
      .map((other) => `<br>${code(formatPlace(other.place))}: ${prose(other.message)}`)
    return `- ${prose(number)} ${where === undefined ? '' : `${code(where)}${object}: `}${prose(message)}${others.join('')}${hint === undefined ? '' : `<br>${prose(hint)}`}`
  })
  return listSection(formatCount(items.length, 'warning'), items, Math.min(names, 50))
}

export function upcomingSection(plan: PlanDocument, names: number): string[] {
  const items = groupUpcoming(plan).map(({ shown, event, list, address, set, setAt = '', entries }) => {
    const where = `in ${prose(list)} of ${code(address)}`
    const through = set === undefined ? '' : `through set ${code(set)} ${code(setAt)}`
    const [first, ...others] = entries
    if (first !== undefined && others.length === 0) {
      const places = [...(through === '' ? [] : [through]), code(first.at)].join(', ')
      return `- ${prose(shown)}: ${code(first.svcId)} ${event} ${where} (${places})`
    }
    const named = firstOf(entries, elementsInLine, ({ svcId, at }) => `${code(svcId)} (${code(at)})`)
    const verb = event.replace(/s$/, '')
    const note = through === '' ? '' : ` (${through})`
    return `- ${prose(shown)}: ${formatCount(entries.length, 'account')} ${verb} ${where}${note}: ${named}`
  })
  return listSection(`Begins or ends within ${sayDays(plan)}`, items, Math.min(names, 50))
}

/** Empty: the platform returns all. Doubts are told apart. */
export function sayUnverifiable({ unverifiable: all, unlistedLevels }: PlanDocument): string {
  // Said of their levels.
  const said = new Set(unlistedLevels?.untold?.lists.map(({ address, path }) => `${address} ${path}`))
  const unverifiable = all
    .map(({ address, paths, doubted }) =>
      paths.filter((path) => !said.has(`${address} ${path}`) && doubted?.paths.includes(path) !== true),
    )
    .filter((paths) => paths.length > 0)
  if (unverifiable.length === 0) return ''
  const fields = unverifiable.flat().length
  const what = `${formatCount(fields, 'field')} of ${formatCount(unverifiable.length, 'object')}`
  return `Not compared: ${what}, which the Svc platform does not return.`
}

/** A reason with the code of its problem in front of it. */
export function withCode({ code, reason }: { readonly code?: string | undefined; readonly reason: string }): string {
  return code === undefined ? reason : `${code}: ${reason}`
}
