// Prints blocks for the terminal. It shortens long output with a note, unless everything is requested.
import { formatPlace } from '@svcsync/errors/index.ts'
import type { Block, Inline, Row, Sign, Text } from '../blocks/block.ts'
import { holdsAnything, words } from '../blocks/block.ts'
import type { DifferenceRow } from '../blocks/difference.ts'
import { formatNumber } from '../text/counts.ts'
import type { Flow, Line, TextForm, Tone } from '../text/line.ts'
import { indent, layOut, lineWidth, paintParts, piece, wrapItems } from '../text/line.ts'
import { withProgramName } from '../text/program-name.ts'
import { countBulk, formatRest, shownRows } from './budget.ts'
import { differenceLines, inOneLine, valueLimit } from './text-difference.ts'
import { breakItems, inlines, itemsOf } from './text-items.ts'

const signTones: Readonly<Record<Sign, Tone>> = {
  ...{ '+': 'add', '-': 'remove', '~': 'change', '?': 'warning', '!': 'warning' },
  ...{ '✗': 'error', '○': 'faint', '•': 'strong', '≠': 'error' },
}

export const printText = (...printed: Parameters<typeof printTextParts>): string =>
  [...printTextParts(...printed)].join('')

/** Lines that are seen at a glance: a longer output gives up blank lines and headings if that is enough. */
const [glance, most] = [14, 16]

export function printShort(blocks: readonly Block[], form: TextForm): string {
  const linesOf = (text: string): number => text.split('\n').length - 1
  const within = blocks.flatMap((block) => (block.block === 'section' ? block.blocks : []))
  const rows = within.reduce((sum, block) => sum + (block.block === 'table' ? block.rows.length : 0), 0)
  const airy = printText(blocks, form)
  if (form.verbose || rows > most || linesOf(airy) <= glance) return airy
  const tight = printText(blocks, form, true)
  return linesOf(tight) <= most ? tight : airy
}

/** Each block of the outermost has an empty line before it, but for what belongs to the one above. */
export function* printTextParts(blocks: Iterable<Block>, form: TextForm, tight = false): Generator<string> {
  const whole = form.verbose === true
  let before: Block | undefined
  for (const block of blocks) {
    let isFirst = true
    for (const part of paintParts(blockFlows(block, whole, 0, tight), form)) {
      yield !isFirst || before === undefined || isTight(before, block, tight) ? part : `\n${part}`
      isFirst = false
    }
    if (isFirst) continue
    before = block
  }
}

/** Sections stay apart, however short the output is to be. */
function isTight(before: Block, block: Block, tight: boolean): boolean {
  if (tight && (before.block === 'head' || block.block !== 'section')) return true
  const isSaid = ({ block: sort }: Block): boolean => sort === 'note' || sort === 'copy'
  return isSaid(block) && (isSaid(before) || before.block === 'footer')
}

function blockFlows(block: Block, whole: boolean, margin: number, tight = false): readonly Flow[] {
  switch (block.block) {
    case 'head':
      return headFlows(block)
    case 'note':
      return [noteFlow(block.text, margin, block.tone, block.sign, whole)]
    case 'section':
      if (!holdsAnything(block)) return []
      return sectionFlows(block, whole, margin, tight)
    case 'table':
      return [...tableFlows(block, whole, margin), ...restFlows([block], whole, margin)]
    case 'fold':
      return whole && holdsAnything(block) ? sectionFlows(block, whole, margin) : []
    case 'copy':
      return copyFlows(block, whole, margin)
    case 'frame':
      return block.lines.map((line) => [indent(margin + 2), piece(line, /^\s*>/.test(line) ? 'strong' : 'faint')])
    case 'footer':
      return footerFlows(block, whole)
  }
}

