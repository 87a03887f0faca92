// Globs over addresses.
import { describe, expect, it } from 'vitest'
import { asWrittenDirectory } from '../../src/core/assemble/as-written-directory.ts'
import { addressMatcher, objectAddress, spokenNames } from '../../src/core/model/address.ts'
import { isFound } from '../../src/core/model/directory.ts'
import { kinds } from '../../src/kinds/index.ts'

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
  expect(addressMatcher(glob, kinds)(address)).toBe(matches)
})

const kindOf = new Map(kinds.map((kind) => [kind.name, kind]))

it.each([
  ['group', {}, 'group/a/b'],
  ['constant', { database: 'main' }, 'constant/main/a\\/b'],
  ['process', { database: 'main', parent: { address: 'application/main/x\\/y' } }, 'process/main/x\\/y/a\\/b'],
  ['process-constant', { parent: { address: 'process/main/x/y' } }, 'process/main/x/y/constant/a\\/b'],
])('of a %s called a/b', (kind, within, address) => {
  const known = kindOf.get(kind)
  expect(known && objectAddress(known, 'a/b', within)).toBe(address)
})

it('is as the platform would have it where nobody has looked, with slashes in the name of the application', () => {
  const directory = asWrittenDirectory({ main: 1 }, kinds)
  const application = directory.find('application', 'x/y', undefined, { dbId: 1 })
  if (!isFound(application)) throw new TypeError('It is believed')
  expect(directory.find('process', 'a/b', application, application.at)).toMatchObject({
    address: 'process/main/x\\/y/a\\/b',
  })
  // The application is not given.
  expect(directory.find('process', 'a/b', undefined, { dbId: 1 })).toMatchObject({ address: 'process/main/*/a\\/b' })
})

describe('a spoken name', () => {
  it.each([
    ['application/main/Purchasing', 'application Purchasing'],
    ['process/main/Purchasing/Invoice approval', 'process Invoice approval'],
    ['process/main/Purchasing/In\\/Out', 'process In/Out'],
    ['application/main/Purchasing/constant/Limit', 'constant Limit of Purchasing'],
    ['process/main/Purchasing/Orders/constant/Limit', 'constant Limit of Orders'],
    ['process/main/Purchasing/Orders/workflow/Main/form-type/Invoice', 'form-type Invoice of Orders'],
    ['group/a/b', 'group/a/b'],
  ])('of %s is `%s`', (address, expected) => {
    expect(spokenNames(address.startsWith('group/') ? [] : [address])(address)).toBe(expected)
  })

  it('is the address where two objects have the same', () => {
    const [here, there, other] = ['process/main/A/Orders', 'process/main/B/Orders', 'process/main/B/Invoices'] as const
    const nameOf = spokenNames([here, there, other])
    expect([here, there, other].map(nameOf)).toEqual([here, there, 'process Invoices'])
  })
})
