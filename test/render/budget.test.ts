// Long tables: whoever matters is named, and what is left out is counted.
import { expect, it } from 'vitest'
import type { Block, Row } from '../../src/render/blocks/block.ts'
import { formatRest, shownRows } from '../../src/render/printers/budget.ts'

const rowsOf = (person: number, ways: number): Row[] =>
  Array.from({ length: ways }, (_, at) => ({
    cells: [`p-${person}`, `way ${at}`],
    isGrave: true,
    stands: at === 0 ? 1 : 0,
  }))

const table = (people: number, ways: number): Block<'table'> => ({
  block: 'table',
  weight: 'news',
  noun: ['account', 'accounts'],
  rows: Array.from({ length: people }, (_, at) => rowsOf(at, ways)).flat(),
})

it.each([
  ['a short table', 10, 5, 50, ''],
  ['a long table', 12, 5, 36, '24 more rows of the same'],
  ['a very long table', 300, 2, 300, '300 more rows of the same'],
])('names everybody in %s, with some rows each, and counts the others', (_what, people, ways, count, rest) => {
  const whole = table(people, ways)
  const shown = shownRows(whole, false)
  expect(shown.length).toBe(count)
  expect(new Set(shown.map(({ cells }) => cells[0])).size).toBe(people)
  expect(formatRest(whole, shown)).toBe(rest)
  expect(shownRows(whole, true)).toBe(whole.rows)
})
