// Lists access for reviews: as text, Markdown, CSV and JSON.
import { type AccessEntry, type AccessPath, chainNames, throughChain } from '@svcsync/core/access/describe-access.ts'
import { getOrInsert, groupBy } from '@svcsync/core/model/group-by.ts'
import { type AccessReport, type AccessRow, dayOfGrant } from '@svcsync/core/plan/access-report.ts'
import { formatPlace } from '@svcsync/errors/index.ts'
import { type Block, head, maybeNote, name, note, type Row, section, table, words } from '../blocks/block.ts'
import { heldBlocks } from '../plan/access-blocks.ts'
import { describeOutside, standInLimit } from '../plan/access-drift.ts'
import { upcomingSection } from '../plan/notices.ts'
import { describeTarget } from '../plan/target.ts'
import { printText } from '../printers/text.ts'
import { foldNames, formatCount, formatNumber } from '../text/counts.ts'
import type { TextForm } from '../text/line.ts'
import { inParts } from '../text/neutralise.ts'
import { describeApply, describeContainer, describeOrigin } from './access-answer.ts'
import { createCsvLines } from './csv.ts'

/** null: the platform does not tell enough of it. */
function isDeclared({ declared, level, untold, declaredWay }: AccessRow): boolean | null {
  const isKnown = level !== null && (untold === undefined || declaredWay === null)
  return declared || isKnown ? declared : null
}

/** `Now, as declared`. `isPast`: the row is what was declared then. */
function titleOf(row: AccessRow, isPast: boolean, readAt: string): string {
  const { live, afterApply, atBase, accepted } = row
  if (isPast) return live ? 'Declared then, and so now' : 'Declared then, and not so now'
  const declared = isDeclared(row)
  const then =
    atBase === null || atBase === (declared ?? true)
      ? []
      : [atBase ? 'declared at the base' : 'not declared at the base']
  const allowed = accepted === null ? [] : [describeAcceptance(accepted)]
  const becomes = declared === true ? [] : [afterApply ? 'an apply leaves it' : 'an apply takes it away']
  if (live) return [[currentStateTitles[String(declared)], ...allowed].join(', '), ...becomes, ...then].join('; ')
  // An applied substitution counts from its start: nobody knows what else is left to apply.
  const pending = beginsLater(row, readAt) ? 'Declared, and begins later' : 'Declared, and not applied yet'
  if (declared) return [afterApply ? pending : 'Declared, and not so after an apply', ...then].join('; ')
  return [afterApply ? 'After an apply, and not declared' : 'Not now', ...then].join('; ')
}

const beginsLater = ({ substitutions = [] }: AccessRow, readAt: string): boolean =>
  substitutions.some(({ from }) => Date.parse(from) > Date.parse(readAt))

const currentStateTitles: Readonly<Record<string, string>> = {
  true: 'Now, as declared',
  false: 'Now, and not declared',
  null: 'Now, and perhaps declared',
}

const describeAcceptance = ({ until, isOver }: NonNullable<AccessRow['accepted']>): string =>
  `accepted until ${until}${isOver ? ', which is over' : ''}`

/** Present access comes first. */
const rankOf = (row: AccessRow): number =>
  [row.live, row.afterApply, isDeclared(row), row.atBase].reduce((rank, is) => 2 * rank + (is ? 0 : 1), 0)

interface AccessListOptions {
  /** The sentence for where nobody can do anything. */
  readonly nobody: string
  readonly person?: string | undefined
  readonly at?: string | undefined
}

/** For very many rows, blocks of complete subjects: `rowsAtOnce` rows or a few more. */
export function* accessListBlocks(
  answer: AccessReport<Iterable<AccessRow>>,
  { nobody, person, at }: AccessListOptions,
  rowsAtOnce = Number.POSITIVE_INFINITY,
): Generator<Block> {
  const { rows, holders, target, otherWays, unread, above, outside } = answer
  const isPast = at !== undefined
  yield* [head('Access to', target.name, describeTarget(target)), ...maybeNote(describeMoment(answer, at))]
  const unlicensed = new Map<string | null, AccessRow>()
  let isHeld = false
  for (const part of inParts(rows, rowsAtOnce, ({ subject }) => subject)) {
    const alike = [...groupBy(part, (row) => titleOf(row, isPast, answer.readAt))].sort(
      ([, [a]], [, [b]]) => rankOf(a as AccessRow) - rankOf(b as AccessRow),
    )
    for (const [title, own] of alike) yield* section(title, 'strong', [...heldBlocks(own), ...placeNotes(own)])
    for (const row of part) if (row.live && row.licensed === false) unlicensed.set(row.subject, row)
    isHeld ||= part.some(({ live }) => isPast || live)
  }
  const shown = otherWays.slice(0, mostOthers)
  const rest = otherWays.length - shown.length
  const more = rest > 0 ? [note(`… and ${formatNumber(rest)} more: \`--format json\` has them`, 'faint')] : []
  yield* section('Now, by other ways as well', 'strong', [...heldBlocks(shown), ...more])
  yield* upcomingSection(answer.upcoming, 'With bounds in time')
  if (!isHeld) yield* maybeNote(nobody)
  yield* section('Held there by others', 'strong', heldBlocks(holders))
  yield* byHandRows(outside, person)
  const notes = notesOf({ ...answer, rows: [...unlicensed.values()] }, isPast)
  const all = [...above.map((each) => describeContainer(each)), ...notes, ...describeOutside(outside)]
  yield* all.map((text) => note(text, 'faint'))
  const closed = unread.map(({ address, reason }): Row => ({ sign: '!', cells: [[name(address)]], below: [reason] }))
  if (closed.length > 0) yield* [note('Not read, so access to these is unknown:', 'faint'), ...table(closed)]
}

