// Blocks as HTML: nothing is left out, rows can be filtered by their tags, and a table by its columns.
import { formatPlace, type Place } from '@svcsync/errors/index.ts'
import type { Block, Inline, Row, Sign, Text } from '../blocks/block.ts'
import { holdsAnything, joinInline } from '../blocks/block.ts'
import type { DifferenceRow, DisplayedValue } from '../blocks/difference.ts'
import { formatNumber } from '../text/counts.ts'
import { spansOf } from '../text/markdown.ts'
import { neutralise } from '../text/neutralise.ts'
import { withCommands, withProgramName } from '../text/program-name.ts'

interface HtmlForm {
  /** The address of a line in the repository, at the reviewed commit. */
  readonly link?: ((place: Place) => string | undefined) | undefined
  readonly prefix?: string
  /** By the id of a row; each is given away once. */
  readonly anchors?: Map<string, string>
  /** The section that explains a kind of points. */
  readonly leads?: ReadonlyMap<string, string> | undefined
  readonly isOpen?: boolean
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => escapes[char] as string)

export const plain = (text: string): string => escapeHtml(neutralise(text))

export const sectionId = (prefix: string, index: number): string => `${prefix}s${index + 1}`

export const printHtml = (blocks: readonly Block[], form: HtmlForm): string =>
  blocks.map((block, index) => blockHtml(block, form, 2, sectionId(form.prefix ?? '', index))).join('\n')

function blockHtml(block: Block, form: HtmlForm, level: number, id = ''): string {
  const inside = (blocks: readonly Block[]): string => blocks.map((each) => blockHtml(each, form, level + 1)).join('\n')
  switch (block.block) {
    case 'head':
      return headHtml(block, form)
    case 'note':
      return `<p${block.tone === undefined ? '' : ` class="${block.tone}"`}>${inlineHtml(block.text, form)}</p>`
    case 'section': {
      if (!holdsAnything(block)) return ''
      const begin = `<section${id === '' ? '' : ` id="${id}"`}><h${level}>${plain(block.title)}</h${level}>`
      return `${begin}\n${paragraphs([block.lead], form)}${inside(block.blocks)}</section>`
    }
    case 'table':
      return tableHtml(block, form)
    case 'fold':
      return holdsAnything(block)
        ? `<details class="fold"><summary>${plain(block.title)}</summary>\n${inside(block.blocks)}</details>`
        : ''
    case 'copy':
      return copyHtml(block, form)
    case 'frame':
      return `<pre>${block.lines.map(plain).join('\n')}</pre>`
    case 'footer':
      return holdsAnything(block) ? `<footer>${paragraphs(block.parts, form)}${inside(block.blocks)}</footer>` : ''
  }
}

/** Points lead to the section of their sort, see `sectionOf` of a page. */
function headHtml(
  { what, target, targets = [target], about, severity, sentence, calm = '', isGood, points }: Block<'head'>,
  form: HtmlForm,
): string {
  const sign = severity === 'danger' ? '⚠️ ' : isGood ? '✅ ' : ''
  const title = [what, targets.join(', ')].filter((part) => part !== '').join(' ')
  const statement = sentence === '' ? '' : `: ${inlineHtml(sentence, form)}`
  const list = points.map(({ kind, sign: mark, tone, sentence: each, names }) => {
    const some = names.slice(0, mostNames).map((one) => `<code>${plain(one)}</code>`)
    const rest = names.length - some.length
    const who =
      some.length === 0
        ? ''
        : `<span class="about">: ${some.join(', ')}${rest > 0 ? ` and ${formatNumber(rest)} more` : ''}</span>`
    const at = form.leads?.get(kind)
    const item = inlineHtml(each, form)
    return (
      `<li><span class="${tone}">${signs[mark][0]}</span> ` +
      `${at === undefined ? item : `<a href="#${at}">${item}</a>`}${who}</li>`
    )
  })
  const points_ = list.length < 2 ? '' : `<ul class="points">${list.join('')}</ul>`
  const faint = `<p class="faint">${about.map(plain).join(' · ')}</p>`
  return `<header><h1>${sign}${plain(title)}${statement}</h1>${faint}${paragraphs([calm], form)}${points_}</header>`
}

