// The memory that answers may fill: looked at as they come, and refused before the engine ends the process.
import type { getHeapStatistics } from 'node:v8'
import { expect, it, vi } from 'vitest'
import {
  createMemoryBudget,
  createRoomCheck,
  oldSpaceIn,
  refuseOverfull,
  requireRoom,
} from '../../src/platform/memory-budget.ts'
import { failureOf } from './platform-fixture.ts'

const mb = 1024 * 1024
/** Of a heap of which 1000 MB are for what stays. */
const statistics = (usedMb: number, wholeMb = 1000 / 0.9) =>
  (() => ({ used_heap_size: usedMb * mb, heap_size_limit: wholeMb * mb })) as unknown as typeof getHeapStatistics
const asked = { method: 'GET', path: '/x' }

it('lets requests leave until three quarters are in use', async () => {
  let received = 2 * mb
  let used = 749
  let looks = 0
  const memory = createMemoryBudget(
    () => received,
    () => {
      looks++
      return statistics(used)()
    },
  )
  memory.admit(asked)
  used = 750
  received += 2 * mb - 1
  memory.admit(asked)
  expect(looks).toBe(1)
  received += 1
  const error = await failureOf((async () => memory.admit(asked))())
  const message = expect.stringContaining('GET /x was not sent: the answers of the platform filled the 1000 MB')
  expect(error).toMatchObject({ ...asked, kind: 'unreachable', message, hint: expect.stringContaining('--only') })
  used = 0
  memory.admit(asked)
  memory.admit(asked)
  expect(looks).toBe(3)
})

it('reads what fits twenty times, and any small answer', () => {
  const memory = createMemoryBudget(() => 0, statistics(900))
  expect([mb - 1, mb, 5 * mb - 1, 5 * mb].map(memory.holds)).toEqual([true, true, true, false])
  const full = createMemoryBudget(() => 0, statistics(2000))
  expect([mb - 1, mb].map(full.holds)).toEqual([true, false])
  expect(full.overfull(asked)).toMatchObject({
    ...asked,
    kind: 'unreadable',
    message: expect.stringMatching(/^The answer to GET \/x was /),
  })
})

it.each([
  [749, undefined, undefined],
  [750, undefined, '1000 MB'],
  [499, 0.5, undefined],
  [500, 0.5, '1000 MB'],
])('a report with %i MB in use, of a share of %s, is refused: %s', (used, share, expected) => {
  const report = () => refuseOverfull('The list', 'Take less', share, statistics(used), () => undefined)
  if (expected === undefined) expect(report).not.toThrow()
  else expect(report).toThrow(`The list does not fit into the ${expected} of memory that Node may use`)
})

it('collects garbage before it refuses, and again once a tenth of the memory was added', () => {
  let [used, left, collections] = [0, 0, 0]
  const collect = () => {
    collections++
    used = left
  }
  const look = (inUse: number, leftThen: number) => {
    ;[used, left] = [inUse, leftThen]
    refuseOverfull('The list', 'Take less', 0.75, () => statistics(used)(), collect)
    return collections
  }
  expect(look(749, 0)).toBe(0)
  expect([look(900, 700), look(799, 0), look(800, 749)]).toEqual([1, 1, 2])
  expect(() => look(850, 750)).toThrow('The list does not fit into the 1000 MB')
  // What was refused is refused again.
  expect(() => look(751, 750)).toThrow('does not fit')
  expect([look(751, 10), look(749, 0)]).toEqual([5, 5])
})

it('leaves the memory to the host of a library, which has no collector', () => {
  vi.stubGlobal('gc', undefined)
  try {
    expect(() => refuseOverfull('The list', 'Take less', 0.5, statistics(900))).not.toThrow()
  } finally {
    vi.unstubAllGlobals()
  }
})

it('looks at the first of many things, and then at each five hundredth', () => {
  let looks = 0
  const check = createRoomCheck('The list', 'Take less', 0.75, () => {
    looks++
    return statistics(0)()
  })
  for (let made = 0; made < 1001; made++) check()
  expect(looks).toBe(3)
})

// As Node 20, 24 and 26 tell them, the last of a machine with 1 GB.
it.each([
  [98, '--max-old-space-size=50', 50],
  [242, '--max-old-space-size=50', 50],
  [146, '--max_old_space_size=20 --trace-warnings --max-old-space-size=50', 50],
  [434, '--max-semi-space-size=128 --max-old-space-size=50', 50],
  [200, '--max-heap-size=200 --max-old-space-size=300', 200],
  [4288, '--max-old-space-size=0', 4096],
  [4288, '', 4096],
  [560, '--title=x', 504],
])('of a heap of %i MB with `%s`, %i MB are for what stays', (whole, flags, expected) => {
  expect(oldSpaceIn(whole * mb, flags) / mb).toBe(expected)
})

it('refuses a heap that is too small for any plan', () => {
  expect(() => requireRoom(48 * mb)).not.toThrow()
  expect(() => requireRoom(48 * mb - 1)).toThrow('svcsync needs 48 MB of memory or more, and Node may use 47 MB')
  expect(() => requireRoom(20 * mb)).toThrow('Node may use 20 MB')
  expect(() => requireRoom()).not.toThrow()
})
