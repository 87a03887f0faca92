// Suggestions for an unknown svcId, and for a glob that selects nothing.
import { expect, it } from 'vitest'
import { globSuggestion, nearAccounts } from '../../src/core/model/near-misses.ts'
import { kinds } from '../../src/kinds/index.ts'

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

const addresses = [
  'group/clerks@example.com',
  'process/main/Purchasing/Invoice approval',
  'process/main/Sales/Orders',
  'user/anna.nowak@example.com',
  'user/jan@example.com',
]

it.each([
  ['gruop/*', '`group/*`'],
  ['users/*', '`user/*`'],
  ['group/celrks@example.com', '`group/clerks@example.com`'],
  ['jan@example.com', '`user/jan@example.com`'],
  ['process/main/Purchsing/**', '`process/main/Purchasing/**`'],
  ['process/main/Purchasing/Invoice aproval', '`process/main/Purchasing/Invoice approval`'],
  ['user/a*@exmaple.com', undefined],
  ['user/iza@example.com', undefined],
  ['**/Nothing', undefined],
])('a glob: %s', (glob, near) => {
  expect(globSuggestion(glob, addresses, kinds)).toBe(near && `Did you mean ${near}?`)
})
