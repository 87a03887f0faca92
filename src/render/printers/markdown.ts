// Prints blocks as Markdown for a comment: grave rows stay open, others are folded by kind after a limit.
import { cutToWidth } from '@svcsync/core/model/text-width.ts'
import { formatPlace, type Place } from '@svcsync/errors/index.ts'
import type { Block, Inline, Row, Sign, Text } from '../blocks/block.ts'
import { holdsAnything, joinInline } from '../blocks/block.ts'
import type { DifferenceRow, DisplayedValue } from '../blocks/difference.ts'
import { foldNames, formatCount, formatNumber } from '../text/counts.ts'
import { code, fence, inHtml, joinBlocks, prose, shortenMarkdown } from '../text/markdown.ts'
import { withCommands, withProgramName } from '../text/program-name.ts'
import { countOf } from './budget.ts'

export interface MarkdownForm {
  /** In UTF-16 code units; default 65,000, since forges refuse comments of more than 65,536 characters. */
  readonly maxLength?: number | undefined
  readonly link?: ((place: Place) => string | undefined) | undefined
  readonly level?: number
  /** Nothing is left out, however long it gets. */
  readonly whole?: boolean
}

export const commentLength = 65_000

/** A reader goes through so many rows before the rest is folded. */
const openRows = 40

interface DetailLevel {
  readonly rows: number
  readonly lines: number
  /** Rows whose differences are printed; the others are names. */
  readonly detailed: 'all' | 'loss' | 'none'
}

const fullDetail: DetailLevel = { rows: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY, detailed: 'all' }
const detailLevels: readonly DetailLevel[] = [
  { rows: 2000, lines: 100, detailed: 'all' },
  { rows: 2000, lines: 20, detailed: 'all' },
  { rows: 2000, lines: 20, detailed: 'loss' },
  { rows: 1000, lines: 10, detailed: 'none' },
  { rows: 200, lines: 0, detailed: 'none' },
  { rows: 20, lines: 0, detailed: 'none' },
  { rows: 5, lines: 0, detailed: 'none' },
]

/** `top`: lines before all else, such as the marker by which a pipeline finds its comment. */
export function printMarkdown(blocks: readonly Block[], form: MarkdownForm = {}, top: readonly string[] = []): string {
  const { whole = false, maxLength = whole ? Number.POSITIVE_INFINITY : commentLength } = form
  const render = (stage: DetailLevel): string => {
    const printer: Printer = {
      ...form,
      stage,
      rowsLeft: whole ? Number.POSITIVE_INFINITY : openRows,
      level: form.level ?? 3,
    }
    const parts = blocks.flatMap((block) => printBlock(block, printer))
    const [head = [], ...rest] = parts
    const foot = blocks.flatMap((block) => (block.block === 'head' ? [footOf(block)] : []))
    return joinBlocks([...top.map((line) => [line]), head, ...shortened(stage), ...rest, ...foot])
  }
  return shortenMarkdown(whole ? [fullDetail] : detailLevels, render, maxLength)
}

/** The installation comes last: a heading has no room for it. */
function footOf({ tool, about }: Block<'head'>): string[] {
  const parts = [...(tool === undefined ? [] : [tool]), ...about]
  return parts.length === 0 ? [] : [`<sub>${prose(parts.join(' · '))}</sub>`]
}

/** Each list counts its omissions; those of differences appear once. */
function shortened(stage: DetailLevel): string[][] {
  if (detailLevels.indexOf(stage) < 1) return []
  const { detailed } = stage
  const what =
    detailed === 'none' ? 'differences are left out' : 'long differences are cut, and those of additions left out'
  return [[`> **Shortened:** ${what}. The output of the command has all of it.`]]
}

interface Printer extends Omit<MarkdownForm, 'maxLength'> {
  readonly stage: DetailLevel
  readonly level: number
  rowsLeft: number
}