function headFlows({ what, target, about, severity, sentence, calm = '', isGood = false }: Block<'head'>): Flow[] {
  const [address] = about
  const isCalm = severity === 'none' && calm !== '' && !isGood
  if (isCalm) {
    const where = address === undefined ? [] : ['(', { name: address, tone: 'faint' as const }, ')']
    return [
      noteFlow(
        [
          ...(what === '' ? [] : [what]),
          { name: target, tone: 'strong' },
          ...where,
          ':',
          { words: `${sentence}.`, tone: 'good' },
          calm,
        ],
        0,
      ),
    ]
  }
  const title: Line = [...(what === '' ? [] : [piece(`${what} `)]), piece(target, 'strong')]
  const items = [title, ...about.map((text) => [piece(text, 'faint')])]
  const line = wrapItems([], items, piece(' · ', 'faint'))
  if (sentence === '') return [line]
  const isGrave = severity === 'danger'
  const tone = isGrave ? 'warning' : isGood || severity === 'none' ? 'good' : 'strong'
  const sign = isGrave ? '⚠' : isGood ? '✓' : undefined
  const more = calm === '' ? [] : [noteFlow(calm, 2)]
  return [line, noteFlow([{ words: sentence, tone }], 2, undefined, sign, true), ...more]
}

/** Rows that are left out are counted in one line, whatever tables they are of. */
function sectionFlows(
  { title, blocks, ...block }: Extract<Block, { block: 'section' | 'fold' }>,
  whole: boolean,
  margin: number,
  tight = false,
): Flow[] {
  const tone = block.block === 'section' ? block.tone : 'faint'
  const lead = block.block === 'section' ? inlines(block.lead ?? []) : []
  const tables = blocks.filter((each): each is Block<'table'> => each.block === 'table')
  const crowd = countBulk(tables)
  const own = blocks.flatMap((each) =>
    each.block === 'table'
      ? tableFlows(each, whole, margin + 2, crowd)
      : each.block === 'fold' && !whole && holdsAnything(each)
        ? [noteFlow(`${each.title}; --verbose lists them`, margin + 2, 'faint')]
        : blockFlows(each, whole, margin + 2),
  )
  const cut = restOf(tables, whole)
  if (own.length === 0)
    return [
      noteFlow(
        [
          { words: title, tone: tone ?? 'strong' },
          { words: `${cut}; --verbose lists them`, tone: 'faint' },
        ],
        margin,
      ),
    ]
  const heading: Flow =
    lead.length === 0
      ? [indent(margin), piece(title, tone)]
      : noteFlow([words(title, tone ?? 'strong'), ...lead], margin)
  const flows = [heading, ...own, ...restFlows(tables, whole, margin + 2)]
  const [only, ...others] = tables.flatMap(({ rows }) => rows)
  if (!tight || blocks.length > 1 || others.length > 0 || only?.id === undefined) return flows
  const besideForm: RowForm = { ...alone, whole, title: [piece(title, tone), indent(1)] }
  return [
    (width) => {
      const [one, below] = [rowLines(only, besideForm, width), layOut(flows, width)]
      return one.length < below.length ? one : below
    },
  ]
}

function restOf(tables: readonly Block<'table'>[], whole: boolean): string {
  const crowd = countBulk(tables)
  const cut = tables.map((each) => formatRest(each, shownRows(each, whole, crowd)))
  return cut.filter((text) => text !== '').join(', ')
}

function restFlows(tables: readonly Block<'table'>[], whole: boolean, margin: number): Flow[] {
  const cut = restOf(tables, whole)
  return cut === '' ? [] : [noteFlow(`… and ${cut}; --verbose lists them`, margin, 'faint')]
}

function copyFlows({ says, lines }: Extract<Block, { block: 'copy' }>, whole: boolean, margin: number): Flow[] {
  const commands = lines.map((line): Line => [piece(withProgramName(line), 'good')])
  const [first, ...others] = commands
  if (says === undefined || first === undefined) return commands.map((line) => [indent(margin), ...line])
  const lead = itemsOf(says, whole)
  // A command stays in one piece: beside what says what it is for, where there is room.
  return [
    (width) => {
      const line = [indent(margin), ...lead.flatMap((item, index) => (index === 0 ? item : [indent(1), ...item]))]
      const firstLine = [...line, indent(2), ...first]
      if (others.length === 0 && lineWidth(firstLine) <= width) return [firstLine]
      const below = commands.map((command) => [indent(margin + 2), ...command])
      return [...wrapItems([indent(margin)], lead)(width), ...below]
    },
  ]
}

