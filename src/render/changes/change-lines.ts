// One change as terminal lines: of a plan, or as drift finds it.

import { cutToWidth, textWidth } from '../../core/model/text-width.ts'
import { formatPlace } from '../../errors/index.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import { indent, type Line, lineWidth, piece, type Style, wrapItems, wrapText } from '../text/line.ts'
import { type Row, rowsOf } from './difference-rows.ts'
import { causesAs, elementPhrases, healingOf, objectSentence } from './drift-words.ts'
import type { ReviewedChange } from './plan-groups.ts'
import { elementLines, labelled, placedLines, rowLines, shown, styleOf, unifiedLines } from './row-lines.ts'

interface ChangeLineOptions {
  readonly width: number
  readonly verbose: boolean
  /** A create takes one line, however much it sends. */
  readonly brief: boolean
  /** Says what was found on the platform, not what is to be done. */
  readonly drift: boolean
}

/** Where the rows of a change begin. */
const margin = 6
type RowOptions = Parameters<typeof rowLines>[1]
const valueLimit = 160

const marks: Readonly<Record<ReviewedChange['action'], { readonly mark: string; readonly style: Style }>> = {
  create: { mark: '+', style: 'add' },
  update: { mark: '~', style: 'change' },
  delete: { mark: '-', style: 'remove' },
}

/** Of what is there and should not be, and of what is gone. */
const foundMarks = { create: marks.delete, update: marks.update, delete: marks.create }

export function changeLines(change: ReviewedChange, options: ChangeLineOptions): Line[] {
  const limit = options.verbose ? Number.POSITIVE_INFINITY : valueLimit
  const creating = change.action === 'create'
  const { place } = change
  const rows = rowsOf(change.differences, { creating, limit, place, fromDeclared: options.drift })
  if (options.drift) return foundLines(change, rows, options)
  if (creating) {
    return options.brief
      ? briefLines(change, rows, options.width)
      : [...title(change, options), ...creation(rows, options)]
  }
  return [...title(change, options), ...rowLines(rows, { ...options, margin })]
}

/** Of an object that is gone, what it should be is told when everything is asked for. */
function foundLines(change: ReviewedChange, rows: readonly Row[], options: ChangeLineOptions): Line[] {
  const { action } = change
  const rowOptions = { ...options, margin }
  if (action === 'update') return [...title(change, options), ...driftRowLines(rows, rowOptions)]
  const sentence: Line = [indent(margin), piece(objectSentence(change), 'faint')]
  const more = action === 'delete' ? heldLines(rows, rowOptions) : options.verbose ? creation(rows, options) : []
  return options.brief && action === 'create' ? title(change, options) : [...title(change, options), sentence, ...more]
}

function title(change: ReviewedChange, { width, drift }: ChangeLineOptions): Line[] {
  const { action, name, place, prunedBy } = change
  const { mark, style } = drift ? foundMarks[action] : marks[action]
  const head: Line = [indent(2), piece(mark, style), indent(1), piece(name, style === 'remove' ? 'remove' : 'strong')]
  const undeclared = prunedBy === undefined ? 'declared nowhere' : `declared nowhere, prune ${prunedBy}`
  const note = place === undefined ? (action === 'delete' ? undeclared : '') : formatPlace(place)
  return withNote(head, note, width)
}

/** The place at which it is declared stands at the right edge where there is room, and else below. */
export function withNote(head: Line, note: string, width: number): Line[] {
  if (note === '') return [head]
  const tail = piece(note, 'faint')
  const gap = Math.min(width, 100) - lineWidth(head) - textWidth(tail.text)
  return gap >= 2 ? [[...head, indent(gap), tail]] : [head, [indent(margin), tail]]
}

function creation(rows: readonly Row[], { width, verbose }: ChangeLineOptions): Line[] {
  const fields = rows.filter((row): row is Row<'value'> => row.form === 'value')
  const lists = rows.filter((row): row is Row<'elements'> => row.form === 'elements' && row.added.length > 0)
  const texts = rows.filter((row) => row.form === 'lines')
  const items = fields.map(({ path, after, at }) => [
    piece(`${path}: `, 'faint'),
    after.remark ? piece(after.text, 'faint') : piece(after.text),
    ...(at === undefined ? [] : [piece(` ${at}`, 'faint')]),
  ])
  const lines = items.length > 0 ? wrapItems([indent(margin)], items, width, piece(' · ', 'faint')) : []
  for (const list of lists) {
    const { path, level, added, at } = list
    const note = at === undefined ? '' : `, ${at}`
    const head: Line = [indent(margin), piece(`${level ?? path} (${added.length}${note}): `, 'faint')]
    lines.push(...elementLines(list, head, { width, verbose }))
  }
  lines.push(...rowLines(texts, { width, verbose: true, margin }))
  return lines
}