function printBlock(block: Block, printer: Printer): string[][] {
  switch (block.block) {
    case 'head':
      return [[headline(block, printer.level)], ...(block.calm ? [[prose(withCommands(block.calm))]] : [])]
    case 'note':
      return [[`${block.sign === '!' || block.sign === '✗' ? '⚠️ ' : ''}${inline(block.text, printer)}`]]
    case 'section':
      return holdsAnything(block) ? sectionOf(block, printer) : []
    case 'table':
      return tableOf(block, printer)
    case 'fold':
      return holdsAnything(block)
        ? details(
            inHtml(block.title),
            block.blocks.flatMap((each) => printBlock(each, unfolded(printer))),
          )
        : []
    case 'copy':
      return copyOf(block, printer)
    case 'frame':
      return [fence('', block.lines)]
    case 'footer':
      return footerOf(block, printer)
  }
}

function headline(
  { what, target, targets = [target], severity, sentence, isGood }: Block<'head'>,
  level: number,
): string {
  const sign = severity === 'danger' ? '⚠️ ' : isGood ? '✅ ' : ''
  const statement = sentence === '' ? '' : `: ${prose(sentence)}`
  return `${'#'.repeat(level)} ${sign}${what === '' ? '' : `${prose(what)} `}${namesOf(targets)}${statement}`
}

const mostTargets = 8

export function namesOf(targets: readonly string[], show = code): string {
  const names = targets.slice(0, mostTargets).map(show).join(', ')
  const rest = targets.length - mostTargets
  return rest > 0 ? `${formatCount(targets.length, 'target')}: ${names} and ${formatNumber(rest)} more` : names
}

function sectionOf({ title, lead, tone, blocks }: Extract<Block, { block: 'section' }>, printer: Printer): string[][] {
  const sign = tone === 'error' ? '⛔ ' : tone === 'warning' || tone === 'remove' ? '⚠️ ' : ''
  const body: string[][] = []
  for (const lines of blocks.flatMap((block) => printBlock(block, printer))) {
    const before = body.at(-1)
    // Lists of several kinds are one.
    if (lines[0]?.startsWith('- ') && before?.at(-1)?.startsWith('- ')) before.push(...lines)
    else body.push([...lines])
  }
  return body.length === 0
    ? []
    : [
        [
          `${'#'.repeat(printer.level + 1)} ` +
            `${sign}${prose(title)}${lead === undefined ? '' : ` ${inline(lead, printer)}`}`,
        ],
        ...body,
      ]
}

/** Behind a summary that opens it, nothing is counted as read. */
const unfolded = (printer: Printer): Printer => ({ ...printer, rowsLeft: Number.POSITIVE_INFINITY })

function details(summary: string, body: readonly (readonly string[])[]): string[][] {
  if (body.length === 0) return []
  const inside = body.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
  return [['<details>', `<summary>${summary}</summary>`, '', ...inside, '', '</details>']]
}

const minFoldedRows = 5

function tableOf(table: Block<'table'>, printer: Printer): string[][] {
  const { weight, title, noun } = table
  const { stage } = printer
  const isBulk = weight !== 'loss' && title !== undefined
  const room = Math.max(printer.rowsLeft, weight === 'loss' || table.headings ? minFoldedRows : 0)
  const rows = table.rows.length > room ? graveFirst(table.rows) : table.rows
  const open = isBulk && rows.length > room ? [] : rows.slice(0, room)
  printer.rowsLeft = Math.max(0, printer.rowsLeft - open.length)
  const folded = rows.slice(open.length)
  const shown = folded.slice(0, Math.max(0, stage.rows - open.length))
  const rest = countOf(folded) - countOf(shown)
  const notes = rest > 0 ? [`and ${formatNumber(rest)} more`] : []
  const summary =
    open.length === 0
      ? `${title ?? noun[1]}: ${formatNumber(countOf(folded))}`
      : `… and ${formatNumber(countOf(folded))} more`
  const isInside = folded.length > 0
  return [
    ...rowsOf(open, table, printer, isInside ? [] : notes),
    ...(isInside ? details(inHtml(summary), rowsOf(shown, table, printer, notes)) : []),
  ]
}

const graveFirst = (rows: readonly Row[]): readonly Row[] => [
  ...rows.filter(({ isGrave }) => isGrave),
  ...rows.filter(({ isGrave }) => !isGrave),
]