function footerFlows({ parts, blocks }: Extract<Block, { block: 'footer' }>, whole: boolean): Flow[] {
  const hint = !whole && blocks.some(holdsAnything) ? ['--verbose lists them.'] : []
  const all = [...parts, ...hint]
  if (all.length === 0) return []
  const notes = whole ? all.map((part) => noteFlow(part, 0, 'faint')) : [noteFlow(all.flatMap(inlines), 0, 'faint')]
  return [...notes, ...blocks.flatMap((each) => blockFlows(each, whole, 0))]
}

function noteFlow(text: Text, margin: number, tone?: Tone, sign?: string, whole = false): Flow {
  const mark = sign === undefined ? [] : [piece(`${sign} `, signTones[sign as Sign] ?? tone ?? 'warning')]
  const head = [indent(margin), ...mark]
  const items = itemsOf(text, whole, tone)
  return (width) => wrapItems(head, breakItems(items, Math.max(width - lineWidth(head), 20)))(width)
}

/** The first cells form columns, the last takes the rest of the line, and the place is at the right edge. */
function tableFlows(table: Block<'table'>, whole: boolean, margin: number, crowd = table.rows.length): Flow[] {
  const shown = shownRows(table, whole, crowd)
  if (table.joints && shown.some(({ stands }) => stands === 0)) return sentenceFlows(shown, table.joints, whole, margin)
  const isLong = !whole && table.weight === 'loss' && table.title !== undefined && shown.length > 2 * mostDetailed
  const rows = isLong ? shown.slice(0, mostDetailed) : shown
  const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0) - 1
  // The last cell of a shorter row is no column either.
  const laid = rows.map(({ cells }) => cells.slice(0, -1).map((cell) => joined(itemsOf(cell, whole))))
  const widths = Array.from({ length: columns }, (_, at) =>
    laid.reduce(
      (most, cells) => Math.max(most, Math.min(cells[at] === undefined ? 0 : lineWidth(cells[at]), widest)),
      0,
    ),
  )
  const flows = rows.map((row, index): Flow => {
    const padded = (cell: Line, at: number, isAligned: boolean): Line => [
      ...cell,
      indent(isAligned ? Math.max((widths[at] as number) - lineWidth(cell), 0) + 2 : 2),
    ]
    const own = laid[index] as Line[]
    const aligned = own.flatMap((cell, at) => padded(cell, at, true))
    // If the last cell does not fit behind columns, only the first cell gets a column.
    const tight = own.flatMap((cell, at) => padded(cell, at, at === 0))
    const form: RowForm = { cells: { aligned, tight }, whole, margin }
    // Made when it is laid out: of very many rows none waits for the others.
    return (width) => rowLines(row, form, width)
  })
  return isLong ? [...flows, namesFlow(shown.slice(mostDetailed), margin)] : flows
}

/** As prose: further ways of the same account begin below it, and what goes on has a deeper margin. */
function sentenceFlows(rows: readonly Row[], joints: readonly string[], whole: boolean, margin: number): Flow[] {
  const sentences: [Row, ...Row[]][] = []
  for (const row of rows) {
    const before = sentences.at(-1)
    if (before === undefined || row.stands !== 0 || !sameTexts(before[0].below, row.below)) sentences.push([row])
    else before.push(row)
  }
  const names = sentences.map(([{ cells }]) => joined(itemsOf(cells[0] ?? '', whole)))
  const most = names.reduce((width, each) => Math.max(width, Math.min(lineWidth(each), widest)), 0)
  const sentenceOf = ({ cells: [, ...others] }: Row): Inline[] =>
    others.flatMap((cell, at) => [...(joints[at] ? [joints[at]] : []), ...inlines(cell)])
  // Made when it is laid out: of very many rows none waits for the others.
  return sentences.map(
    (own, index): Flow =>
      (width) => {
        const [row] = own
        const who = names[index] as Line
        const gap = indent(Math.max(most - lineWidth(who), 0) + 2)
        const head = row.stands === 0 ? [indent(margin + 4)] : [indent(margin), ...signOf(row), ...who, gap]
        const notes = (row.below ?? []).map((text) => itemsOf(text, whole, 'faint'))
        const sentence = own.flatMap((each, at) => [...(at === 0 ? [] : [';']), ...sentenceOf(each)])
        const items = notes.reduce(
          (before, note) => [...before.slice(0, -1), [...(before.at(-1) ?? []), piece(',')], ...note],
          itemsOf(sentence, whole, row.tone),
        )
        return wrapItems(head, items.flatMap(wordsOf), undefined, margin + 6)(Math.min(width, mostWidth))
      },
  )
}

