// Markdown of comments as HTML: one text for both.
import { marked } from 'marked'
import { joinBlocks } from '../text/markdown.ts'

/** The sections of the comment, whose foreign text Markdown takes for text. */
export function asHtml(blocks: readonly (readonly string[])[]): string {
  const html = marked.parse(joinBlocks(blocks), { gfm: true, async: false })
  // The page has headings of its own above them.
  return html.replace(/<(\/?)h[2-6]>/g, '<$1h2>').replace(/<th[^>]*><\/th>/g, '<td></td>')
}

export function inline(markdown: string): string {
  return marked.parseInline(markdown.replace(/^#+ /, ''), { gfm: true, async: false })
}
