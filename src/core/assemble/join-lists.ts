// Joins several declarations of one collection: additive lists add up, whole lists cover different parts.
import { formatPlace, inCode, type Problem } from '@svcsync/errors/index.ts'
import { listedTwice } from '../model/account-sets.ts'
import { declaredTwice, identityOf, placeIn } from '../model/declaration.ts'
import {
  type AssemblySettings,
  type DesiredCollection,
  type DesiredElement,
  type OutsideEntry,
  placeOfElement,
} from '../model/desired.ts'
import { areExclusive, type ListedSubject, listedSubject, showElement } from '../model/elements.ts'
import { countsAt, isoMoment, shownBound, type TimeBounds } from '../model/time-bounds.ts'
import type { AssemblyRun } from './flatten-sets.ts'
import type { readList } from './read-list.ts'

type ListPart = ReturnType<typeof readList>

const none: readonly never[] = []

/** Lists that contradict an earlier one count for nothing. `left`: paths that an override takes out of management. */
export function joinLists(
  lists: readonly ListPart[],
  { time, problems }: Pick<AssemblyRun, 'time' | 'problems'>,
  left: readonly string[] = none,
): DesiredCollection {
  const [first, ...others] = lists as readonly [ListPart, ...ListPart[]]
  // Nearly every list there is, and there are many.
  if (others.length === 0 && first.timed.size === 0 && first.uses.length === 0) {
    const { mode, parts, elements } = first
    if (mode !== 'whole') return { mode, parts, elements, upcoming: none }
    return { ...managed(first, parts, left), elements, upcoming: none }
  }
  const { joined, parts } = joinAgreeing(first, others, problems)
  const managing = managed(first, parts, left)
  const alone = joined.length === 1
  const elements = alone ? first.elements : joinElements(joined, problems)
  const uses = alone ? first.uses : joined.flatMap((list) => list.uses)
  const timed = alone ? first.timed : joinTimed(joined)
  if (timed.size === 0) return { ...managing, elements, upcoming: none, ...(uses.length > 0 && { uses }) }
  // An account that another list names without bounds neither begins nor ends.
  const isPlain = (key: string): boolean => joined.some(({ plain }) => plain.has(key))
  const holder = identityOf(first.declaration)
  const upcoming = upcomingIn(timed, isPlain, time, holder)
  const outside = elementsOutsideTime(timed, elements, time, holder)
  const begun = begunTimes(timed, isPlain, time)
  return {
    ...{ ...managing, elements, upcoming },
    ...(uses.length > 0 && { uses }),
    ...(outside.size > 0 && { outside }),
    ...(begun.size > 0 && { begun }),
  }
}

function joinAgreeing(first: ListPart, others: readonly ListPart[], problems: Problem[]) {
  const joined = [first]
  let { parts } = first
  for (const list of others) {
    const overlap = parts === 'all' || list.parts === 'all' || parts.some((part) => list.parts.includes(part))
    if (first.mode !== list.mode || (overlap && first.mode !== 'additive')) {
      const isWhole = [first, list].filter(({ mode }) => mode === 'whole').length === 1 && !overlap
      problems.push((isWhole ? mixedManagementProblem : listedTwiceProblem)(list, first))
      continue
    }
    joined.push(list)
    parts = parts === 'all' || list.parts === 'all' ? 'all' : [...new Set([...parts, ...list.parts])]
  }
  return { joined, parts }
}

function joinElements(joined: readonly ListPart[], problems: Problem[]): ListPart['elements'] {
  const all = new Map<string, DesiredElement>()
  const [first] = joined as readonly [ListPart, ...ListPart[]]
  const isItems = first.declaration.kind.collections[first.collection]?.of === 'items'
  for (const [key, wanted] of joined.flatMap(({ elements }) => [...elements])) {
    if (all.has(key)) continue
    const other = isItems && [...all.values()].find(({ element }) => areExclusive(element, wanted.element))
    if (other)
      problems.push(listedTwice(showElement(wanted.element), placeOfElement(wanted), placeOfElement(other), false))
    else all.set(key, wanted)
  }
  return all
}

function managed(
  { mode, declaration, collection, field }: ListPart,
  parts: ListPart['parts'],
  left: readonly string[],
): Pick<DesiredCollection, 'mode' | 'parts' | 'unlisted'> {
  if (mode !== 'whole') return { mode, parts }
  if (parts === 'all') return { mode: 'exclusive', parts }
  const all = declaration.kind.collections[collection]?.allParts ?? none
  const unlisted = all.filter((part) => !parts.includes(part) && !left.includes(`${field}.${part}`))
  return { mode: 'exclusive', parts: [...parts, ...unlisted], unlisted }
}

function joinTimed(lists: readonly ListPart[]): ListPart['timed'] {
  const [first, ...others] = lists as readonly [ListPart, ...ListPart[]]
  const all = new Map(first.timed)
  for (const [key, spans] of others.flatMap(({ timed }) => [...timed])) {
    const known = all.get(key)
    all.set(key, known === undefined ? spans : [...known, ...spans])
  }
  return all
}

function mixedManagementProblem({ declaration, field }: ListPart, earlier: ListPart): Problem {
  const other = placeIn(earlier.declaration, [earlier.field], 'key')
  return {
    code: 'SVC1336',
    severity: 'error',
    message:
      `\`${field}\` of ${declaration.kind.name} ${inCode(identityOf(declaration))} ` +
      'are managed whole in one place, and level by level in another',
    place: placeIn(declaration, [field], 'key'),
    hint:
      `The other place is ${formatPlace(other)}. Write \`manage: { ${field}: whole }\` beside both, ` +
      'to empty levels that neither lists; or write `exclusive` beside both.',
    related: [{ message: 'declared here first', place: other }],
  }
}

