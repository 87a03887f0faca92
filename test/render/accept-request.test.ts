// The text of a request that accepts drift: who keeps what stands first, also where a forge takes no more than 4,000
// characters.
import { expect, it } from 'vitest'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { formatAcceptedCounts, renderAcceptRequest } from '../../src/render/report/accept-request.ts'
import { planOf } from './plan-fixture.ts'

const held = (index: number, level = 'ReadOnly'): AccessEntry => ({
  ...{ subject: `user-${index}@example.com`, level, address: 'application/main/Purchasing', company: null },
  ...{ kind: 'privilege', via: ['finance@example.com'] },
})
const planWith = (lost: readonly AccessEntry[], gained: readonly AccessEntry[] = []) => ({
  ...planOf([], []),
  access: {
    ...{ mode: 'declared' as const, gained, lost, changed: [], unknown: [], unread: 0 },
    more: { gained: 0, lost: 0, changed: 0, unknown: 0 },
  },
})
const taken = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    address: `group/g${index}@example.com`,
    what: `members +eve${index}`,
  }))
const people = (count: number) => Array.from({ length: count }, (_, index) => held(index))

it('says what the merge keeps, and not what healing would have changed all the same', () => {
  const accepted = {
    before: planWith([held(1), held(2, 'Administrator'), held(3)], [held(4)]),
    after: planWith([held(3)]),
    taken: taken(2),
    refused: [{ address: 'user/x@example.com', what: 'is there', why: "it is no manifest's" }],
    pending: 2,
  }
  expect(formatAcceptedCounts(accepted)).toBe(
    '1 account stays Administrator, 1 account keeps undeclared access, ' +
      '1 account goes without declared access, 2 differences written into the manifests',
  )
  const text = renderAcceptRequest(accepted, { maxLength: 60_000 })
  expect(text).toMatch(/^### ⚠️ Accept the drift of `test`: 1 account stays Administrator, /)
  expect(text).toMatch(
    /#### ⚠️ Accounts that keep undeclared access\n[\s\S]*user-1@[\s\S]*user-2@[\s\S]*#### ⚠️ Accounts that lose/,
  )
  expect(text).not.toContain('user-3@')
  expect(text).toContain("- `user/x@example.com` is there: it is no manifest's")
  expect(text).toContain('Left to the next apply: 2 differences that the manifests brought about.')
})

it.each([60_000, 4000, 1500])('fits into %i characters, with the verdict', (maxLength) => {
  const accepted = { before: planWith(people(300)), after: planWith([]), taken: taken(500), refused: [], pending: 0 }
  const text = renderAcceptRequest(accepted, { maxLength })
  expect(text.length).toBeLessThanOrEqual(maxLength)
  expect(text).toMatch(
    /^### ⚠️ Accept the drift of `test`: 300 accounts keep undeclared access, 500 differences written/,
  )
  expect(text).toContain('300 accounts')
})
