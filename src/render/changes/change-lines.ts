// One change as terminal lines: of a plan, or as drift finds it.

import { cutToWidth, textWidth } from '../../core/model/text-width.ts'
import { formatPlace } from '../../errors/index.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import {
  type Flow,
  ifItFits,
  indent,
  type Line,
  layOut,
  lineWidth,
  piece,
  type Style,
  wrapItems,
  wrapText,
} from '../text/line.ts'
import { type Row, rowsOf } from './difference-rows.ts'
import { causesAs, elementPhrases, healingOf, objectSentence } from './drift-words.ts'
import type { ReviewedChange } from './plan-groups.ts'
import { elementLines, labelled, placedLines, rowLines, shown, styleOf, unifiedLines } from './row-lines.ts'

interface ChangeLineOptions {
  readonly verbose: boolean
  /** A create takes one line, however much it sends. */
  readonly brief: boolean
  /** Says what was found on the platform, not what is to be done. */
  readonly drift: boolean
}

const margin = 6
const valueLimit = 160

const marks: Readonly<Record<ReviewedChange['action'], { readonly mark: string; readonly style: Style }>> = {
  create: { mark: '+', style: 'add' },
  update: { mark: '~', style: 'change' },
  delete: { mark: '-', style: 'remove' },
}

/** Of what is there and should not be, and of what is gone. */
const foundMarks = { create: marks.delete, update: marks.update, delete: marks.create }

export function changeLines(change: ReviewedChange, options: ChangeLineOptions): Flow[] {
  const limit = options.verbose ? Number.POSITIVE_INFINITY : valueLimit
  const creating = change.action === 'create'
  const { place } = change
  const rows = rowsOf(change.differences, { creating, limit, place, fromDeclared: options.drift })
  if (options.drift) return foundLines(change, rows, options)
  if (creating && options.brief) return [briefFlow(change, rows)]
  const { verbose } = options
  return [title(change), ...(creating ? creation(rows, verbose) : rowLines(rows, { verbose, margin }))]
}

/** Of an object that is gone, what it should be is told when everything is asked for. */
function foundLines(change: ReviewedChange, rows: readonly Row[], { brief, verbose }: ChangeLineOptions): Flow[] {
  const { action } = change
  const head = title(change, true)
  if (action === 'update') return [head, ...driftRowLines(rows, verbose)]
  if (brief && action === 'create') return [head]
  const sentence: Line = [indent(margin), piece(objectSentence(change), 'faint')]
  return [head, sentence, ...(action === 'delete' ? heldLines(rows, verbose) : verbose ? creation(rows, verbose) : [])]
}

function title({ action, name, place, prunedBy }: ReviewedChange, drift = false): Flow {
  const { mark, style } = drift ? foundMarks[action] : marks[action]
  const head: Line = [indent(2), piece(mark, style), indent(1), piece(name, style === 'remove' ? 'remove' : 'strong')]
  const undeclared = prunedBy === undefined ? 'declared nowhere' : `declared nowhere, prune ${prunedBy}`
  const note = place === undefined ? (action === 'delete' ? undeclared : '') : formatPlace(place)
  return withNote(head, note)
}

/** The place at which it is declared stands at the right edge where there is room, and else below. */
export function withNote(head: Line, note: string): Flow {
  if (note === '') return head
  const tail = piece(note, 'faint')
  return (width) => {
    const gap = Math.min(width, 100) - lineWidth(head) - textWidth(tail.text)
    return gap >= 2 ? [[...head, indent(gap), tail]] : [head, [indent(margin), tail]]
  }
}

function creation(rows: readonly Row[], verbose: boolean): Flow[] {
  const fields = rows.filter((row): row is Row<'value'> => row.form === 'value')
  const lists = rows.filter((row): row is Row<'elements'> => row.form === 'elements' && row.added.length > 0)
  const texts = rows.filter((row) => row.form === 'lines')
  const items = fields.map(({ path, after, at }) => [
    piece(`${path}: `, 'faint'),
    after.remark ? piece(after.text, 'faint') : piece(after.text),
    ...(at === undefined ? [] : [piece(` ${at}`, 'faint')]),
  ])
  return [
    ...(items.length > 0 ? [wrapItems([indent(margin)], items, piece(' · ', 'faint'))] : []),
    ...lists.flatMap((list) => {
      const { path, level, added, at } = list
      const note = at === undefined ? '' : `, ${at}`
      return elementLines(
        list,
        [indent(margin), piece(`${level ?? path} (${added.length}${note}): `, 'faint')],
        verbose,
      )
    }),
    ...rowLines(texts, { verbose: true, margin }),
  ]
}

