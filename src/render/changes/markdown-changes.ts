// Changes of a plan in Markdown: sections that can be folded, with the rows of their differences as lines of a `diff` block,
// which forges colour by their first character.
import { cutToWidth } from '../../core/model/text-width.ts'
import { formatPlace } from '../../errors/index.ts'
import { foldNames, formatCount, formatNumber } from '../text/counts.ts'
import { code, codeInHtml, fence } from '../text/markdown.ts'
import { labelOf, newAmong, type Row, rowsOf, ungrouped } from './difference-rows.ts'
import { causesAs, elementPhrases, healingOf, objectSentence } from './drift-words.ts'
import { type ReviewedChange, signed } from './plan-groups.ts'

/** How much is shown; less with each stage. */
interface MarkdownStage {
  readonly details: 'all' | 'without-creates' | 'none'
  /** Of the differences of one object. */
  readonly lines: number
  /** Entries of a list. */
  readonly names: number
}

const longDiff = 20
const marks: Readonly<Record<ReviewedChange['action'], string>> = { create: '+', update: '~', delete: '−' }

export function changeDetails(change: ReviewedChange, stage: MarkdownStage, open: boolean, drift = false): string[] {
  const lines = diffBlockLines(change, stage.lines, drift)
  const place = change.place === undefined ? '' : ` · ${codeInHtml(formatPlace(change.place))}`
  const what = change.action === 'create' ? (drift ? ` · ${objectSentence(change)}` : '') : summarise(change, drift)
  const mark = drift && change.action === 'create' ? marks.delete : marks[change.action]
  const summary = `<summary>${mark} ${codeInHtml(change.address)}${what}${place}</summary>`
  return [
    open && lines.length <= longDiff ? '<details open>' : '<details>',
    summary,
    '',
    ...(lines.length === 0 ? ['No fields are sent.'] : fence('diff', lines)),
    '',
    '</details>',
  ]
}

/** `name, members +8 −1`: enough to decide whether to look inside. */
function summarise({ differences }: ReviewedChange, drift: boolean): string {
  const parts = differences.slice(0, 6).map(({ path, added, removed }) => {
    if (added === undefined && removed === undefined) return codeInHtml(path)
    const given = newAmong(added)
    const [more, fewer] = drift ? [removed, given] : [given, removed]
    return [codeInHtml(path), ...signed(['+', more?.length ?? 0], ['−', fewer?.length ?? 0])].join(' ')
  })
  if (differences.length > parts.length) parts.push('…')
  return parts.length === 0 ? '' : ` · ${parts.join(', ')}`
}

/** The objects of which only the names are shown. */
export function nameList(what: string, addresses: readonly string[], limit: number): string[] {
  if (limit === 0) return []
  const rest = addresses.length - limit
  const names = addresses.slice(0, limit).map(code)
  if (rest > 0) names.push(`and ${formatNumber(rest)} more`)
  return [
    '<details>',
    `<summary>${formatNumber(addresses.length)} ${what}</summary>`,
    '',
    names.join(', '),
    '',
    '</details>',
  ]
}

const valueLimit = 400

/** The lines, and no more than `limit` of them; without a limit everything whole. `drift`: `+` is what is there, and `-` what is declared. */
export function diffBlockLines(
  change: Pick<ReviewedChange, 'action' | 'differences' | 'place'>,
  limit: number,
  drift = false,
): string[] {
  const { place } = change
  const creating = change.action === 'create'
  const whole = limit === Number.POSITIVE_INFINITY
  const rows = rowsOf(change.differences, { creating, limit: whole ? limit : valueLimit, place, fromDeclared: drift })
  const lines = rows.flatMap((row) => blockLines(row, creating, whole, drift))
  const rest = lines.length - limit
  return rest > 0 ? [...lines.slice(0, limit), `# … ${formatCount(rest, 'more line')}`] : lines
}

function blockLines(row: Row, creating: boolean, whole: boolean, drift: boolean): string[] {
  // As a diff has the function that a hunk is in.
  const at = row.at === undefined ? '' : ` ${row.at}`
  const heading = `@@ ${labelOf(row)} @@${at}`
  const cause = drift ? [`# ${causesAs(row.isKnown === true).value}`] : []
  switch (row.form) {
    case 'lines': {
      const lines = row.diff.map(({ mark, text }) => {
        return `${mark === '@' ? '#' : mark} ${whole ? text : cutToWidth(text, valueLimit)}`
      })
      return [heading, ...cause, ...lines]
    }
    case 'value': {
      const { path, before, after } = row
      if (creating || (before === undefined && !drift))
        return [`${drift ? '-' : '+'} ${path}: ${after.text}`, ...(at === '' ? [] : [`# ${path}:${at}`])]
      const sides = [before?.text ?? '(hidden)', after.text]
      const [less, more] = drift ? sides.reverse() : sides
      return [heading, ...cause, `- ${less}`, `+ ${more}`]
    }
    case 'elements':
      // Of an object that is gone, its sentence says what healing does.
      if (drift && creating) return [heading, ...foldedLines(row.added, '+', whole, '-')]
      return [heading, ...(drift ? foundLines(row, whole) : elementLines(row, whole))]
  }
}

function foundLines(row: Row<'elements'>, whole: boolean): string[] {
  return elementPhrases(row).flatMap(({ what, cause, healing, sign, names, placed }) => [
    `# ${[what.join(' '), ...(cause === undefined ? [] : [cause]), healing].join('; ')}`,
    ...foldedLines(names, healingOf[sign], whole, sign),
    ...foldedLines(placed.map(withAt), healingOf[sign], whole, sign),
  ])
}

function elementLines(row: Row<'elements'>, whole: boolean): string[] {
  const { plus, minus } = ungrouped(row)
  return [
    ...foldedLines(plus, '+', whole),
    ...foldedLines(minus, '-', whole),
    ...(row.notIn.length > 0 ? [`# ${row.notIn.join(' ')}`] : []),
    ...row.groups.flatMap(({ sign, reason, entries }) => [
      `# ${reason.join(' ')}`,
      ...foldedLines(entries.map(withAt), sign, whole),
    ]),
  ]
}

const withAt = ({ text, at }: { readonly text: string; readonly at: string }): string => `${text}  # ${at}`

/** `shownAs`: in a drift, what healing removes was added. */
function foldedLines(texts: readonly string[], sign: '+' | '-', whole: boolean, shownAs = sign): string[] {
  const { shown, note } = foldNames(texts, sign, { way: 'in the output of the command with --verbose', whole })
  return [...shown.map((text) => `${shownAs} ${text}`), ...(note === '' ? [] : [`# ${note}`])]
}