function briefLines({ name, place }: ReviewedChange, rows: readonly Row[], width: number): Line[] {
  const head: Line = [indent(2), piece('+', 'add'), indent(1), piece(name, 'strong')]
  const note = place === undefined ? '' : formatPlace(place)
  const parts = rows.flatMap((row) => {
    if (row.form === 'value') return [row.after.text]
    return row.form === 'elements' ? [countOf(row)] : []
  })
  const room = Math.min(width, 100) - lineWidth(head) - 2 - (note === '' ? 0 : textWidth(note) + 2)
  if (parts.length === 0 || room < 10) return withNote(head, note, width)
  const values = piece(cutToWidth(piece(parts.join(' · ')).text, room), 'faint')
  return withNote([...head, indent(2), values], note, width)
}

/** `2 members`, `3 Modify`. */
function countOf({ path, level, added }: Row<'elements'>): string {
  return level === undefined ? formatCount(added.length, path.replace(/s$/, ''), path) : `${added.length} ${level}`
}

const styles = { '+': 'add', '-': 'remove' } as const

function driftRowLines(rows: readonly Row[], options: RowOptions): Line[] {
  return labelled(rows, options, (row, head) => {
    if (row.form === 'value') return valueLines(row, head, options.width)
    if (row.form === 'elements') return foundElementLines(row, head, options)
    const legend = wrapText(
      head,
      `${causesAs(row.isKnown === true).value}: - is declared, + is there`,
      options.width,
      'faint',
    )
    return [...legend, ...unifiedLines(row, options)]
  })
}

/** Who is in an object that nobody declared. */
function heldLines(rows: readonly Row[], options: RowOptions): Line[] {
  return labelled(rows, options, (row, head) =>
    row.form === 'elements' ? wrapItems(head, listed(row.removed, '-', options), options.width) : [],
  )
}

function valueLines({ before, after, isKnown = false }: Row<'value'>, head: Line, width: number): Line[] {
  const { value } = causesAs(isKnown)
  const there = before ?? ({ text: '(hidden)', remark: true } as const)
  const line = [
    ...[...head, piece(`${value}: `, 'faint'), shown(there, 'add')],
    ...[piece(' (declared: ', 'faint'), shown(after, 'remove'), piece(')', 'faint')],
  ]
  if (lineWidth(line) <= width) return [line]
  const below: Line = [indent(lineWidth(head))]
  return [
    ...wrapText([...head, piece(`${value}: `, 'faint')], there.text, width, styleOf(there, 'add')),
    ...wrapText([...below, piece('declared: ', 'faint')], after.text, width, styleOf(after, 'remove')),
  ]
}

function foundElementLines(row: Row<'elements'>, head: Line, options: RowOptions): Line[] {
  const { width, verbose } = options
  const below: Line = [indent(lineWidth(head))]
  return elementPhrases(row).flatMap(({ what, cause, healing, sign, names, placed }, index) => {
    const start = index === 0 ? head : below
    const isList = names.length > 0
    const words: Line[] = what.map((word, at) => [piece(at === what.length - 1 && isList ? `${word}:` : word, 'faint')])
    const why: Line[] = cause === undefined ? [] : [[piece(`${cause};`, 'faint')]]
    const heals: Line[] = [...why, [piece(isList ? healing : `${healing}:`, 'faint')]]
    if (isList)
      return wrapItems(start, [...words, ...listed(names, healingOf[sign], options, styles[sign]), ...heals], width)
    const reason = [...words.slice(0, -1), [piece(`${what.at(-1)};`, 'faint')], ...heals]
    const { shown, note } = foldNames(placed, healingOf[sign], { whole: verbose })
    const entries = shown.map(({ text, at }) => ({ name: piece(text, styles[sign]), at }))
    return [
      ...wrapItems(start, reason, width),
      ...placedLines(lineWidth(head), entries, width),
      ...(note === '' ? [] : [[...below, piece(note, 'faint')]]),
    ]
  })
}

/** Names with commas between them; `ends` with a semicolon where something follows. */
function listed(
  names: readonly string[],
  sign: '+' | '-',
  { verbose }: Pick<RowOptions, 'verbose'>,
  style?: Style,
): Line[] {
  const end = style === undefined ? '' : ';'
  const { shown, note } = foldNames(names, sign, { whole: verbose })
  const items = shown.map((name, index): Line => {
    return [piece(name, style), piece(index < shown.length - 1 || note !== '' ? ',' : end, 'faint')]
  })
  return note === '' ? items : [...items, [piece(`${note}${end}`, 'faint')]]
}
