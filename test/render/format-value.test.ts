// Values on one line: nothing that matters is out of sight.
import { expect, it } from 'vitest'
import { showPair, showString } from '../../src/render/changes/difference-rows.ts'

it('shows the end of a long value, too', () => {
  const long = `https://erp.example.com${'a'.repeat(500)}@other.example.net`
  expect(showString(long, 160)).toMatch(/^https:\/\/erp\.example\.coma+…a+@other\.example\.net \(541 characters\)$/)
  const [before, after] = showPair('https://erp.example.com', long, 'prod', 160)
  expect([before.text, after.text.includes('@other.example.net')]).toEqual(['https://erp.example.com', true])
  for (const limit of [160, 161]) expect(() => encodeURIComponent(showString('😀'.repeat(200), limit))).not.toThrow()
})

it('shows where two long values differ, in the middle as well', () => {
  const value = (what: string) => `${'a'.repeat(300)}${what}${'b'.repeat(300)}`
  const [before, after] = showPair(value('ONE'), value('TWO'), 'prod', 160)
  expect([before.text.includes('ONE'), after.text.includes('TWO')]).toEqual([true, true])
})

it('counts blanks that would push the rest out of sight', () => {
  expect(showString(`safe.example.com${' '.repeat(300)}@other.example.net`, 400)).toBe(
    '"safe.example.com\\u{20}×300@other.example.net"',
  )
  expect(showString(`a${'\u3000'.repeat(9)}b`, 400)).toBe('"a\\u{3000}×9b"')
  expect(showString('two  blanks', 400)).toBe('two  blanks')
})
