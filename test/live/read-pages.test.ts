// Reading pages finds everything once, ends, and asks for little more than there is, on every kind of server.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { PlatformError } from '../../src/errors/index.ts'
import { readPages } from '../../src/live/read-pages.ts'

interface SimulatedServer {
  readonly total: number
  readonly cap: number
  readonly base: 0 | 1
  /** The answer for page 0 of a server that counts from 1. */
  readonly pageZero: 'empty' | 'refused' | 'missing' | 'first'
  readonly beyondEnd: 'empty' | 'refused' | 'missing'
  readonly ignoresPage: boolean
}

const refusal = new PlatformError('SVC3030', 'no such page', {
  kind: 'status',
  method: 'GET',
  path: '/admin/groups',
  status: 400,
  type: 'InvalidQueryParameterValue',
})

const missing = new PlatformError('SVC3031', 'there is no such page', {
  kind: 'status',
  method: 'GET',
  path: '/admin/groups',
  status: 404,
  type: 'ResourceNotFound',
})
const answers = { refused: refusal, missing }

function simulate(server: SimulatedServer): { port: Pick<PlatformPort, 'send'>; asked: number[] } {
  const asked: number[] = []
  const port: Pick<PlatformPort, 'send'> = {
    async send({ query }) {
      const page = Number(query?.page)
      const size = Math.min(Number(query?.size), server.cap)
      asked.push(page)
      let index = page - server.base
      if (server.ignoresPage) index = 0
      if (index < 0) {
        if (server.pageZero === 'empty') return { groups: [] }
        if (server.pageZero !== 'first') throw answers[server.pageZero]
        index = 0
      }
      const from = index * size
      if (from >= server.total && index > 0) {
        if (server.beyondEnd !== 'empty') throw answers[server.beyondEnd]
        return { groups: [] }
      }
      const length = Math.max(0, Math.min(size, server.total - from))
      return { groups: Array.from({ length }, (_, offset) => ({ svcId: `g${from + offset}` })) }
    },
  }
  return { port, asked }
}

const list = {
  path: '/admin/groups',
  key: 'groups',
  size: 10,
  idOf: (item: JsonObject) => String(item.svcId),
  read: (item: JsonObject) => item,
}

const servers: fc.Arbitrary<SimulatedServer> = fc.record({
  total: fc.integer({ min: 0, max: 150 }),
  cap: fc.integer({ min: 1, max: 15 }),
  base: fc.constantFrom(0 as const, 1 as const),
  pageZero: fc.constantFrom('empty' as const, 'refused' as const, 'missing' as const, 'first' as const),
  beyondEnd: fc.constantFrom('empty' as const, 'refused' as const, 'missing' as const),
  ignoresPage: fc.boolean(),
})
/** A 404 for page 0 and nothing on page 1: the list itself may be what is not there. */
const isDoubtful = ({ total, base, pageZero, ignoresPage }: SimulatedServer): boolean =>
  total === 0 && base === 1 && pageZero === 'missing' && !ignoresPage

it('finds everything once with few requests, whatever the server does', async () => {
  await fc.assert(
    fc.asyncProperty(servers, async (server) => {
      fc.pre(!isDoubtful(server))
      const { port, asked } = simulate(server)
      const items = await readPages(port, list)
      const reachable = server.ignoresPage ? Math.min(server.total, server.cap, list.size) : server.total
      expect(items.map((item) => item.svcId)).toEqual(Array.from({ length: reachable }, (_, index) => `g${index}`))
      const pages = Math.ceil(reachable / Math.min(server.cap, list.size))
      expect(asked.length).toBeLessThanOrEqual(pages + 2 + Math.min(3, Math.floor(pages / 4)))
      expect(new Set(asked).size).toBe(asked.length)
    }),
    { numRuns: 400 },
  )
})

