// The order of requests if there are more than slots.
import { describe, expect, it } from 'vitest'
import { createLimiter } from '../../src/platform/retry-loop.ts'

function recorded(limit: number) {
  const limiter = createLimiter(limit)
  const order: string[] = []
  const count = { running: 0, most: 0 }
  const run = (name: string, turn: Parameters<typeof limiter.run>[1], fails = false): Promise<void> =>
    limiter.run(async () => {
      count.running += 1
      count.most = Math.max(count.most, count.running)
      order.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      count.running -= 1
      if (fails) throw new TypeError('x')
    }, turn)
  return { run, order, count }
}

describe('the limiter', () => {
  it('keeps its limit and survives failures; repetitions go first, then reads, each in their order', async () => {
    const { run, order, count } = recorded(2)
    await Promise.allSettled([
      run('a', 'write', true),
      run('b', 'write'),
      run('c', 'write'),
      run('read', 'read'),
      run('d', 'write'),
      run('read too', 'read'),
      run('again', 'repeat'),
    ])
    await run('later', 'write')
    expect(order).toEqual(['a', 'b', 'again', 'read', 'read too', 'c', 'd', 'later'])
    expect(count.most).toBe(2)
  })

  it('lets a write through however many reads wait: who polls does not keep it out', async () => {
    const { run, order } = recorded(1)
    let ended = false
    const poll = async (name: string): Promise<void> => {
      while (!ended && order.length < 1000) await run(name, 'read')
    }
    const polls = ['p', 'q', 'r', 's', 't'].map(poll)
    for (const name of ['a', 'b', 'c']) await run(name, 'write')
    ended = true
    await Promise.all(polls)
    expect(order.indexOf('c')).toBeLessThan(20)
  })
})
