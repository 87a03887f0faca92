// The memory that answers may fill: looked at as they come, and refused before the engine ends the process.
import type { getHeapStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { createMemoryBudget, refuseOverfull } from '../../src/platform/memory-budget.ts'
import { failureOf } from './platform-fixture.ts'

const mb = 1024 * 1024
const young = Number.parseInt(process.versions.node, 10) >= 24 ? 192 : 48
/** Of a heap of which 1000 MB are for what stays. */
const statistics = (usedMb: number, wholeMb = 1000 + young) =>
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
  const report = () => refuseOverfull('The list', 'Take less', share, statistics(used))
  if (expected === undefined) expect(report).not.toThrow()
  else expect(report).toThrow(`The list does not fit into the ${expected} of memory that Node may use`)
})

it('leaves a third of a small heap, of which what is young would take all', () => {
  expect(() => refuseOverfull('It', 'Take less', 1, statistics(20, 60))).toThrow('into the 20 MB')
  expect(() => refuseOverfull('It', 'Take less', 1, statistics(19, 60))).not.toThrow()
})
