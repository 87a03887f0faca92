// Durations as people write them.
import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../src/project/parse-duration.ts'

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1.5 m', 90_000],
    ['1h', 3_600_000],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms))

  it.each(['', '30', 's', '-1s', '0s', '1d', '1e3s', '999999999h'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})