function listedTwiceProblem({ declaration, field, collection }: ListPart, earlier: ListPart): Problem {
  const other = placeIn(earlier.declaration, [earlier.field], 'key')
  const additive = `\`manage: { ${field}: additive }\` beside each whole list`
  const way =
    declaration.kind.collections[collection]?.of === 'items'
      ? `or write ${additive}.`
      : 'if two teams share it, give each a set in its own file (`sets`), and list both: ' +
        `\`[{ set: team-a }, { set: team-b }]\`. With ${additive}, people who leave a team keep its access.`
  const list = `\`${field}\` of ${declaration.kind.name} ${inCode(identityOf(declaration))}`
  const message = `${list} is declared twice, and at least one of the two lists is exclusive`
  return declaredTwice(message, placeIn(declaration, [field], 'key'), other, `put all into one list; ${way}`)
}

/** `isAlways`: elements that are listed without bounds besides. */
function upcomingIn(
  timed: ListPart['timed'],
  isAlways: (key: string) => boolean,
  { nowMs, timeZone }: AssemblySettings['time'],
  holder: string,
): DesiredCollection['upcoming'] {
  const upcoming: DesiredCollection['upcoming'][number][] = []
  for (const [key, spans] of timed) {
    if (isAlways(key)) continue
    const told = new Set<string>()
    for (const { element, span } of spans) {
      const { fromMs, untilMs, fromText = '', untilText = '' } = span.bounds
      const announce = (event: DesiredCollection['upcoming'][number]['event'], ms: number, text: string): void => {
        if (fromMs >= untilMs || ms <= nowMs || !Number.isFinite(ms)) return
        // Another line may name the account just before it begins here, or after it ends.
        if (spans.some(({ span: { bounds } }) => coversMoment(bounds, event, ms)) || told.has(`${event} ${ms}`)) return
        told.add(`${event} ${ms}`)
        upcoming.push({
          ...listedSubject(element, holder),
          event,
          at: isoMoment(ms),
          shown: shownBound(text, timeZone),
          ...span.places,
        })
      }
      announce('begins', fromMs, fromText)
      announce('ends', untilMs, untilText)
    }
  }
  return upcoming
}

function coversMoment(other: TimeBounds, event: DesiredCollection['upcoming'][number]['event'], ms: number): boolean {
  return event === 'ends' ? countsAt(other, ms) : other.fromMs < ms && other.untilMs >= ms
}

const withoutLevel = ({ level: _, company: __, ...listed }: ListedSubject): Omit<ListedSubject, 'level' | 'company'> =>
  listed

/** Listed elements outside their time, by element key: when they ended last, or else when they begin first. */
function elementsOutsideTime(
  timed: ListPart['timed'],
  counting: ReadonlyMap<string, unknown>,
  { nowMs, timeZone }: AssemblySettings['time'],
  holder: string,
): ReadonlyMap<string, OutsideEntry> {
  const outside = new Map<string, OutsideEntry>()
  for (const [key, elements] of timed) {
    if (counting.has(key)) continue
    const [first] = elements
    if (first === undefined) continue
    const spans = elements.map(({ span }) => span).filter(({ bounds }) => bounds.fromMs < bounds.untilMs)
    const ended = spans.filter(({ bounds }) => bounds.untilMs <= nowMs)
    const [last] = ended.sort((a, b) => b.bounds.untilMs - a.bounds.untilMs)
    const [next] = spans.sort((a, b) => a.bounds.fromMs - b.bounds.fromMs)
    const span = last ?? next
    if (span === undefined) continue
    const { fromMs, untilMs, fromText = '', untilText = '' } = span.bounds
    outside.set(key, {
      ...withoutLevel(listedSubject(first.element, holder)),
      event: last === undefined ? 'begins' : 'ended',
      at: isoMoment(last === undefined ? fromMs : untilMs),
      shown: shownBound(last === undefined ? fromText : untilText, timeZone),
      ...span.places,
    })
  }
  return outside
}

/** Elements that count now but not always, and since when without a gap. `isAlways` as in `upcomingIn`. */
function begunTimes(
  timed: ListPart['timed'],
  isAlways: (key: string) => boolean,
  { nowMs, timeZone }: AssemblySettings['time'],
): NonNullable<DesiredCollection['begun']> {
  const begun = new Map<string, { readonly ms: number; readonly shown: string }>()
  for (const [key, elements] of timed) {
    if (isAlways(key)) continue
    const spans = elements.map(({ span }) => span.bounds).filter(({ fromMs, untilMs }) => fromMs < untilMs)
    let since: Pick<TimeBounds, 'fromMs' | 'fromText'> = { fromMs: nowMs }
    // A line may begin where another ends.
    for (;;) {
      const { fromMs } = since
      const [earlier] = spans
        .filter((each) => each.fromMs < fromMs && each.untilMs >= fromMs)
        .sort((a, b) => (a.fromMs < b.fromMs ? -1 : 1))
      if (earlier === undefined) break
      since = earlier
    }
    const counts = spans.some((bounds) => countsAt(bounds, nowMs))
    const { fromMs: ms, fromText = '' } = since
    if (counts && Number.isFinite(ms)) begun.set(key, { ms, shown: shownBound(fromText, timeZone) })
  }
  return begun
}
