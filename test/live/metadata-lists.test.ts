// A list that cannot be read is known as such, and read once; a platform that cannot be reached ends the run.
import { expect, it } from 'vitest'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { AccessError, PlatformError } from '../../src/errors/index.ts'
import { companyList, createMetadataLists } from '../../src/live/metadata-lists.ts'

const failure = (kind: PlatformError['kind'], status?: number) =>
  ({ kind, status, method: 'GET', path: '/admin/db/1/businessentities' }) as const
const failed = new PlatformError('SVC3030', 'x', failure('status', 500))

it.each([
  ['a fault of svcsync itself', new TypeError('x'), 'ends'],
  ['an answer that was lost', new PlatformError('SVC3030', 'x', failure('lost')), 'ends'],
  ['a token that is refused', new AccessError('SVC3030', 'x', failure('status', 401)), 'ends'],
  ['a list that fails', failed, 'known'],
])('%s is not taken for an empty list', async (_what, error, comes) => {
  let sent = 0
  const port = { send: () => Promise.reject(++sent && error) } as unknown as PlatformPort
  const lists = createMetadataLists()
  const list = companyList(1)
  if (comes === 'ends') await expect(lists.read(port, list)).rejects.toBe(error)
  else for (const _time of [1, 2]) expect(await lists.read(port, list)).toBe(error)
  expect([sent, lists.has(list)]).toEqual([1, comes === 'known'])
})

it('an item without an identity makes no list of the others', async () => {
  const answer = { businessEntities: [{ guid: 'a', name: 'A' }, { description: 'B' }] }
  const port = { send: () => Promise.resolve(answer) } as unknown as PlatformPort
  expect(await createMetadataLists().read(port, companyList(1))).toBeInstanceOf(PlatformError)
})
