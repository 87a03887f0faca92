// `svcsync explain`: what a code means, and what to do.
import { nearMisses } from '../../core/model/near-misses.ts'
import { OperatorError } from '../../errors/index.ts'
import { indent, type Line, paint, piece } from '../../render/line.ts'
import { wrapText } from '../../render/wrap.ts'
import { openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { type ProblemPage, problemPages } from '../problem-pages.ts'

export interface ExplainOptions {
  readonly color: boolean
}

/** `code`: as it is written anywhere, `SVC1301`, `svc1301` or `1301`. Without one, all are listed. */
export async function explainCommand(code: string | undefined, options: ExplainOptions): Promise<number> {
  const console = openConsole(options)
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
  const lines =
    wanted === undefined ? listed(found, console.width) : found.flatMap((page) => whole(page, console.width))
  await console.result(paint(lines, console.colour))
  return exitCodes.done
}

function listed(pages: readonly ProblemPage[], width: number): Line[] {
  return pages.flatMap(({ code, means, section }, index) => {
    const isFirst = section !== pages[index - 1]?.section
    const heading: Line[] = isFirst ? [...(index === 0 ? [] : [[]]), [piece(section, 'strong')]] : []
    return [...heading, ...wrapText([indent(2), piece(code, 'faint'), indent(2)], means, width)]
  })
}

function whole({ code, means, todo, section }: ProblemPage, width: number): Line[] {
  return [
    ...wrapText([piece(code, 'strong'), indent(2)], means, width),
    ...(todo === '' ? [] : wrapText([indent(2), piece('what to do: ', 'good')], todo, width)),
    [indent(2), piece(`docs/problems.md, ${section}`, 'faint')],
  ]
}
