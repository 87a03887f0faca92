// Who can do what, as a review wants it: for people, for a comment, for a spreadsheet and for programs.
import type { AccessEntry } from '../../core/access/describe-access.ts'
import { heldLines } from '../plan/access.ts'
import { indent, type Line, paintSections, piece, wrapText } from '../text/line.ts'
import { code, joinBlocks, prose } from '../text/markdown.ts'
import { neutralise, safeJson } from '../text/neutralise.ts'

interface Row extends AccessEntry {
  readonly live: boolean
  readonly afterApply: boolean
}

interface Answer {
  readonly rows: readonly Row[]
  readonly holders: readonly AccessEntry[]
  readonly perhapsGroups: readonly string[]
  readonly unread: readonly { readonly address: string; readonly reason: string }[]
}

interface TextForm {
  readonly colour: boolean
  readonly width: number
  /** Where nobody can do anything: the sentence about it. */
  readonly nobody: string
}

const parts: readonly { readonly title: string; readonly is: (row: Row) => boolean }[] = [
  { title: 'Now, and after an apply', is: ({ live, afterApply }) => live && afterApply },
  { title: 'Now, and not after an apply', is: ({ live, afterApply }) => live && !afterApply },
  { title: 'After an apply, and not now', is: ({ live, afterApply }) => !live && afterApply },
]

export function renderAccessText(answer: Answer, { colour, width, nobody }: TextForm): string {
  const { rows, holders } = answer
  const sections = parts.map(({ title, is }): Line[] => {
    const lines = heldLines(rows.filter(is), ['can', 'can'], width)
    return lines.length === 0 ? [] : [[piece(title, 'strong')], ...lines]
  })
  const held = heldLines(holders, ['holds', 'hold'], width)
  return paintSections(
    [
      ...sections,
      rows.some(({ live }) => live) ? [] : wrapText([], nobody, width),
      held.length === 0 ? [] : [[piece('Held there by others', 'strong')], ...held],
      notesOf(answer).flatMap((note) => wrapText([], note, width, 'faint')),
      answer.unread.flatMap(({ address, reason }) => [
        [piece('! ', 'error'), piece(address, 'strong')],
        ...wrapText([indent(4)], reason, width),
      ]),
    ].filter((lines) => lines.length > 0),
    colour,
  )
}

/** What has become an exception. */
export function acceptedText(
  entries: readonly AccessEntry[],
  file: string,
  until: string,
  { colour, width }: Pick<TextForm, 'colour' | 'width'>,
): string {
  const levels = entries.length === 1 ? 'One level' : `${entries.length} levels`
  const said = wrapText(
    [],
    `${levels} accepted until ${until}, in ${file}: commit it, so that others can review it.`,
    width,
  )
  return paintSections([said, heldLines(entries, ['can', 'can'], width)], colour)
}

function notesOf({ perhapsGroups, unread }: Answer): string[] {
  const open = `May be groups whose members nobody knows, and who may then do the same: ${perhapsGroups.join(', ')}.`
  return [
    ...(perhapsGroups.length === 0 ? [] : [open]),
    ...(unread.length === 0 ? [] : ['Not read, so that nobody knows who can do what there:']),
  ]
}

const headings = ['account', 'level', 'object', 'company', 'through', 'kind', 'now', 'after apply'] as const

function cellsOf({ subject, level, address, company, via, kind, live, afterApply }: Row): string[] {
  const isSo = (is: boolean): string => (is ? 'yes' : 'no')
  return [subject ?? '', level ?? '', address, company ?? '', via.join(' > '), kind, isSo(live), isSo(afterApply)]
}

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function renderAccessCsv({ rows, perhapsGroups }: Pick<Answer, 'rows' | 'perhapsGroups'>): string {
  const open = new Set(perhapsGroups)
  const cell = (text: string): string => {
    const plain = neutralise(text)
    const safe = /^\s*[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain
    return /[",\n\r;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const lines = rows.map((row) => [...cellsOf(row), open.has(row.subject ?? '') ? 'yes' : 'no'])
  return [[...headings, 'may be a group'], ...lines].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

export function renderAccessMarkdown(answer: Answer): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = [
    row(headings),
    row(headings.map(() => '---')),
    ...answer.rows.map((each) => row(cellsOf(each).map((cell) => (cell === '' ? '' : code(cell))))),
  ]
  const unread = answer.unread.map(({ address, reason }) => `- ${code(address)}: ${prose(reason)}`)
  return joinBlocks([table, notesOf(answer).map(prose), unread])
}

export function renderAccessJson(answer: Answer): string {
  return safeJson({ formatVersion: '1.0', ...answer })
}
