// Tables for spreadsheets.
import { neutralise } from '../text/neutralise.ts'

/**
 * Matches full-width signs too, since some programs treat them as the others, and signs behind skipped characters. If
 * semicolons separate lists, a program starts a cell behind each of them, even inside quotes.
 */
const formula = /(^|;)(?=[\s\p{Cc}\p{Cf}"]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20\u2212])/gu

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export const csvOf = (rows: readonly (readonly string[])[]): string => rows.map(createCsvLines()).join('')

/** Lines one after the other: in most columns a cell is that of the line before. */
export function createCsvLines(): (row: readonly string[]) => string {
  let [texts, cells]: [readonly string[], readonly string[]] = [[], []]
  return (row) => {
    const line = row.map((text, at) => (texts[at] === text ? (cells[at] as string) : cellOf(text)))
    ;[texts, cells] = [row, line]
    return `${line.join(',')}\r\n`
  }
}

/** Nearly all cells: no program takes any of it for more than text. */
const plain = /^[A-Za-z0-9](?:[\w .:/>@-]*\w)?$/

function cellOf(text: string): string {
  if (text === '' || plain.test(text)) return text
  const safe = neutralise(text).replace(formula, "$1'")
  return /[",\n\r;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
