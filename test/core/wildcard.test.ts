// The matcher of patterns: what it means, and that no pattern takes it long.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { externalAccounts } from '../../src/core/assemble/external-accounts.ts'
import { addressMatcher } from '../../src/core/model/address.ts'
import { wildcardMatcher } from '../../src/core/model/wildcard.ts'
import { kinds } from '../../src/kinds/index.ts'
import { expectQuick } from '../harness/any-speed.ts'

/** The pattern as a regular expression, which may take for ever on long texts. */
function meaning(pattern: string, isAddress: boolean): RegExp {
  const source = pattern.replace(/\*\*|./gsu, (sign) => {
    if (sign === '**') return isAddress ? '[^]*' : '[^]*[^]*'
    if (sign === '*') return isAddress ? '[^/]*' : '[^]*'
    if (sign === '?') return isAddress ? '[^/]' : '[^]'
    return sign.replace(/[.+^${}()|[\]\\/]/, '\\$&')
  })
  return new RegExp(`^${source}${isAddress ? '(?:/[^]*)?' : ''}$`, 'u')
}

const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '**', '?', '.', '漢', '😀'), maxLength: 8 })
const texts = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '漢', '😀', '\n'), maxLength: 10 })

describe('wildcardMatcher', () => {
  it.each([true, false])('means what it says: over addresses %s', (isAddress) => {
    fc.assert(
      fc.property(patterns, fc.array(texts, { maxLength: 8 }), (pattern, each) => {
        const matches = wildcardMatcher(pattern, isAddress)
        const expected = meaning(pattern, isAddress)
        for (const text of each) expect(matches(text), `${pattern} ${text}`).toBe(expected.test(text))
      }),
      { numRuns: 3000 },
    )
  })

  it('takes no longer for many stars over a text that almost matches', () => {
    const almost = `${'a'.repeat(20_000)}!`
    // Each of them takes an engine that goes back longer than anybody waits.
    expect(addressMatcher(`user/${'*a'.repeat(30)}`, kinds)(`user/${almost}`)).toBe(false)
    expect(addressMatcher(`${'**a'.repeat(30)}`, kinds)(almost)).toBe(false)
    expect(externalAccounts(['*a'.repeat(30)], (svcId) => svcId)(almost)).toBe(false)
    expect(externalAccounts([`${'*a'.repeat(30)}!`], (svcId) => svcId)(almost)).toBe(true)
  })

  it('takes no longer for many stars in a row', () => {
    const matches = wildcardMatcher(`group/${'*'.repeat(20_000)}b`, true)
    const text = `group/${'a'.repeat(200)}`
    expectQuick(() => {
      for (let turn = 0; turn < 2_000; turn++) expect(matches(text)).toBe(false)
    })
  })
})
