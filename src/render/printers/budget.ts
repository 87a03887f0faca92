// Chooses the rows of a table to show, and counts the others.
import type { Block, Row } from '../blocks/block.ts'
import { formatCount } from '../text/counts.ts'

/**
 * Up to 50 rows of news are all shown; of more, the first ten. Bulk is shown whole or not at all. A long table shows a
 * few rows of each grave kind, so that each is named.
 */
const most = { all: 50, first: 10, bulk: 10 }
const rowsOfOne = (rows: number): number => (rows > 4 * most.all ? 1 : 3)

/** `crowd`: rows of bulk beside them, their own included; what is created is shown as a whole or counted as a whole. */
export function shownRows({ rows, weight }: Block<'table'>, whole: boolean, crowd = rows.length): readonly Row[] {
  if (whole || weight === 'loss') return rows
  let left =
    weight === 'bulk' ? (crowd > most.bulk ? 0 : rows.length) : rows.length > most.all ? most.first : rows.length
  let ofOne = 0
  return rows.filter(({ isGrave, stands }) => {
    ofOne = stands === 0 ? ofOne + 1 : 1
    return isGrave === true ? rows.length <= most.all || ofOne <= rowsOfOne(rows.length) : left-- > 0
  })
}

export const countBulk = (tables: readonly Block<'table'>[]): number =>
  tables.reduce((sum, { rows, weight }) => sum + (weight === 'bulk' ? rows.length : 0), 0)

export const countOf = (rows: readonly Row[]): number => rows.reduce((sum, { stands = 1 }) => sum + stands, 0)

/** Rows with more detail of the row above. */
const countContinuations = (rows: readonly Row[]): number => rows.filter(({ stands }) => stands === 0).length

/** `12 users`, or `3 more users` where some are shown; empty: none is left out. */
export function formatRest({ rows, noun }: Block<'table'>, shown: readonly Row[]): string {
  const rest = countOf(rows) - countOf(shown)
  const [one, several] = noun
  const more = shown.length === 0 ? '' : 'more '
  const further = countContinuations(rows) - countContinuations(shown)
  return [
    ...(rest === 0 ? [] : [formatCount(rest, `${more}${one}`, `${more}${several}`)]),
    ...(further === 0 ? [] : [formatCount(further, 'more row of the same', 'more rows of the same')]),
  ].join(' and ')
}
