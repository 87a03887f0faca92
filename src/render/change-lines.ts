// One change of a plan as terminal lines.
import { formatPlace } from '../errors/index.ts'
import { type ElementsRow, type Row, rowsOf, type ValueRow } from './difference-rows.ts'
import { driftRowLines, heldLines } from './drift-lines.ts'
import { objectSentences } from './drift-words.ts'
import { formatCount } from './format-count.ts'
import { indent, type Line, lineWidth, piece, type Style } from './line.ts'
import type { ChangeAction, ReviewedChange } from './plan-groups.ts'
import { elementLines, type RowLineOptions, rowLines } from './row-lines.ts'
import { cutToWidth, textWidth } from './text-width.ts'
import { wrapItems } from './wrap.ts'

export interface ChangeLineOptions {
  readonly width: number
  readonly verbose: boolean
  /** A create takes one line, however much it sends. */
  readonly brief: boolean
  /** Says what was found on the platform, not what is to be done. */
  readonly drift: boolean
}

const margin = 6
const valueLimit = 160
const diffLimit = 40

export const marks: Readonly<Record<ChangeAction, { readonly mark: string; readonly style: Style }>> = {
  create: { mark: '+', style: 'add' },
  update: { mark: '~', style: 'change' },
  delete: { mark: '-', style: 'remove' },
}

/** Of what is there and should not be, and of what is gone. */
const foundMarks = { create: marks.delete, update: marks.update, delete: marks.create }

export function changeLines(change: ReviewedChange, options: ChangeLineOptions): Line[] {
  const limit = options.verbose ? Number.POSITIVE_INFINITY : valueLimit
  const creating = change.action === 'create'
  const rows = rowsOf(change.differences, { creating, limit, fromDeclared: options.drift })
  if (options.drift) return foundLines(change, rows, options)
  if (creating) {
    return options.brief
      ? [briefLine(change, rows, options.width)]
      : [title(change, options), ...creation(rows, options)]
  }
  return [title(change, options), ...rowLines(rows, rowOptions(options))]
}

function rowOptions({ width, verbose }: ChangeLineOptions): RowLineOptions {
  return { width, diffLimit: verbose ? Number.POSITIVE_INFINITY : diffLimit, margin }
}

/** Of an object that is gone, what it should be is told when everything is asked for. */
function foundLines(change: ReviewedChange, rows: readonly Row[], options: ChangeLineOptions): Line[] {
  const { action } = change
  if (action === 'update') return [title(change, options), ...driftRowLines(rows, rowOptions(options))]
  const sentence: Line = [indent(margin), piece(objectSentences[action], 'faint')]
  const more =
    action === 'delete' ? heldLines(rows, rowOptions(options)) : options.verbose ? creation(rows, options) : []
  return options.brief && action === 'create' ? [title(change, options)] : [title(change, options), sentence, ...more]
}

/** The place at which it is declared stands at the right edge where there is room, and goes where there is none. */
function title({ action, name, place, prunedBy }: ReviewedChange, { width, verbose, drift }: ChangeLineOptions): Line {
  const { mark, style } = drift ? foundMarks[action] : marks[action]
  const head: Line = [indent(2), piece(mark, style), indent(1), piece(name, style === 'remove' ? 'remove' : 'strong')]
  const undeclared = prunedBy === undefined ? 'declared nowhere' : `declared nowhere, prune ${prunedBy}`
  const note = place === undefined ? (action === 'delete' ? undeclared : '') : formatPlace(place)
  if (note === '') return head
  const tail = piece(note, 'faint')
  const gap = Math.min(width, 100) - lineWidth(head) - textWidth(tail.text)
  if (gap >= 2) return [...head, indent(gap), tail]
  return verbose || action === 'delete' ? [...head, indent(2), tail] : head
}

function creation(rows: readonly Row[], { width }: ChangeLineOptions): Line[] {
  const fields = rows.filter((row): row is ValueRow => row.form === 'value')
  const lists = rows.filter((row): row is ElementsRow => row.form === 'elements' && row.added.length > 0)
  const texts = rows.filter((row) => row.form === 'lines')
  const items = fields.map(({ path, after }) => [
    piece(`${path}: `, 'faint'),
    after.remark ? piece(after.text, 'faint') : piece(after.text),
  ])
  const lines = items.length > 0 ? wrapItems([indent(margin)], items, width, piece(' · ', 'faint')) : []
  for (const list of lists) {
    const { path, level, added } = list
    const head: Line = [indent(margin), piece(`${level ?? path} (${added.length}): `, 'faint')]
    lines.push(...elementLines(list, head, width))
  }
  lines.push(...rowLines(texts, { width, diffLimit: Number.POSITIVE_INFINITY, margin }))
  return lines
}

function briefLine({ name }: ReviewedChange, rows: readonly Row[], width: number): Line {
  const head: Line = [indent(2), piece('+', 'add'), indent(1), piece(name, 'strong')]
  const parts = rows.flatMap((row) => {
    if (row.form === 'value') return [row.after.text]
    return row.form === 'elements' ? [countOf(row)] : []
  })
  const room = width - lineWidth(head) - 2
  if (parts.length === 0 || room < 10) return head
  return [...head, indent(2), piece(cutToWidth(piece(parts.join(' · ')).text, room), 'faint')]
}

/** `2 members`, `3 Modify`. */
function countOf({ path, level, added }: ElementsRow): string {
  return level === undefined ? formatCount(added.length, path.replace(/s$/, ''), path) : `${added.length} ${level}`
}