const paragraphs = (parts: readonly (Text | undefined)[], form: HtmlForm): string =>
  parts.map((part = '') => (part === '' ? '' : `<p>${inlineHtml(part, form)}</p>`)).join('')

const mostNames = 3

/** More are to be opened. */
const maxNamesInLine = 12

/** As it is shown, spoken for whoever does not see it, and coloured. */
const signs: Readonly<Record<Sign, readonly [shown: string, spoken: string, style: string]>> = {
  '+': ['+', 'gains', 'add'],
  '-': ['−', 'loses', 'remove'],
  '~': ['~', 'changes', 'change'],
  '?': ['?', 'may be', 'warning'],
  '!': ['!', 'attention', 'warning'],
  '✗': ['✗', 'failed', 'error'],
  '○': ['○', 'skipped', 'faint'],
  '•': ['', 'has', 'faint'],
  '≠': ['≠', 'different', 'error'],
}

function tableHtml(table: Block<'table'>, form: HtmlForm): string {
  const { headings, rows, title } = table
  if (rows.length === 0) return ''
  if (headings === undefined) {
    const label = title === undefined ? '' : ` aria-label="${plain(title)}"`
    return (
      `<div class="rows"${title === undefined ? '' : ` role="group"${label}`}>\n` +
      `${rows.map((row) => articleHtml(row, form)).join('\n')}</div>`
    )
  }
  const cells = headings.map((heading) => `<th scope="col">${plain(heading)}</th>`).join('')
  const body = rows.map((row) => rowHtml(row, headings.length, form)).join('\n')
  return (
    `<div class="wide" tabindex="0" role="group" aria-label="${plain(headings.join(', '))}"><table ` +
    `class="rows"><thead><tr><td></td>${cells}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
  )
}

function attributes({ id, tags = [], sign }: Row, form: HtmlForm): string {
  const at = id === undefined ? undefined : form.anchors?.get(id)
  if (id !== undefined) form.anchors?.delete(id)
  const anchor = at === undefined ? '' : ` id="${at}"`
  const tagged = tags.length === 0 ? '' : ` data-t="${plain(tags.join('|'))}"`
  return `${anchor}${sign === undefined ? '' : ` class="${signs[sign][2]}"`}${tagged}`
}

function signHtml(sign: Sign | undefined): string {
  if (sign === undefined) return ''
  const [shown, spoken] = signs[sign]
  return `<span class="m" role="img" aria-label="${spoken}">${shown}</span>`
}

function rowHtml(row: Row, columns: number, form: HtmlForm): string {
  const cells = row.cells.map((cell) => inlineHtml(cell, form))
  const last = [...cells.slice(columns - 1), ...notesOf(row, form)].filter((text) => text !== '').join('<br>')
  const all = [...cells.slice(0, columns - 1), last].map((cell) => `<td>${cell}</td>`).join('')
  return `<tr${attributes(row, form)}><td>${signHtml(row.sign)}</td>${all}</tr>`
}

function notesOf({ below = [], place }: Row, form: HtmlForm): string[] {
  const notes = below.map((text) => `<span class="faint">${inlineHtml(text, form)}</span>`)
  return [...notes, ...(place === undefined ? [] : [placeHtml(place, form)])]
}

function articleHtml(row: Row, form: HtmlForm): string {
  const rows = row.differences?.(Number.POSITIVE_INFINITY) ?? []
  const content = row.cells.map((cell) => inlineHtml(cell, form)).join(' ')
  const notes = (row.below ?? []).map((text) => `<p class="faint">${inlineHtml(text, form)}</p>`).join('')
  const at = row.place === undefined ? '' : ` ${placeHtml(row.place, form)}`
  const begin = `<article${attributes(row, form)}>`
  if (rows.length === 0) return `${begin}<p>${signHtml(row.sign)} ${content}${at}</p>${notes}</article>`
  const body = rows.map(differenceHtml).join('')
  return (
    `${begin}<details${form.isOpen ? ' open' : ''}><summary>${signHtml(row.sign)} ` +
    `${content}${effects(rows)}</summary><div ` +
    `class="d">${at === '' ? '' : `<p>${at}</p>`}${notes}${body}</div></details></article>`
  )
}

/** `name · members +8 −anna@example.com`: enough to decide whether to look inside. */
function effects(rows: readonly DifferenceRow[]): string {
  const parts = rows.slice(0, 4).map((row) => {
    if (row.form !== 'entries') return plain(row.label)
    const textsOf = (sign: '+' | '-'): string[] =>
      row.groups.flatMap((group) => (group.sign === sign ? group.entries.map(({ text }) => text) : []))
    const lists = [
      ['−', [...row.removed, ...textsOf('-')]],
      ['+', [...row.added, ...textsOf('+')]],
    ] as const
    return [
      plain(row.label),
      ...lists.flatMap(([sign, texts]) => (texts.length > 0 ? firstWithRest(sign, texts) : [])),
    ].join(' ')
  })
  return ` <span class="faint">${[...parts, ...(rows.length > parts.length ? ['…'] : [])].join(' · ')}</span>`
}

const firstWithRest = (sign: string, [text = '', ...others]: readonly string[]): string =>
  others.length === 0 ? plain(`${sign}${text}`) : `${sign}${formatNumber(others.length + 1)}`

function differenceHtml(row: DifferenceRow): string {
  const at = row.at === undefined ? '' : ` <span class="faint">${plain(row.at)}</span>`
  const label = `<b>${plain(row.label)}</b>${at}`
  if (row.form === 'lines') {
    const lines = row.diff.map(({ mark, text }) => lineHtml(mark, plain(text)))
    return `${label}${lines.join('')}`
  }
  if (row.form === 'value') {
    const { before, after } = row
    return `${label}${before === undefined ? '' : lineHtml('-', shownHtml(before))}${lineHtml('+', shownHtml(after))}`
  }
  const { added, removed, notIn, groups } = row
  const listItems = (sign: '+' | '-', texts: readonly string[]): string =>
    texts.map((text) => lineHtml(sign, plain(text))).join('')
  const reasons = groups.map(({ sign, reason, entries }) => {
    const own = entries.map(({ text, at: line }) => lineHtml(sign, `${plain(text)} <small>${plain(line)}</small>`))
    return `<i>${plain(reason.join(' '))}</i>${own.join('')}`
  })
  const why = notIn.length === 0 ? '' : `<i>${plain(notIn.join(' '))}</i>`
  return `${label}${listItems('-', removed)}${why}${listItems('+', added)}${reasons.join('')}`
}

function lineHtml(mark: '+' | '-' | ' ' | '@', html: string): string {
  const element = { '+': 'ins', '-': 'del', ' ': 'span', '@': 'i' }[mark]
  return `<${element}>${html}</${element}>`
}

const shownHtml = ({ text, remark }: DisplayedValue): string => (remark ? `<small>${plain(text)}</small>` : plain(text))

function copyHtml({ says, lines }: Extract<Block, { block: 'copy' }>, form: HtmlForm): string {
  const lead = says === undefined ? '' : `<p>${inlineHtml(says, form)}</p>`
  const code = lines.map((line) => plain(withProgramName(line))).join('\n')
  return lines.length === 0 ? lead : `${lead}<pre>${code}</pre>`
}

export function inlineHtml(text: Text, form: HtmlForm = {}): string {
  return joinInline(text, (part) => partHtml(part, form))
}

function partHtml(part: Inline, form: HtmlForm): string {
  if (typeof part === 'string') return proseHtml(withCommands(part))
  if ('words' in part) return `<span class="${part.tone}">${proseHtml(withCommands(part.words))}</span>`
  if ('name' in part) return `<code${part.tone === undefined ? '' : ` class="${part.tone}"`}>${plain(part.name)}</code>`
  if ('at' in part) return placeHtml(part.at, form)
  const all = part.names.map((each) => `<code>${plain(each)}</code>`)
  if (all.length <= maxNamesInLine) return all.join(', ')
  return (
    `<details class="names"><summary>${all.slice(0, mostNames).join(', ')} and ` +
    `${formatNumber(all.length - mostNames)} more</summary>${all.slice(mostNames).join(', ')}</details>`
  )
}

function proseHtml(text: string): string {
  return spansOf(neutralise(text))
    .map((part, index) => (index % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
    .join('')
}

function placeHtml(place: Place, { link }: HtmlForm): string {
  const text = plain(formatPlace(place))
  const address = link?.(place)
  return `<span class="place">${address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`}</span>`
}