/** Roles of the whole installation. `person`: of that account alone. */
function byHandRows({ reviewed }: AccessReport['outside'], person: string | undefined): Block[] {
  const own = (reviewed?.entries ?? []).filter(
    ({ svcId }) => person === undefined || svcId.toLowerCase() === person.toLowerCase(),
  )
  const rows = own.map(({ svcId, role, source, checked }): Row => {
    return { cells: [[name(svcId)], role, [words(`declared by hand, checked on ${checked} (${source})`, 'faint')]] }
  })
  return section('Roles of the whole installation, declared by hand', 'strong', table(rows))
}

const mostOthers = 20

export function acceptedText(entries: readonly AccessEntry[], file: string, until: string, form: TextForm): string {
  const levels = formatCount(entries.length, 'level')
  const lead = `${levels} accepted until ${until}, in ${file}: commit it, so that others can review it.`
  // By which other way it may be declared is a question no more.
  const plain = entries.map(({ unseen: _, ...entry }) => entry)
  return printText([note(lead), ...heldBlocks(plain)], { ...form, verbose: true })
}

/** `isPast`: rows tell what was declared then, and licences are those of now. */
export function notesOf({ rows, perhapsGroups, unlooked, licencesUnread }: AccessReport, isPast = false): string[] {
  const unlicensed = [
    ...new Set(rows.flatMap((row) => (row.live && row.licensed === false ? (row.subject ?? []) : []))),
  ]
  const { shown, note: rest } = foldNames(unlicensed.sort(), '+', { way: '`--format json` has all' })
  const named = [...shown, ...(rest === '' ? [] : [rest])].join(', ')
  const open = `May be groups whose members svcsync cannot see: ${perhapsGroups.join(', ')}.`
  return [
    ...(perhapsGroups.length === 0 ? [] : [open]),
    ...(unlicensed.length === 0 ? [] : [`Hold no licence${isPast ? ' now' : ''}: ${named}.`]),
    ...(licencesUnread === null ? [] : [`Licences were not read: ${licencesUnread}.`]),
    ...(unlooked === undefined ? [] : [standInLimit()]),
  ]
}

/** So many ways are named behind one list, with so many lines in all; a table has all. */
const mostPlaces = 6
const mostLines = 24

/** The places of declarations. Another declared way than the one above has its own places. */
const placeNotes = (rows: readonly AccessRow[]): Block[] =>
  [...groupBy(rows, describeDeclaredPath)].flatMap(([way, own]) => placesOfWay(own, way, rows))

function describeDeclaredPath(row: AccessRow): string {
  const { declaredWay } = row
  if (declaredWay === null || chainCell(declaredWay) === chainCell(row)) return ''
  return throughChain(declaredWay) || 'directly'
}

function placesOfWay(rows: readonly AccessRow[], way: string, all: readonly AccessRow[]): Block[] {
  const by = groupBy(rows, (row) => {
    const text = formatPlaces(row)
    return text === '' || row.since === null ? text : `${text}, ${describeOrigin(row)}`
  })
  const places = [...by].filter(([text]) => text !== '')
  if (places.length === 0) return []
  const count = new Set(rows.flatMap((row) => row.places.map(formatPlace))).size
  const isWhole = rows.every(({ declaredWay }) => declaredWay?.skipped === undefined)
  const rest = isWhole
    ? `at ${formatNumber(count)} places: \`--format csv\` names them`
    : `at more than ${formatNumber(count)} places`
  const lead = `declared ${way === '' ? '' : `${way}, `}`
  if (places.length > mostPlaces || count > mostLines) return [note(`${lead}${rest}`, 'faint')]
  return places.map(([text, own]) => note(`${whose(own, all)}${lead}at ${text}`, 'faint'))
}

/** The account and the level of some rows, if the section has several of them. */
function whose(own: readonly AccessRow[], all: readonly AccessRow[]): string {
  const valuesOf = (key: 'subject' | 'level', rows: readonly AccessRow[]) => [...new Set(rows.map((row) => row[key]))]
  const several = (['subject', 'level'] as const).filter((key) => valuesOf(key, all).length > 1)
  return several.length === 0 ? '' : `${several.map((key) => valuesOf(key, own).join(', ')).join(' ')}: `
}

const chainCell = (way: AccessPath): string => chainNames(way).join(' > ')