it('takes no page for one outside the list that was refused for another reason', async () => {
  const { port } = simulate({
    total: 25,
    cap: 10,
    base: 0,
    pageZero: 'first',
    beyondEnd: 'empty',
    ignoresPage: false,
  })
  for (const [page, type] of [0, 1, 2].flatMap((each) => [
    [each, undefined] as const,
    [each, 'InternalError'] as const,
  ])) {
    const failing: Pick<PlatformPort, 'send'> = {
      async send(request) {
        if (request.query?.page !== page) return port.send(request)
        const asked = { kind: 'status', method: 'GET', path: '/admin/groups', status: 400 } as const
        throw new PlatformError('SVC3030', 'something else', type === undefined ? asked : { ...asked, type })
      },
    }
    await expect(readPages(failing, list)).rejects.toThrow('something else')
  }
})

/** Answers of pages from 0 on: how many items, or the refusal. */
const answering = (...pages: (number | PlatformError)[]): Pick<PlatformPort, 'send'> => ({
  async send({ query }) {
    const page = pages[Number(query?.page)] ?? 0
    if (page instanceof PlatformError) throw page
    return { groups: Array.from({ length: page }, (_, at) => ({ svcId: `g${String(query?.page)}-${at}` })) }
  },
})

it.each([
  ['for the first two pages', [missing, missing]],
  ['for the first page, before one that is empty', [missing, 0]],
  ['between two pages', [10, missing, 10]],
])('takes no 404 %s for the end', async (_where, pages) => {
  await expect(readPages(answering(...pages), { ...list, expected: 30 })).rejects.toBe(missing)
})

it('takes a 404 for an empty list only where the platform answers so', async () => {
  const mayBeMissing = { ...list, mayBeMissing: true }
  expect(await readPages(answering(missing, missing), mayBeMissing)).toEqual([])
  expect(await readPages(answering(missing, 3, missing), mayBeMissing)).toHaveLength(3)
  await expect(readPages(answering(10, missing, 10), { ...mayBeMissing, expected: 30 })).rejects.toBe(missing)
  await expect(readPages(answering(refusal, refusal), mayBeMissing)).rejects.toBe(refusal)
})

it('finds everything with any guess of the total', async () => {
  const guess = fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(servers, guess, async (server, expected) => {
      fc.pre(!isDoubtful({ ...server, ignoresPage: false }))
      const { port } = simulate({ ...server, ignoresPage: false })
      const items = await readPages(port, { ...list, expected })
      expect(items.length).toBe(server.total)
    }),
    { numRuns: 300 },
  )
})

it('asks for all pages at once when told how many there may be', async () => {
  let inFlight = 0
  let most = 0
  const { port, asked } = simulate({
    total: 95,
    cap: 99,
    base: 0,
    pageZero: 'empty',
    beyondEnd: 'empty',
    ignoresPage: false,
  })
  const slow: Pick<PlatformPort, 'send'> = {
    async send(request) {
      inFlight += 1
      most = Math.max(most, inFlight)
      await new Promise((resolve) => setImmediate(resolve))
      inFlight -= 1
      return port.send(request)
    },
  }
  expect(await readPages(slow, { ...list, expected: 95 })).toHaveLength(95)
  // And the one that shows the end.
  expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(most).toBe(11)
})

it('asks an empty installation for few pages, however many objects are declared', async () => {
  for (const beyondEnd of ['empty', 'refused', 'missing'] as const)
    for (const base of [0, 1] as const) {
      const empty = { total: 0, cap: 10, base, pageZero: 'empty', beyondEnd, ignoresPage: false } as const
      const { port, asked } = simulate(empty)
      expect(await readPages(port, { ...list, expected: 10_000 })).toEqual([])
      expect(asked.length).toBeLessThanOrEqual(16)
      for (const [concurrency, pages] of [
        [1, 2],
        [10, 10],
        [99, 16],
      ] as const) {
        asked.length = 0
        expect(await readPages(port, { ...list, expected: 10_000, concurrency })).toEqual([])
        expect(asked).toHaveLength(pages)
      }
    }
})

it('reads on behind a page that shows nothing, as of objects that the application may not see', async () => {
  const port: Pick<PlatformPort, 'send'> = {
    send: async ({ query }) => ({
      groups: query?.page === 1 ? [] : [{ svcId: `g${query?.page}` }].slice(0, 25 - Number(query?.page)),
    }),
  }
  expect(await readPages(port, { ...list, expected: 240 })).toHaveLength(24)
})

