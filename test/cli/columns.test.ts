// How wide the output is.
import { expect, it } from 'vitest'
import { columnsOf } from '../../src/cli/terminal/console.ts'

it('takes a terminal of 0 columns for one that does not tell', () => {
  expect(columnsOf({ isTTY: true, columns: 0 })).toBe(100)
  expect(columnsOf({ isTTY: true })).toBe(100)
  expect(columnsOf({ isTTY: true, columns: 72 })).toBe(72)
  expect(columnsOf({ isTTY: true, columns: 12 })).toBe(40)
  expect(columnsOf({ columns: 72 })).toBe(100)
})
