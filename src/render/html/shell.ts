// A page that stands alone: one file, which loads nothing and lets nothing run but its own script; and text as HTML.
import { marked } from 'marked'
import { joinBlocks } from '../text/markdown.ts'
import { neutralise } from '../text/neutralise.ts'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'

/** `main`: HTML. `hash`: SHA-256 in base64. The policy names just this style and this script. */
export function htmlPage({ title, main }: Record<'title' | 'main', string>, hash: (text: string) => string): string {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash(pageStyle)}'`,
    `script-src 'sha256-${hash(pageScript)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
${main}
</main>
<script>${pageScript}</script>
</body>
</html>
`
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => escapes[char] as string)
}

/** Foreign text. */
export function plain(text: string): string {
  return escapeHtml(neutralise(text))
}

export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/** The sections of a comment, whose foreign text Markdown takes for text. */
export function asHtml(blocks: readonly (readonly string[])[]): string {
  const html = marked.parse(joinBlocks(blocks), { gfm: true, async: false })
  // The page has headings of its own above them.
  return (
    html
      .replace(/<(\/?)h[2-6]>/g, '<$1h2>')
      .replace(/<th[^>]*><\/th>/g, '<td></td>')
      // On a telephone a table is moved by itself, by keys, too, and its headings stay whole.
      .replace(/<table>/g, '<div class="wide" tabindex="0"><table>')
      .replace(/<\/table>/g, '</table></div>')
  )
}

export function inline(markdown: string): string {
  return marked.parseInline(markdown.replace(/^#+ /, ''), { gfm: true, async: false })
}