it('asks at once for what is missing where pages are shorter than was asked for', async () => {
  const server = { total: 95, cap: 5, base: 0, pageZero: 'empty', beyondEnd: 'empty', ignoresPage: false } as const
  const { port, asked } = simulate(server)
  /** How many pages had been asked for when each answer came. */
  const before = new Set<number>()
  let sent = 0
  const slow: Pick<PlatformPort, 'send'> = {
    async send(request) {
      sent += 1
      await new Promise((resolve) => setImmediate(resolve))
      before.add(sent)
      return port.send(request)
    },
  }
  expect(await readPages(slow, { ...list, expected: 95 })).toHaveLength(95)
  // As many as whole pages would be; then what is left, on pages as short as they are, with what shows the end.
  expect([...before]).toEqual([11, 20])
  expect(asked).toHaveLength(20)
})

it('finds everything on pages of any length: one that is short is not the last', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(lengths, fc.option(fc.nat({ max: 100 }), { nil: undefined }), async (pages, expected) => {
      let total = 0
      const items = pages.map((length) => Array.from({ length }, () => ({ svcId: `g${total++}` })))
      const port: Pick<PlatformPort, 'send'> = {
        send: async ({ query }) => ({ groups: items[Number(query?.page)] ?? [] }),
      }
      expect(await readPages(port, { ...list, expected })).toHaveLength(total)
    }),
  )
})

it.each([1, 200])('ends where pages of %i do not', async (length) => {
  let asked = 0
  const port: Pick<PlatformPort, 'send'> = {
    async send({ query }) {
      asked++
      const page = Number(query?.page)
      return { groups: Array.from({ length }, (_, index) => ({ svcId: page * length + index })) }
    },
  }
  await expect(readPages(port, { ...list, size: 200 })).rejects.toMatchObject({ code: 'SVC3024', kind: 'unreadable' })
  // Ten thousand pages, or half a million items.
  expect(asked).toBeLessThanOrEqual(length === 1 ? 10_004 : 2_510)
})

it('gives no half list: a page that fails fails the whole', async () => {
  const { port } = simulate({
    total: 50,
    cap: 10,
    base: 0,
    pageZero: 'empty',
    beyondEnd: 'empty',
    ignoresPage: false,
  })
  const failing: Pick<PlatformPort, 'send'> = {
    send: async (request) => {
      if (request.query?.page === 2) throw new PlatformError('SVC3036', 'broken', { ...refusal, status: 500 })
      return port.send(request)
    },
  }
  await expect(readPages(failing, list)).rejects.toThrow('broken')
})

it('takes an answer without the list for unreadable, never for empty', async () => {
  const port: Pick<PlatformPort, 'send'> = { send: async () => ({ users: [] }) }
  await expect(readPages(port, list)).rejects.toMatchObject({ code: 'SVC3023', kind: 'unreadable' })
})

it('gives the refusal when no page is accepted', async () => {
  const port: Pick<PlatformPort, 'send'> = { send: async () => Promise.reject(refusal) }
  await expect(readPages(port, list)).rejects.toBe(refusal)
})

it('ends on a server that makes up new items for ever', async () => {
  let next = 0
  const port: Pick<PlatformPort, 'send'> = {
    send: async () => ({ groups: Array.from({ length: 10 }, () => ({ svcId: String(next++) })) }),
  }
  await expect(readPages(port, list)).rejects.toMatchObject({ code: 'SVC3024' })
})

it.each<[string, () => JsonObject]>([
  ['texts', () => ({ name: 'x'.repeat(100_000) })],
  ['lists', () => ({ more: Array.from({ length: 2000 }, () => ({})) })],
  ['keys', () => ({ more: { ['x'.repeat(100_000)]: 1 } })],
])('ends on one whose items are large, before the memory does: %s', async (_, more) => {
  let next = 0
  const item = more()
  const port: Pick<PlatformPort, 'send'> = {
    send: async () => ({ groups: Array.from({ length: 10 }, () => ({ svcId: String(next++), ...item })) }),
  }
  await expect(readPages(port, list)).rejects.toMatchObject({ code: 'SVC3024' })
  expect(next).toBeLessThan(2100)
  expect(next).toBeGreaterThan(1500)
})