function rowsOf(rows: readonly Row[], table: Block<'table'>, printer: Printer, notes: readonly string[]): string[][] {
  if (rows.length === 0) return notes.length === 0 ? [] : [notes.map((each) => `… ${prose(each)}`)]
  const { headings, weight } = table
  if (headings !== undefined)
    return [[...sentenceItems(rows, table, printer), ...notes.map((each) => `- … ${prose(each)}`)]]
  const { detailed } = printer.stage
  const isDetailed = ({ isGrave }: Row): boolean =>
    detailed === 'all' || (detailed === 'loss' && (weight === 'loss' || isGrave === true))
  if (rows.every((row) => !isDetailed(row) && row.differences !== undefined) && rows.length > minFoldedRows) {
    const named = rows.map(({ cells }) => cells.map((cell) => inline(cell, printer)).join(' '))
    return [[[...named, ...notes.map((each) => prose(each))].join(', ')]]
  }
  return [
    [...rows.flatMap((row) => listItem(row, isDetailed(row), printer)), ...notes.map((each) => `- … ${prose(each)}`)],
  ]
}

const signs: Readonly<Record<Sign, string>> = {
  ...{ '+': '**+**', '-': '**−**', '~': '~', '?': '?', '!': '⚠️' },
  ...{ '✗': '⛔', '○': '○', '•': '', '≠': '≠' },
}

/** Columns do not fit on a telephone: each row is a sentence, and several of the same people are one. */
function sentenceItems(rows: readonly Row[], { joints = [] }: Block<'table'>, printer: Printer): string[] {
  const items: Row[][] = []
  for (const row of rows) {
    const before = items.at(-1)
    if (row.stands === 0 && before !== undefined) before.push(row)
    else items.push([row])
  }
  return items.map((own) => {
    const [{ sign, cells }] = own as [Row]
    const mark = sign === undefined || signs[sign] === '' ? '' : `${signs[sign]} `
    const parts = own.map((row, index) => {
      const predicate = sentenceOf(row.cells.slice(1), joints, printer)
      const notes = notesBelow(row, printer)
      const next = own[index + 1]
      const goesOn = next !== undefined && notesBelow(next, printer).join() === notes.join()
      const [first = '', ...others] = notes
      const start = [predicate, first].filter((text) => text !== '').join(', ')
      return goesOn ? `${predicate};` : [start, ...others].join('<br>')
    })
    const sentence = parts.reduce(
      (all, part) => (all === '' || all.endsWith(';') ? `${all} ${part}` : `${all}<br>${part}`),
      '',
    )
    return `- ${mark}${inline(cells[0] ?? '', printer)}${sentence.trim() === '' ? '' : `:${sentence}`}`
  })
}

function sentenceOf(cells: readonly Text[], joints: readonly string[], printer: Printer): string {
  const parts = cells.map((cell, index) => [joints[index] ?? '·', inline(cell, printer)] as const)
  const shown = parts.filter(([, text]) => text !== '')
  return shown.map(([joint, text], index) => (index === 0 || joint === '' ? text : `${joint} ${text}`)).join(' ')
}

const notesBelow = ({ below = [], place }: Row, printer: Printer): string[] => [
  ...below.map((text) => inline(text, printer)),
  ...(place === undefined ? [] : [linked(place, printer)]),
]

function listItem({ cells, place, below = [], differences }: Row, isDetailed: boolean, printer: Printer): string[] {
  const content = cells
    .map((cell) => inline(cell, printer))
    .filter((text) => text !== '')
    .join(' ')
  const at = place === undefined ? '' : ` (${linked(place, printer)})`
  const rows = isDetailed ? (differences?.(valueLimit) ?? []) : []
  const texts = rows.filter(({ form }) => form === 'lines')
  const isField = (row: DifferenceRow): boolean => row.form === 'value' && row.before === undefined
  const fields = rows.filter(isField).map(differenceText).join(' · ')
  const others = rows.filter((row) => row.form !== 'lines' && !isField(row)).map(differenceText)
  const lines = [...(fields === '' ? [] : [fields]), ...others]
  const notes = below.map((text) => inline(text, printer))
  const isShort = notes.length === 0 && lines.length === 1 && texts.length === 0
  const head = isShort ? `- ${content}: ${lines[0]}${at}` : `- ${[`${content}${at}`, ...notes, ...lines].join('<br>')}`
  return [head, ...texts.flatMap((row) => (row.form === 'lines' ? diffOf(row, printer.stage.lines) : []))]
}

const valueLimit = 400

