// `svcsync explain`: what a code means, and what to do.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { nearMisses } from '@svcsync/core/model/near-misses.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { type Block, type Row, section, table, words } from '@svcsync/render/blocks/block.ts'
import { printText } from '@svcsync/render/printers/text.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'

/** The text of docs/problems.md, which the build puts in. */
declare const SVCSYNC_PROBLEMS: string | undefined

interface ProblemPage {
  readonly code: string
  readonly means: string
  readonly todo: string
  /** The pages that `todo` links to, from the root of the package. */
  readonly pages: readonly string[]
  readonly section: string
}

/** `code`: `SVC1301`, `svc1301` or `1301`. Without one, it lists all. */
export async function explainCommand(_: object, console: Console, { code }: { readonly code?: string }) {
  const pages = problemPages()
  const wanted = code?.toUpperCase().replace(/^(?=\d)/, 'SVC')
  const found = wanted === undefined ? pages : pages.filter((page) => page.code === wanted)
  if (found.length === 0) {
    const near = nearMisses(wanted ?? '', new Set(pages.map((page) => page.code)))
    const hint = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `
    throw new OperatorError('SVC2156', `There is no problem with the code \`${code}\``, {
      hint: `${hint}\`svcsync explain\` lists all.`,
    })
  }
  await console.result(printText(wanted === undefined ? listBlocks(found) : found.flatMap(pageBlocks), console))
  return exitCodes.done
}

export const problemPages = (): ProblemPage[] =>
  readProblemPages(typeof SVCSYNC_PROBLEMS === 'string' ? SVCSYNC_PROBLEMS : '')

function listBlocks(pages: readonly ProblemPage[]): Block[] {
  return [...groupBy(pages, ({ section: title }) => title)].flatMap(([title, own]) => {
    const rows = own.map(({ code, means }): Row => ({ cells: [[words(code, 'faint')], [means]] }))
    return section(title, 'strong', table(rows, { weight: 'loss' }))
  })
}

function pageBlocks({ code, means, todo, pages, section: title }: ProblemPage): Block[] {
  const done = todo === '' ? [] : [[words('what to do:', 'good'), todo]]
  const more = pages.map((page) => [words('see:', 'good'), page])
  const where = words(`docs/problems.md, ${title}`, 'faint')
  return table([{ cells: [[words(code, 'strong')], [means]], below: [...done, ...more, [where]] }])
}

function readProblemPages(text: string): ProblemPage[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = line.slice(3).trim()
    // A bar inside of a cell is written `\|`.
    const [, codes = '', means = '', todo = ''] = line.split(/(?<!\\)\|/)
    const pages = [...todo.matchAll(linked)].map(([, , page]) => `docs/${page}`)
    return (codes.match(/\bSVC\d{4}\b/g) ?? []).map((code) => ({
      ...{ code, means: plain(means), todo: plain(todo), pages, section },
    }))
  })
}

const linked = /\[([^\]]*)\]\(([^)]*)\)/g

/** Links lead nowhere in a terminal: their text stays. */
const plain = (cell: string): string => cell.trim().replaceAll('\\|', '|').replace(linked, '$1')