function briefFlow({ name, place }: ReviewedChange, rows: readonly Row[]): Flow {
  const head: Line = [indent(2), piece('+', 'add'), indent(1), piece(name, 'strong')]
  const note = place === undefined ? '' : formatPlace(place)
  const parts = rows.flatMap((row) => {
    if (row.form === 'value') return [row.after.text]
    return row.form === 'elements' ? [countOf(row)] : []
  })
  return (width) => {
    const room = Math.min(width, 100) - lineWidth(head) - 2 - (note === '' ? 0 : textWidth(note) + 2)
    const values = piece(cutToWidth(piece(parts.join(' · ')).text, room), 'faint')
    const isTold = parts.length > 0 && room >= 10
    return layOut([withNote(isTold ? [...head, indent(2), values] : head, note)], width)
  }
}

/** `2 members`, `3 Modify`. */
function countOf({ path, level, added }: Row<'elements'>): string {
  return level === undefined ? formatCount(added.length, path.replace(/s$/, ''), path) : `${added.length} ${level}`
}

const styles = { '+': 'add', '-': 'remove' } as const

function driftRowLines(rows: readonly Row[], verbose: boolean): Flow[] {
  return labelled(rows, margin, (row, head) => {
    if (row.form === 'value') return [valueFlow(row, head)]
    if (row.form === 'elements') return foundElementLines(row, head, verbose)
    const legend = `${causesAs(row.isKnown === true).value}: - is declared, + is there`
    return [wrapText(head, legend, 'faint'), ...unifiedLines(row, { verbose, margin })]
  })
}

/** Who is in an object that nobody declared. */
function heldLines(rows: readonly Row[], verbose: boolean): Flow[] {
  return labelled(rows, margin, (row, head) =>
    row.form === 'elements' ? [wrapItems(head, listed(row.removed, '-', verbose))] : [],
  )
}

function valueFlow({ before, after, isKnown = false }: Row<'value'>, head: Line): Flow {
  const there = before ?? ({ text: '(hidden)', remark: true } as const)
  const begin = [...head, piece(`${causesAs(isKnown).value}: `, 'faint')]
  return ifItFits(
    [...begin, shown(there, 'add'), piece(' (declared: ', 'faint'), shown(after, 'remove'), piece(')', 'faint')],
    wrapText(begin, there.text, styleOf(there, 'add')),
    wrapText([indent(lineWidth(head)), piece('declared: ', 'faint')], after.text, styleOf(after, 'remove')),
  )
}

function foundElementLines(row: Row<'elements'>, head: Line, verbose: boolean): Flow[] {
  const below: Line = [indent(lineWidth(head))]
  return elementPhrases(row).flatMap(({ what, cause, healing, sign, names, placed }, index) => {
    const start = index === 0 ? head : below
    const isList = names.length > 0
    const words: Line[] = what.map((word, at) => [piece(at === what.length - 1 && isList ? `${word}:` : word, 'faint')])
    const why: Line[] = cause === undefined ? [] : [[piece(`${cause};`, 'faint')]]
    const heals: Line[] = [...why, [piece(isList ? healing : `${healing}:`, 'faint')]]
    if (isList) return wrapItems(start, [...words, ...listed(names, healingOf[sign], verbose, styles[sign]), ...heals])
    const reason = [...words.slice(0, -1), [piece(`${what.at(-1)};`, 'faint')], ...heals]
    const { shown, note } = foldNames(placed, healingOf[sign], { whole: verbose })
    const entries = shown.map(({ text, at }) => ({ name: piece(text, styles[sign]), at }))
    return [
      wrapItems(start, reason),
      placedLines(lineWidth(head), entries),
      ...(note === '' ? [] : [[...below, piece(note, 'faint')]]),
    ]
  })
}

/** Names with commas between them; `ends` with a semicolon where something follows. */
function listed(names: readonly string[], sign: '+' | '-', verbose: boolean, style?: Style): Line[] {
  const end = style === undefined ? '' : ';'
  const { shown, note } = foldNames(names, sign, { whole: verbose })
  const items = shown.map((name, index): Line => {
    return [piece(name, style), piece(index < shown.length - 1 || note !== '' ? ',' : end, 'faint')]
  })
  return note === '' ? items : [...items, [piece(`${note}${end}`, 'faint')]]
}
