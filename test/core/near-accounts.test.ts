// Which accounts are near a svcId that nobody knows.
import { expect, it } from 'vitest'
import { nearAccounts } from '../../src/core/model/near-misses.ts'

const accounts = [
  'anna.nowak@example.com',
  'jan@example.com',
  'ewa@example.com',
  'jan@corp.example.com',
  'CORP\\clerks',
]

it.each([
  ['ana.nowak@example.com', ['anna.nowak@example.com']],
  ['Anna.Nowka@example.com', ['anna.nowak@example.com']],
  ['anna.nowak@exmaple.com', ['anna.nowak@example.com']],
  // A name of three letters is near no other one of three letters.
  ['iza@example.com', []],
  ['jan@other.org', []],
  ['CORP\\clekrs', ['CORP\\clerks']],
  // The part before the domain, where one account has it.
  ['Anna.Nowak', ['anna.nowak@example.com']],
  ['ewa', ['ewa@example.com']],
  ['jan', []],
  ['', []],
  ['@', []],
])('%s', (svcId, near) => {
  expect(nearAccounts(svcId, accounts)).toEqual(near)
})