function differenceText(row: DifferenceRow): string {
  const at = row.at === undefined ? '' : ` (${code(row.at)})`
  if (row.form === 'value') {
    const { before, after } = row
    return `${prose(row.label)} ${before === undefined ? '' : `${shown(before)} → `}${shown(after)}${at}`
  }
  if (row.form === 'lines') return ''
  const named = (sign: '+' | '-', texts: readonly string[]): string[] => {
    const { shown: first, note } = foldNames(texts, sign, { way: 'in the output of the command' })
    if (first.length === 0) return []
    return [`${sign === '+' ? '+' : '−'} ${first.map(code).join(', ')}${note === '' ? '' : ` ${prose(note)}`}`]
  }
  const { removed, added, notIn, groups } = row
  const parts = [
    ...named('-', removed),
    ...(notIn.length > 0 ? [`(${prose(notIn.join(' '))})`] : []),
    ...named('+', added),
  ]
  const reasons = groups.map(({ sign, reason, entries }) => {
    const [who = ''] = named(
      sign,
      entries.map(({ text, at: line }) => `${text} ${line}`),
    )
    return `${who} (${prose(reason.join(' '))})`
  })
  return `${prose(row.label)} ${[...parts, ...reasons].join(' ')}${at}`
}

const shown = ({ text, remark }: DisplayedValue): string => (remark ? prose(text) : code(text))

/** Forges colour its lines by their first character. */
function diffOf({ label, at = '', diff }: DifferenceRow<'lines'>, limit: number): string[] {
  if (limit === 0) return [`  ${prose(label)}: ${formatCount(diff.length, 'line')}`]
  const rest = diff.length - limit
  const lines = diff
    .slice(0, limit)
    .map(({ mark, text }) => `${mark === '@' ? '#' : mark} ${cutToWidth(text, valueLimit)}`)
  const all = [
    `@@ ${label} @@${at === '' ? '' : ` ${at}`}`,
    ...lines,
    ...(rest > 0 ? [`# … ${formatCount(rest, 'more line')}`] : []),
  ]
  return ['', ...fence('diff', all).map((line) => `  ${line}`), '']
}

function copyOf({ says, lines }: Extract<Block, { block: 'copy' }>, printer: Printer): string[][] {
  const commands = lines.slice(0, Math.max(printer.stage.rows, 1)).map(withProgramName)
  const lead = says === undefined ? '' : inline(says, printer)
  if (commands.length === 0) return lead === '' ? [] : [[lead]]
  const [only, ...others] = commands as [string, ...string[]]
  if (others.length === 0) return [[`${lead}${lead === '' ? '' : ' '}${code(only)}`]]
  return [...(lead === '' ? [] : [[lead]]), fence('sh', commands)]
}

function footerOf({ parts, blocks }: Extract<Block, { block: 'footer' }>, printer: Printer): string[][] {
  const remarks = parts.map((part) => inline(part, printer))
  return [
    ...(remarks.length === 0 ? [] : [[`<sub>${remarks.join(' ')}</sub>`]]),
    ...blocks.flatMap((block) => printBlock(block, printer)),
  ]
}

type InlineForm = Pick<MarkdownForm, 'link' | 'whole'>

export function inline(text: Text, printer: InlineForm = {}): string {
  return joinInline(text, (part, isStart) => inlinePart(part, printer, isStart))
}

function inlinePart(part: Inline, printer: InlineForm, isStart: boolean): string {
  if (typeof part === 'string') return prose(withCommands(part), isStart)
  if ('words' in part) return part.tone === 'strong' ? `**${prose(part.words)}**` : prose(withCommands(part.words))
  if ('name' in part) return part.tone === 'strong' ? `**${code(part.name)}**` : code(part.name)
  if ('at' in part) return linked(part.at, printer)
  const { shown: first, note } = foldNames(part.names, part.weight === 'loss' ? '-' : '+', {
    ...{ whole: printer.whole, way: 'in the output of the command' },
  })
  return `${first.map(code).join(', ')}${note === '' ? '' : ` ${prose(note)}`}`
}

function linked(place: Place, { link }: InlineForm): string {
  const address = link?.(place)
  return address === undefined ? code(formatPlace(place)) : `[${code(`${place.file}:${place.line}`)}](<${address}>)`
}
