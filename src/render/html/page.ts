// Plans, drifts and reports as one page that stands alone.
import type { Block } from '../blocks/block.ts'
import { escapeHtml, inlineHtml, plain, printHtml, sectionId } from '../printers/html.ts'
import { formatNumber } from '../text/counts.ts'
import { pageScript, pageStyle } from './generated/assets.ts'

export interface PageForm extends Pick<Parameters<typeof printHtml>[1], 'link'> {
  /** SHA-256 in base64. */
  readonly hash: (text: string) => string
}

/** One result: its blocks, and what is drawn below them. `anchorOf`: where the row of an object is on this page. */
interface PagePart {
  readonly blocks: readonly Block[]
  readonly drawing?: ((anchorOf: (id: string) => string | undefined) => string) | undefined
}

const maxOpenRows = 15

export function renderPage(
  title: string,
  parts: readonly PagePart[],
  form: PageForm,
  top: readonly string[] = [],
): string {
  const tables = parts.flatMap(({ blocks }) => blocks.flatMap(tablesIn))
  const bodies = parts.map(({ blocks, drawing }, index) => {
    const prefix = parts.length > 1 ? `t${index + 1}` : ''
    const anchors = anchorsOf(blocks, prefix)
    const rows = blocks.flatMap(tablesIn).reduce((sum, table) => sum + table.rows.length, 0)
    const [head, ...rest] = blocks
    const its = { ...form, prefix, isOpen: rows <= maxOpenRows }
    const first = head === undefined ? '' : printHtml([head], { ...its, leads: sectionByPoint(rest, prefix) })
    const all = printHtml(rest, { ...its, anchors: new Map(anchors) })
    return { first, all: `${all}\n${drawing?.((id) => anchors.get(id)) ?? ''}`, contents: contentsOf(rest, prefix) }
  })
  const filter = filterOf(tables)
  const [only] = bodies
  const main =
    bodies.length === 1 && only !== undefined
      ? [only.first, filter, only.all]
      : [filter, ...bodies.flatMap(({ first, all }) => [first, all])]
  const warnings = top.map((text) => `<p class="warning">${inlineHtml(text)}</p>`)
  const contents = bodies.flatMap((body) => body.contents)
  return renderDocument(title, [...warnings, ...main].join('\n'), contents, form.hash)
}

/** Anchors by the id of a row. A row that appears twice has its anchor at the first. */
function anchorsOf(blocks: readonly Block[], prefix: string): Map<string, string> {
  const anchors = new Map<string, string>()
  const visit = (block: Block): void => {
    if (block.block === 'section' || block.block === 'fold') block.blocks.forEach(visit)
    if (block.block !== 'table') return
    for (const { id } of block.rows)
      if (id !== undefined && !anchors.has(id)) anchors.set(id, `${prefix}c${anchors.size + 1}`)
  }
  blocks.forEach(visit)
  return anchors
}

function tablesIn(block: Block): Block<'table'>[] {
  if (block.block === 'table') return [block]
  return block.block === 'section' ? block.blocks.flatMap(tablesIn) : []
}

function contentsOf(blocks: readonly Block[], prefix: string): string[] {
  return blocks.flatMap((block, index) => {
    return block.block === 'section' ? `<li><a href="#${sectionId(prefix, index)}">${plain(block.title)}</a></li>` : []
  })
}

function sectionByPoint(blocks: readonly Block[], prefix: string): ReadonlyMap<string, string> {
  const leads = blocks.flatMap((block, index) =>
    block.block === 'section' ? (block.about ?? []).map((kind) => [kind, sectionId(prefix, index)] as const) : [],
  )
  // The first of several sections about one kind wins.
  return new Map(leads.reverse())
}

/** Shown by the script: without it they would do nothing. A second click on what filters clears it. */
function filterOf(tables: readonly Block<'table'>[]): string {
  const counts = new Map<string, number>()
  for (const { rows } of tables)
    for (const { tags = [] } of rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  if ([...counts.values()].reduce((sum, count) => sum + count, 0) < 2) return ''
  const chips = [...counts].map(
    ([tag, count]) =>
      `<button type="button" data-tag="${plain(tag)}" ` +
      `aria-pressed="false">${plain(tag)} <b>${formatNumber(count)}</b></button>`,
  )
  return `<form role="search" aria-label="Filter" hidden>
<label>Search <input type="search" name="search" autocomplete="off"></label>
<div class="chips" role="group" aria-label="Only">${chips.join('')}</div>
<output aria-live="polite"></output>
</form>`
}

/** One file that loads nothing; the policy names just this style and this script. */
export function renderDocument(
  title: string,
  main: string,
  contents: readonly string[],
  hash: PageForm['hash'],
  { style, script } = { style: pageStyle, script: pageScript },
): string {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash(style)}'`,
    `script-src 'sha256-${hash(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const nav =
    contents.length < 2
      ? ''
      : '<nav aria-label="Contents"><details ' +
        `open><summary>Contents</summary><ol>${contents.join('')}</ol></details></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${nav}
<main>
${main}
</main>
<script>${script}</script>
</body>
</html>
`
}
