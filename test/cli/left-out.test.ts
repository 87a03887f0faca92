// Parts that an export leaves out are counted by kind.
import { expect, it } from 'vitest'
import { countLeftOut } from '../../src/cli/commands/project/export.ts'
import type { UnreadPart } from '../../src/core/model/live-tree.ts'

it.each([
  [[{}], '1 object'],
  [[{ field: 'managerSvcId' }], '1 field'],
  [[{ field: 'jobTitle' }, {}, { isList: true }, { field: 'phoneNumber' }], '1 object, 1 list and 2 fields'],
])('%j are %s', (leftOut, said) => {
  expect(countLeftOut(leftOut as unknown as UnreadPart[])).toBe(said)
})
