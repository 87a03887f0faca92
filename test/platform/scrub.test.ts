// However a server quotes a secret, nothing of it is shown.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScrub } from '../../src/platform/scrub.ts'

const quotings: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'in an address': encodeURIComponent,
  'in an address, in small letters': (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  'in a form': (value) => new URLSearchParams({ x: value }).toString().slice(2),
  'in JSON': (value) => JSON.stringify({ x: value }),
  'in JSON for web pages': (value) =>
    JSON.stringify(value).replace(
      /\\"|["&'+<>]|[^ -~]/g,
      (char) => `\\u${(char === '\\"' ? 34 : char.charCodeAt(0)).toString(16).padStart(4, '0').toUpperCase()}`,
    ),
  'in JSON in JSON': (value) => JSON.stringify(JSON.stringify({ x: value })),
  'in a form in an address': (value) => encodeURIComponent(new URLSearchParams({ x: value }).toString().slice(2)),
  'in a web page': (value) =>
    value.replace(
      /[&<>"']/g,
      (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char] as string,
    ),
}

// Between signs that are written in many ways, letters that stand for the secret.
const signs = fc.string({ unit: fc.constantFrom(...'!\'()*~+ &<>"/\\%ü漢$^`=;:'), maxLength: 6 })
const planted = fc.tuple(signs, signs, signs).map(([a, b, c]) => `${a}PLANT${b}SECRET${c}`)

it.each(Object.keys(quotings))('%s', (how) => {
  const quote = quotings[how] as (value: string) => string
  fc.assert(
    fc.property(planted, planted, (credential, value) => {
      const scrub = createScrub(
        () => [credential],
        () => [{ value, shown: '${env:VALUE}' }],
      )
      const text = scrub(`before ${quote(credential)} between ${quote(value)} behind`)
      expect(text).not.toMatch(/PLANT|SECRET/)
      expect(text).toMatch(/^before .*between .*behind$/)
    }),
    { numRuns: 200 },
  )
})

it('takes no longer for rows of signs', () => {
  const value = `PLANT${'\\'.repeat(200)}${' +&'.repeat(50)}x`
  const scrub = createScrub(
    () => [value],
    () => [],
  )
  expect(scrub(value.slice(0, -1).repeat(20))).toContain('PLANT')
  expect(scrub(JSON.stringify(JSON.stringify(value)))).not.toContain('PLANT')
})
