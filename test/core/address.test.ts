// Globs over addresses.
import { expect, it } from 'vitest'
import { addressMatcher } from '../../src/core/model/address.ts'

// They bring the words and the addresses that they speak of.
import '../../src/kinds/index.ts'

it.each([
  ['group/Dział Ślusarski/ÄÖ', 'group/dział ślusarski/äö', true],
  ['group/Dział Ślusarski', 'group/Dział Ślusarski/ÄÖ', false],
  ['group/*', 'group/Dział Ślusarski/ÄÖ', true],
  ['group/Dział*', 'group/Dział Ślusarski/ÄÖ', true],
  ['group/?/b', 'group/a/b', true],
  ['group/a?b', 'group/a/b', true],
  ['group', 'group/a/b', true],
  ['*/a', 'group/a', true],
  ['*', 'group/a/b', true],
  ['**/b', 'group/a/b', true],
  ['process/main/P', 'process/main/P/Approval', true],
  ['process/main/*', 'process/main/P/Approval', true],
  ['process/*/Approval', 'process/main/P/Approval', false],
  ['constant/main/a\\/b', 'constant/main/a\\/b', true],
  ['constant/main/a', 'constant/main/a\\/b', false],
])('%s and %s', (glob, address, matches) => {
  expect(addressMatcher(glob)(address)).toBe(matches)
})