function formatPlaces({ places, declaredWay }: AccessRow): string {
  const skipped = declaredWay?.skipped ?? 0
  const texts = places.map(formatPlace)
  if (skipped > 0) texts.splice(Math.floor(places.length / 2), 0, `${formatNumber(skipped)} more`)
  return texts.join(' > ')
}

const headings = [
  ...['account', 'level', 'object', 'company', 'through', 'kind', 'now', 'after apply'],
  ...['declared', 'declared through', 'declared at', 'accepted', 'since', 'may be a group', 'licensed'],
  ...['approved by', 'applied', 'approval claimed'],
] as const

/** There may be a million rows, and all members of a group share its ways. */
function createCells(perhapsGroups: readonly string[]): (row: AccessRow) => readonly string[] {
  const open = new Set(perhapsGroups)
  const known = new WeakMap<readonly string[], string>()
  const pathCell = (way: AccessPath): string => {
    const isOwn = way.via.length === 0 || way.skipped !== undefined || way.substitutions !== undefined
    return isOwn ? chainCell(way) : getOrInsert(known, way.via, () => chainCell(way))
  }
  return (row) => {
    const { subject, level, address, company, untold, kind, live, afterApply, declaredWay } = row
    const { accepted, since, applied, licensed } = row
    const allowed =
      accepted === null ? '' : `${describeAcceptance(accepted).replace('accepted ', '')}: ${accepted.reason}`
    return [
      ...[subject ?? '', level ?? '', address, untold === undefined ? (company ?? '') : 'unknown', pathCell(row), kind],
      ...[
        formatBoolean(live),
        formatBoolean(afterApply),
        formatBoolean(isDeclared(row)),
        declaredWay === null ? '' : pathCell(declaredWay),
      ],
      ...[
        formatPlaces(row),
        allowed,
        since === null ? '' : `${dayOfGrant(since)} ${since.commit.slice(0, 7)} ${since.author}`,
      ],
      ...[open.has(subject ?? '') ? 'yes' : 'no', licensed === null ? '' : formatBoolean(licensed)],
      applied?.approvedBy.join(', ') ?? '',
      ...[applied ? appliedCell(applied) : '', since?.claimedApprovals.join(', ') ?? ''],
    ]
  }
}

const formatBoolean = (is: boolean | null): string => (is === null ? 'unknown' : is ? 'yes' : 'no')

const appliedCell = ({ at, begins, commit, application }: NonNullable<AccessRow['applied']>): string =>
  `${at}${begins ? ' or before' : ''} ${commit.slice(0, 7)} ${application}`.trimEnd()

/** In parts: of very many rows none waits for the others. */
export function* renderAccessCsv(answer: AccessReport<Iterable<AccessRow>>): Generator<string> {
  const { rows, perhapsGroups, above, outside, unread, unlooked } = answer
  const cellsOf = createCells(perhapsGroups)
  const lineOf = createCsvLines()
  yield lineOf(headings)
  for (const part of inParts(rows, rowsAtOnce)) yield part.map((row) => lineOf(cellsOf(row))).join('')
  const notRead = unread.map(({ address, reason }) => ['', '', address, '', reason, 'not read', 'unknown'])
  const standIns = unlooked === undefined ? [] : [['', '', 'who stands in for whom', '', '', 'not read', 'unknown']]
  const others = [...aboveCells(above), ...outsideCells(outside), ...notRead, ...standIns]
  yield others.map((cells) => lineOf(headings.map((_, at) => cells[at] ?? ''))).join('')
}

const rowsAtOnce = 256

/** In the columns of the others: whoever administers what the objects are in. */
function aboveCells(above: AccessReport['above']): string[][] {
  return above.flatMap(({ entries }) =>
    entries.map((entry) => {
      const { subject, level, address, company } = entry
      return [subject ?? '', level ?? '', address, company ?? '', chainCell(entry), 'above', 'yes']
    }),
  )
}

/** Likewise: what somebody reviewed by hand; where nobody did, a row that says so; and what no list tells. */
function outsideCells({ roles, reviewed, unlisted }: AccessReport['outside']): string[][] {
  const whole = 'the whole installation'
  const kind = 'outside the API'
  const old = reviewed?.isOld ? `, more than ${formatCount(reviewed.maxAgeDays, 'day')} ago` : ''
  const entries = (reviewed?.entries ?? []).map(({ svcId, role, checked, source }) => [
    ...[svcId, role, whole, '', '', kind, 'yes', '', '', '', `by hand, checked on ${checked}${old}: ${source}`],
  ])
  return [
    ...(reviewed === null ? [['', roles.join(', '), whole, '', '', kind, 'unknown']] : entries),
    ...unlisted.map((title) => ['', '', `undeclared ${title}`, '', '', kind, 'unknown']),
  ]
}

/** Empty: it is about now. */
export function describeMoment({ base }: Pick<AccessReport, 'base'>, at: string | undefined): string {
  if (at === undefined || base === null) return ''
  const { commit, applied } = base
  const by = commit === null ? '' : `, by ${commit.slice(0, 7)}`
  return `As declared at ${at}${by}${applied === undefined ? '' : `, ${describeApply(applied)}`}.`
}
