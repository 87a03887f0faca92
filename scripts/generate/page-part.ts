// The part of a page that is generated, between two marks.
export const begin = '<!--generated-->'
export const end = '<!--end-->'

export type Row = readonly string[]

/** Throws where a page has lost its marks: what is generated would go nowhere. */
export function replaced(text: string, parts: readonly string[]): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new TypeError(`A page has lost ${begin} or ${end}`)
  return `${text.slice(0, from)}${begin}\n\n${parts.join('\n\n')}\n\n${text.slice(to)}`
}

export function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** A list of names and their meanings. */
export function list(rows: readonly Row[]): string {
  return rows.map(([name, does]) => `- ${name}: ${does}`).join('\n')
}
