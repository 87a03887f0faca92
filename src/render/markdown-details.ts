// One change of a plan as a section that can be folded.
import { formatPlace } from '../errors/index.ts'
import { objectSentences } from './drift-words.ts'
import { formatNumber } from './format-count.ts'
import { code, codeInHtml, fence } from './markdown-escape.ts'
import { diffBlockLines } from './markdown-rows.ts'
import type { ChangeAction, ReviewedChange } from './plan-groups.ts'

/** How much is shown; less with each stage. */
export interface MarkdownStage {
  readonly details: 'all' | 'without-creates' | 'none'
  /** Of the differences of one object. */
  readonly lines: number
  /** Entries of a list. */
  readonly names: number
}

const longDiff = 20
const marks: Readonly<Record<ChangeAction, string>> = { create: '+', update: '~', delete: '−' }

export function changeDetails(change: ReviewedChange, stage: MarkdownStage, open: boolean, drift = false): string[] {
  const lines = diffBlockLines(change, stage.lines, drift)
  const place = change.place === undefined ? '' : ` · ${codeInHtml(formatPlace(change.place))}`
  const what = change.action === 'create' ? (drift ? ` · ${objectSentences.create}` : '') : summarise(change, drift)
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
    const [more, fewer] = drift ? [removed, added] : [added, removed]
    const signs = [
      ...(more?.length ? [`+${formatNumber(more.length)}`] : []),
      ...(fewer?.length ? [`−${formatNumber(fewer.length)}`] : []),
    ]
    return [codeInHtml(path), ...signs].join(' ')
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
