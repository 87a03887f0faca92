// A list that cannot be read is known as such, and read once; a platform that cannot be reached ends the run.
import { expect, it } from 'vitest'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { AccessError, PlatformError } from '../../src/errors/index.ts'
import { companyList, companyRef, MetadataLists, matching } from '../../src/live/metadata-lists.ts'

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
  const lists = new MetadataLists()
  const list = companyList(1)
  if (comes === 'ends') await expect(lists.read(port, list)).rejects.toBe(error)
  else for (const _time of [1, 2]) expect(await lists.read(port, list)).toBe(error)
  expect([sent, lists.has(list)]).toEqual([1, comes === 'known'])
})

it('an item without an identity makes no list of the others', async () => {
  const answer = { businessEntities: [{ guid: 'a', name: 'A' }, { description: 'B' }] }
  const port = { send: () => Promise.resolve(answer) } as unknown as PlatformPort
  expect(await new MetadataLists().read(port, companyList(1))).toMatchObject({
    message: expect.stringMatching(/^Item 2 of businessEntities .* does not say which object it is: ./),
  })
})

it('a list tells each item once, and a name or a code leads to it however often it has it', async () => {
  const item = { guid: 'A', name: 'PL', code: 'PL', id: 1 }
  const answer = {
    businessEntities: [
      item,
      item,
      { ...item, guid: 'B', name: 'X', id: 2 },
      { guid: 'C', name: 'Y', id: 3, permissions: [] },
    ],
  }
  const port = { send: () => Promise.resolve(answer) } as unknown as PlatformPort
  const list = await new MetadataLists().read(port, companyList(1))
  expect(list).toMatchObject([{ guid: 'A' }, { guid: 'B' }, { guid: 'C', permissions: [] }])
  const found = (ref: string) => matching(list as never, ref).map(({ guid }) => guid)
  expect([found('PL'), found('X'), found('b'), found('3'), found('Z')]).toEqual([['A', 'B'], ['B'], ['B'], ['C'], []])
  expect((list as Parameters<typeof companyRef>[0][]).map(companyRef)).toEqual([
    { guid: 'A', name: 'PL', id: 1 },
    { guid: 'B', name: 'PL', id: 2 },
    { guid: 'C', name: 'Y', id: 3 },
  ])
})

it('lists are read in rounds, each list once, with the scopes that some of them need', async () => {
  const [sent, asked]: [string[], number[]] = [[], []]
  const port = {
    authorise: (needs: readonly unknown[]) => Promise.resolve(void asked.push(needs.length)),
    send({ path, query }: { readonly path: string; readonly query?: object }) {
      sent.push(`${path}${JSON.stringify(query) ?? ''}`)
      return Promise.resolve({ businessEntities: [], items: [] })
    },
  } as unknown as PlatformPort
  const lists = new MetadataLists()
  const plain = (page?: number) => ({
    request: { method: 'GET', path: '/x', ...(page !== undefined && { query: { page } }) } as const,
    key: 'items',
  })
  expect(await lists.readWanted(port)).toBe(false)
  for (const list of [companyList(1), companyList(1), plain(), plain(1), plain(2)])
    expect(lists.get(list)).toBeUndefined()
  expect(await lists.readWanted(port)).toBe(true)
  expect(await lists.readWanted(port)).toBe(false)
  expect([sent.sort(), asked]).toEqual([['/admin/db/1/businessentities', '/x', '/x{"page":1}', '/x{"page":2}'], [1]])
  expect(lists.get(plain(2))).toEqual([])
  lists.get(plain(3))
  expect(await lists.readWanted(port)).toBe(true)
  expect(asked).toEqual([1])
})

it('a list tells which keys of its items are in no documentation', async () => {
  const told: string[] = []
  const known = { code: 'A', taxId: '', address: null, permissions: [], logo: null, description: '', groupId: 1 }
  const answer = { businessEntities: [{ guid: 'a', name: 'A', id: 1, ...known, strange: 1 }] }
  const port = { send: () => Promise.resolve(answer), onUnknownKey: (key: string) => told.push(key) }
  await new MetadataLists().read(port as unknown as PlatformPort, companyList(1))
  expect(told).toEqual(['`strange` of businessEntities'])
})