function wordsOf(item: Line): readonly Line[] {
  const found: Line[] = []
  for (const { text, ...style } of item)
    for (const [index, word] of text.split(' ').entries()) {
      const before = index === 0 ? (found.pop() ?? []) : []
      found.push([...before, { text: word, ...style }])
    }
  return found
}

/** Above twice this number of losses, this many rows show details, and the others only names. */
const mostDetailed = 50

function namesFlow(rows: readonly Row[], margin: number): Flow {
  const parts = rows.flatMap(({ cells: [cell = ''] }) => inlines(cell))
  const names = parts.flatMap((part) => (typeof part === 'object' && 'name' in part ? part.name : []))
  const lead = `and ${formatNumber(rows.length)} more, whose details --verbose has:`
  return noteFlow([lead, { names, weight: 'loss' }], margin, undefined, undefined, true)
}

const sameTexts = (a: Row['below'], b: Row['below']): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Columns of a cell that others are aligned to. */
const widest = 44

const joined = (items: readonly Line[]): Line =>
  items.flatMap((item, index) => (index === 0 ? item : [indent(1), ...item]))

interface RowForm {
  /** The title of the section, if this row stands behind it. */
  readonly title?: Line
  readonly cells: Readonly<Record<'aligned' | 'tight', Line>>
  readonly whole: boolean
  readonly margin: number
}

const alone = { cells: { aligned: [], tight: [] }, margin: 2 }

function rowLines(row: Row, form: RowForm, width: number): readonly Line[] {
  const { tone, place, below = [] } = row
  const { whole, margin } = form
  const last = itemsOf(row.cells.at(-1) ?? '', whole, row.cells.length === 1 ? 'strong' : tone)
  const rows = row.differences?.(whole ? Number.POSITIVE_INFINITY : valueLimit) ?? []
  const start = rowStart(row, form, last, width)
  const lines = wrapItems(start, last)(width)
  const beside = lines.length === 1 ? inlineDetails(row, rows, whole) : undefined
  const at = place === undefined ? [] : [piece(formatPlace(place), 'faint')]
  const edge = Math.min(width, mostWidth)
  const line = beside && [...(lines[0] as Line), indent(2), ...beside]
  if (line !== undefined && lineWidth(line) + (at.length === 0 ? 0 : 2 + lineWidth(at)) <= edge)
    return withPlace([line], at, edge, margin)
  const under = [
    ...below.map((text) => noteFlow(text, margin + 4, 'faint', undefined, whole)),
    ...differenceLines(rows, margin + 4, whole),
  ]
  return [...withPlace(lines, at, edge, margin), ...layOut(under, width)]
}

const signOf = ({ sign, tone }: Row): Line => (sign === undefined ? [] : [piece(`${sign} `, tone ?? signTones[sign])])

function rowStart(row: Row, { cells, margin, title }: RowForm, last: readonly Line[], width: number): Line {
  const behind = (each: Line): Line => [...(title ?? [indent(margin)]), ...signOf(row), ...each]
  const [head, close] = [behind(cells.aligned), behind(cells.tight)]
  const room = width - last.reduce((most, item) => Math.max(most, lineWidth(item)), 0)
  return lineWidth(head) > room && lineWidth(close) <= room ? close : head
}

/** Places are at the right edge, but within easy view of their rows. */
const mostWidth = 110

/** All that is below a row, where it is so little that it may have room beside it. */
function inlineDetails({ below = [] }: Row, rows: readonly DifferenceRow[], whole: boolean): Line | undefined {
  const [note, ...notes] = below
  if (rows.length > 0) {
    const one = note === undefined ? inOneLine(rows, whole) : undefined
    return one && joined(one)
  }
  return note === undefined || notes.length > 0 ? undefined : joined(itemsOf(note, whole, 'faint'))
}

function withPlace(lines: readonly Line[], at: Line, edge: number, margin: number): readonly Line[] {
  const [only, ...others] = lines as [Line, ...Line[]]
  if (at.length === 0) return lines
  const gap = edge - lineWidth(only) - lineWidth(at)
  return others.length === 0 && gap >= 2 ? [[...only, indent(gap), ...at]] : [...lines, [indent(margin + 4), ...at]]
}
