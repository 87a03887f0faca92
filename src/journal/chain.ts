// Links each line of a journal to those before it, so that one that is missing, moved or edited shows.
import { createHash } from 'node:crypto'

const link = (chain: string): string => `,"chain":"${chain}"}`

/** `text`: the line as JSON without its link. `before`: the chain of the line before, or the digest of the plan. */
export function chainLine(text: string, before: string): { readonly text: string; readonly chain: string } {
  const chain = `sha256:${createHash('sha256').update(`${before}\n${text}`).digest('hex')}`
  return { text: `${text.slice(0, -1)}${link(chain)}`, chain }
}

/** True if a line continues the chain before it. */
export function follows(line: string, chain: string, before: string): boolean {
  const end = link(chain)
  return line.endsWith(end) && chainLine(`${line.slice(0, -end.length)}}`, before).chain === chain
}
