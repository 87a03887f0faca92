// The sources of the README's pictures: a plan of examples/quickstart from docs/pictures, as comment and as page.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { marked } from 'marked'
import type { ShownPlan } from '../../src/render/changes/by-cause.ts'
import { renderCombinedHtml } from '../../src/render/html/plan-page.ts'
import { type RunResult, renderCombinedMarkdown } from '../../src/render/report/combined.ts'

export const pictureFolder = 'docs/pictures'

/** Name of the picture → HTML. */
export function pictureSources(): Readonly<Record<'comment' | 'page', string>> {
  const plan = JSON.parse(readFileSync(`${pictureFolder}/plan.json`, 'utf8')) as ShownPlan
  const all: readonly RunResult[] = [{ command: 'plan', plan }]
  const hash = (text: string): string => createHash('sha256').update(text).digest('base64')
  return {
    comment: commentPage(renderCombinedMarkdown(all)),
    page: renderCombinedHtml(all, { hash, link: ({ file, line }) => `https://git.example.com/${file}#L${line}` }),
  }
}

/** By which a picture is known to be of what would be rendered now. */
export function pictureDigests(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(pictureSources()).map(([name, html]) => [name, createHash('sha256').update(html).digest('hex')]),
  )
}

/** As a code host shows it. */
function commentPage(markdown: string): string {
  const body = marked
    .parse(markdown, { gfm: true, async: false })
    .replace(/<code class="language-diff">([\s\S]*?)<\/code>/g, (_, code: string) => {
      const lines = code.trimEnd().split('\n')
      return `<code>${lines.map((line) => `<span class="${classOf(line)}">${line}</span>`).join('\n')}</code>`
    })
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
<article><header><b>github-actions</b> <span class="bot">bot</span> commented</header><div>${body}</div></article>`
}

function classOf(line: string): string {
  return { '+': 'added', '-': 'removed', '@': 'at' }[line.charAt(0)] ?? ''
}

const style = `
body { margin: 16px; background: #fff; color: #1f2328; font: 14px/1.5 "Segoe UI", "Open Sans", Helvetica, Arial, sans-serif }
article { border: 1px solid #d1d9e0; border-radius: 6px; width: 960px }
header { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; padding: 8px 16px; color: #59636e }
header b { color: #1f2328 } .bot { border: 1px solid #d1d9e0; border-radius: 2em; padding: 0 6px; font-size: 12px }
article > div { padding: 8px 16px }
h3 { font-size: 1.25em; margin: 16px 0 12px } h4 { font-size: 1em; margin: 18px 0 8px }
p, ul, table, pre { margin: 0 0 12px } ul { padding-left: 2em } summary { cursor: pointer; margin-bottom: 8px }
table { border-collapse: collapse } th, td { border: 1px solid #d1d9e0; padding: 4px 12px }
code { background: #818b981f; border-radius: 6px; padding: .2em .4em; font: 85% "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace }
pre { background: #f6f8fa; border-radius: 6px; padding: 10px 16px } pre code { background: none; padding: 0 }
pre span { display: inline-block; width: 100% } .added { background: #dafbe1 } .removed { background: #ffebe9 } .at { color: #6639ba }
sub { font-size: 75% }`
