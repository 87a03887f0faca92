// However a server quotes a secret, nothing of it is shown.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHiding, createScrub } from '../../src/platform/scrub.ts'

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

it('leaves no part of a secret that stands where a long text is cut', () => {
  fc.assert(
    fc.property(planted, fc.constantFrom(...Object.values(quotings)), fc.nat({ max: 120 }), (value, quote, before) => {
      const scrub = createScrub(
        () => [value],
        () => [],
      )
      const text = `begin${' '.repeat(20_000 - 5 - before)}${quote(value)}${' behind'.repeat(20)}`
      expect(scrub(text)).toMatch(/^begin/)
      expect(scrub(text)).not.toMatch(/[PS]/)
    }),
    { numRuns: 200 },
  )
})

it('adds nothing to a long text that ends with no secret where it is cut', () => {
  const scrub = createScrub(
    () => ['secret'],
    () => [],
  )
  expect(scrub(`begin${' '.repeat(20_000)}`)).toBe('begin…')
})

it('takes time in proportion to the text, and of a huge one only for the beginning', () => {
  const secrets = ['\\'.repeat(40), `%${'25'.repeat(40)}`, '&amp;'.repeat(40), 'x\\u005c%5C&#92;y z', 'a'.repeat(5000)]
  const scrub = createScrub(
    () => secrets,
    () => [],
  )
  const pieces = ['\\', '%25', '25', '&amp;', 'amp;', '&#0', '0', ' ', '+', 'a', '%2', '\\u005', 'x\\u005c%5C&#92;y']
  for (const piece of pieces) {
    const least = (length: number): number => {
      const text = `%&#${piece.repeat(length)}`.slice(0, length)
      return Math.min(...Array.from({ length: 5 }, () => timeOf(() => scrub(text))))
    }
    // In squares it would be 16 times and 160,000 times as long: on each try, however busy the machine is.
    const isInProportion = (): boolean => {
      const shortMs = Math.max(least(5000), 0.3)
      return least(20_000) / shortMs < 12 && least(2_000_000) / shortMs < 40
    }
    expect(Array.from({ length: 20 }).some(isInProportion), piece).toBe(true)
  }
})

/** Milliseconds of the processor: others may have it in between. */
function timeOf(work: () => void): number {
  const begin = process.cpuUsage()
  work()
  return process.cpuUsage(begin).user / 1000
}

it('is shortened only where it is longer than what is shown', () => {
  const scrub = createScrub(
    () => [],
    () => [],
  )
  const whole = [...Array(2000).keys()].map((length) => 'x'.repeat(length)).filter((text) => scrub(text) === text)
  const longest = whole.length
  expect(scrub('x'.repeat(longest))).toBe(`${'x'.repeat(longest - 1)}…`)
  expect(longest).toBeGreaterThan(100)
})

it('has no credential in a text that comes in pieces, wherever it is taken apart, and is whole otherwise', () => {
  const text = 'a token-1 b secret-value c secret-valuX d\nsecret-val'
  const clean = 'a [secret] b [secret] c secret-valuX d\nsecret-val'
  for (let size = 1; size <= text.length; size++) {
    let told = ''
    const hiding = createHiding(
      () => ['secret-value', 'token-1', ' '],
      (piece) => {
        told += piece
      },
    )
    for (let at = 0; at < text.length; at += size) hiding.more(text.slice(at, at + size))
    hiding.end()
    expect(told).toBe(clean)
  }
})

it('shows no password in an address that nobody knows', () => {
  const scrub = createScrub(
    () => [],
    () => [],
  )
  expect(scrub('Cannot reach jdbc:sqlserver://db1;user=erp;password=hidden; or https://erp:hidden@db1/')).toBe(
    'Cannot reach jdbc:sqlserver://db1;user=erp;password=***; or https://erp:***@db1/',
  )
})
