// The faults that nobody could notice stand where they are listed: otherwise `npm run mutate` ends before it begins.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { equivalentFaults } from '../mutate/equivalent-faults.ts'

it.each(equivalentFaults)('$file still has $before$line', ({ file, before = '', line }) => {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((each) => each.trim())
  const known = line === undefined ? [lines.join(' ')] : lines.filter((each) => each === line)
  expect(known.some((text) => text.includes(before))).toBe(true)
})
