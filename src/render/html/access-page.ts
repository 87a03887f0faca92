// The list of access as one standalone page, for readers who know no command.
import { chainNames } from '@svcsync/core/access/describe-access.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { type AccessReport, type AccessRow, dayOfGrant } from '@svcsync/core/plan/access-report.ts'
import type { Place } from '@svcsync/errors/index.ts'
import { describeOutside } from '../plan/access-drift.ts'
import { describeTarget } from '../plan/target.ts'
import { plain } from '../printers/html.ts'
import { describeCommit } from '../report/access-answer.ts'
import { notesOf } from '../report/access-list.ts'
import { formatCount } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'
import { accessScript, accessStyle } from './generated/assets.ts'
import { type PageForm, renderDocument } from './page.ts'

/** The last review that was finished, and whether it had an entry. */
interface PastReview {
  readonly startedAt: string
  readonly finishedAt: string
  knows(row: AccessRow): boolean
}

interface AccessPageForm extends PageForm {
  readonly review: PastReview | undefined
  readonly only: readonly string[]
}

const tabs = [
  ['people', 'People'],
  ['objects', 'Objects'],
  ['new', 'New since the last review'],
  ['undeclared', 'Not declared'],
  ['unlicensed', 'Without a licence'],
] as const

export function renderAccessHtml(answer: AccessReport, { hash, link, review, only }: AccessPageForm): string {
  const { target, readAt, rows, unread } = answer
  const shown = rows.filter(({ live, afterApply }) => live || afterApply)
  const people = new Set(shown.map(({ subject }) => subject)).size
  const notes = [
    review === undefined
      ? 'No review of access has been finished.'
      : `The last review began on ${review.startedAt.slice(0, 10)} and ended on ${review.finishedAt.slice(0, 10)}.`,
    ...notesOf(answer),
    ...describeOutside(answer.outside),
    ...describeReviewedByHand(answer.outside),
    ...unread.map(({ address, reason }) => `Not read: ${address} (${reason})`),
  ]
  const part = only.length === 0 ? '' : `<p class="warning">This page shows a part: ${plain(only.join(' '))}</p>`
  const about = [...describeTarget(target), `read ${readAt.slice(0, 10)} ${readAt.slice(11, 16)} UTC`]
  const sum = `${formatCount(people, 'account')} with ${formatCount(shown.length, 'entry', 'entries')}.`
  const views = tabs.map(([view, text]) => `<li><a href="#${view}" data-view="${view}">${text}</a></li>`)
  const main = `<header><h1>Access to ${plain(target.name)}</h1>
<p class="faint">${about.map(plain).join(' · ')}</p>
<p>${plain(sum)}</p>${part}</header>
<noscript><p class="warning">This page needs JavaScript to search.
<code>svcsync access list --format csv</code> has the same as a table.</p></noscript>
<form role="search" aria-label="Search" hidden>
<label>Search <input type="search" name="search" autocomplete="off" placeholder="a person or an object"></label>
<output aria-live="polite"></output>
</form>
<div role="navigation" aria-label="Views"><ul class="tabs">${views.join('')}</ul></div>
<div id="view"></div>
<section class="notes"><h2>About this page</h2>
${notes.map((text) => `<p>${plain(text)}</p>`).join('\n')}</section>
<script type="application/json" id="data">${jsonInHtml(dataOf(answer, shown, review, link))}</script>`
  return renderDocument(`svcsync access: ${target.name}`, main, [], hash, { style: accessStyle, script: accessScript })
}

function describeReviewedByHand({ reviewed }: AccessReport['outside']): string[] {
  return (reviewed?.entries ?? []).map(
    ({ svcId, role, checked }) =>
      `${svcId}: ${role} of the whole installation, declared by hand, checked on ${checked}`,
  )
}

/** Nothing in it ends the element, or is more than text. */
function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A text once, and its number everywhere else. */
class TextTable {
  readonly texts: string[] = []
  readonly #numbers = new Map<string, number>()

  has(text: string): boolean {
    return this.#numbers.has(text)
  }

  of(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.texts.push(neutralise(text)) - 1
      this.#numbers.set(text, number)
    }
    return number
  }
}

/** Levels in the order in which they matter: that of Administrators, that of owners, then by name. */
function orderedLevels(rows: readonly AccessRow[]): string[] {
  const first = ['Administrator', 'owner']
  const rank = (level: string): number => (first.includes(level) ? first.indexOf(level) : first.length)
  const levels = new Set(rows.map(({ level }) => level ?? unknownLevel))
  return [...levels].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

const unknownLevel = 'not told'

/** The places of entries: the account's own line, and the lines of the rest of its way, which others share. */
class PlaceTable {
  readonly files: [shown: string, url: string][] = []
  readonly places: [file: number, line: number][] = []
  readonly rests: number[][] = []
  readonly #numbers = new Map<string, number>()
  readonly #link: PageForm['link']

  constructor(link: PageForm['link']) {
    this.#link = link
  }

  /** -1: some of the way that is shown is not declared. */
  of({ declared, declaredWay, via, skipped, places }: AccessRow): readonly [first: number, rest: number] {
    const isShown = declared && skipped === undefined && places.length === via.length + 1
    if (!isShown || declaredWay?.via.join('\n') !== via.join('\n')) return [-1, -1]
    const [first = -1, ...rest] = places.map((place) => this.#place(place))
    return [first, this.#number(`rest ${rest.join(' ')}`, () => this.rests.push(rest))]
  }

  #place({ file, line }: Place): number {
    const own = this.#number(`file ${file}`, () => this.files.push([neutralise(file), urlOf(file, this.#link)]))
    return this.#number(`${own}:${line}`, () => this.places.push([own, line]))
  }

  #number(key: string, add: () => number): number {
    return getOrInsert(this.#numbers, key, () => add() - 1)
  }
}

/** With `{line}` and `{next}` (the line after it) instead of numbers; empty: no link. */
function urlOf(file: string, link: PageForm['link']): string {
  const [line, next] = [987_654_321, 987_654_322]
  return (link?.({ file, line, column: 1 }) ?? '').replaceAll(`${line}`, '{line}').replaceAll(`${next}`, '{next}')
}

/** In the order of the script: account, level, object, company, way, since, flags, the account's line, others. */
function dataOf(
  { perhapsGroups, outside, licencesOf, above }: AccessReport,
  rows: readonly AccessRow[],
  review: PastReview | undefined,
  link: PageForm['link'],
): object {
  const levels = orderedLevels(rows)
  const levelNumbers = new Map(levels.map((level, number) => [level, number]))
  const [accounts, objects, companies, steps] = [new TextTable(), new TextTable(), new TextTable(), new TextTable()]
  const ways = new TextTable()
  const lines = new PlaceTable(link)
  const wayLists: number[][] = []
  const sinces: string[][] = []
  const sinceNumbers = new Map<string, number>()
  const numbers: number[] = []
  const held = new Map<number, string | null>()
  const numbered = rows.map((row) => ({ row, level: levelNumbers.get(row.level ?? unknownLevel) ?? 0 }))
  const subjectOf = ({ row }: (typeof numbered)[number]): string => row.subject ?? ''
  numbered.sort((a, b) => (subjectOf(a) === subjectOf(b) ? a.level - b.level : subjectOf(a) < subjectOf(b) ? -1 : 1))
  for (const { row, level } of numbered) {
    const path = chainNames(row)
    const way = ways.of(path.join('\n'))
    wayLists[way] ??= path.map((each) => steps.of(each))
    let since = -1
    if (row.since !== null) {
      const { commit, begins = '' } = row.since
      const key = `${commit} ${begins}`
      const by = neutralise(describeCommit(row.since, row.applied))
      since = sinceNumbers.get(key) ?? sinces.push([dayOfGrant(row.since), by]) - 1
      sinceNumbers.set(key, since)
    }
    const account = accounts.of(row.subject ?? '')
    if (!held.has(account)) held.set(account, licenceOf(row, licencesOf))
    const company =
      row.company === null ? (row.untold === undefined ? -1 : companies.of('not told')) : companies.of(row.company)
    numbers.push(account, level, objects.of(row.address), company, way, since, flagsOf(row, review), ...lines.of(row))
  }
  return {
    ...{ accounts: accounts.texts, objects: objects.texts, levels, companies: companies.texts, steps: steps.texts },
    ...{ ways: wayLists, sinces, rows: numbers, administrator: levelNumbers.get('Administrator') ?? -1 },
    licences: [...held.entries()].sort(([a], [b]) => a - b).map(([, types]) => types),
    perhaps: perhapsGroups.filter((svcId) => accounts.has(svcId)).map((svcId) => accounts.of(svcId)),
    ...{ files: lines.files, places: lines.places, rests: lines.rests },
    above: above.map(({ address, level, holds, entries }) => [
      ...[neutralise(address), neutralise(aboveLevel(level, entries))],
      new Set(entries.map(({ subject }) => subject)).size,
      holds.flatMap((each) => (objects.has(each) ? objects.of(each) : [])),
    ]),
    hand: (outside.reviewed?.entries ?? []).map(({ svcId, role, checked }) => [svcId, role, checked].map(neutralise)),
    review: review === undefined ? null : { started: review.startedAt.slice(0, 10) },
  }
}

const aboveLevel = (level: string, entries: AccessReport['above'][number]['entries']): string =>
  entries.some((entry) => entry.level === null) ? `${level}, or ${unknownLevel},` : level

/** Empty: none. null: it is no user, or nobody knows. */
function licenceOf({ subject, licensed }: AccessRow, licencesOf: AccessReport['licencesOf']): string | null {
  if (licensed === null) return null
  return licensed ? neutralise(licencesOf(subject ?? '').join(', ') || 'licensed') : ''
}

function flagsOf(row: AccessRow, review: PastReview | undefined): number {
  const { declared, live, afterApply, accepted } = row
  const isNew = review !== undefined && live && !review.knows(row)
  const bits = [declared, live, afterApply, accepted !== null, isNew, accepted?.isOver === true]
  return bits.reduce((flags, isSo, bit) => (isSo ? flags | (1 << bit) : flags), 0)
}
