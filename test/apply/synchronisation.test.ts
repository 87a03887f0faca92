// The watcher of what the platform synchronises: whom it looks at, when, by which requests, and what a look proves.
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Synchronisation } from '../../src/apply/synchronisation.ts'
import type { Json } from '../../src/core/model/json.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { user } from '../../src/kinds/user/index.ts'

type Target = Parameters<Synchronisation['wait']>[0]

const fields = { name: null, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null }
const item = (svcId: string, status = 'Synchronized'): Json => ({ svcId, ...fields, status })
const failure = (code: string) =>
  new PlatformError(code, 'no answer', {
    kind: 'status',
    method: 'GET',
    path: '/x',
    status: code === absent ? 404 : 500,
  })
const absent = failureCodes.notFound

/** Time passes in sleeps alone. `answer` undefined: a page that is held until the test answers it. */
function createWorld({ timeoutMs = 10_000, kill = undefined as AbortSignal | undefined } = {}) {
  /** By login: the time at which it is there. */
  const there = new Map<string, number>()
  const world = { nowMs: 0, failing: undefined as PlatformError | undefined, downs: 0, status: 'Synchronized' }
  const asked: string[] = []
  const waiting: number[] = []
  const ended: string[] = []
  const synchronisation = new Synchronisation({
    port: {
      ...{ apiVersion: '6.0', authorise: async () => undefined },
      normalise: (svcId) => svcId.toLowerCase(),
      async send({ query = {} }) {
        const login = String(query.svcId ?? '')
        asked.push(`${Math.round(world.nowMs)} ${login === '' ? `page ${query.page}` : login}`)
        await turn()
        if (world.failing !== undefined) throw world.failing
        const isThere = (each: string) => (there.get(each) ?? Number.POSITIVE_INFINITY) <= world.nowMs
        if (login === '') {
          const skip = Number(query.page) * Number(query.size)
          const users = [...there.keys()].filter(isThere).map((each) => item(each, world.status))
          return { users: users.slice(skip, skip + Number(query.size)) }
        }
        if (!isThere(login)) throw failure(absent)
        return item(login, world.status)
      },
    },
    pageSize: 4,
    timeoutMs,
    kill,
    timer: () => world.nowMs,
    async sleep(delayMs, signal) {
      await turn()
      if (!signal?.aborted) world.nowMs += delayMs
    },
    onWaiting: (count) => waiting.push(count),
    onPlatformDown: () => world.downs++,
  })
  const wait = (svcId: string, more: Partial<Target> = {}): Promise<string> => {
    const at = { name: svcId, self: svcId }
    return synchronisation
      .wait({ kind: user, address: `user/${svcId}`, at, until: 'ready', urgent: true, ...more })
      .then((seen) => {
        const how = typeof seen === 'string' ? seen : `ready ${seen.name}`
        ended.push(`${svcId} ${how}`)
        return how
      })
  }
  return { world, there, asked, waiting, ended, synchronisation, wait }
}

describe('a wait for synchronisation', () => {
  it('looks at few by themselves, at more by the list, and then asks for as many pages as there were', async () => {
    const { world, there, asked, ended, wait, synchronisation } = createWorld()
    synchronisation.hurry(true)
    const all = (...logins: readonly string[]) => {
      for (const each of logins) there.set(each, world.nowMs)
      return Promise.all(logins.map((each) => wait(each)))
    }
    await all('a', 'b')
    await all('c', 'd', 'e')
    await all('F', 'g', 'h', 'i')
    for (const each of 'klmnopqrst') there.set(each, 0)
    await all('u', 'v', 'w')
    await all('x', 'y', 'z')
    const pages = (nowMs: number, count: number) => Array.from({ length: count }, (_, page) => `${nowMs} page ${page}`)
    expect(asked).toEqual(['0 a', '25 b', ...pages(50, 4), ...pages(75, 8), '100 x', '100 y', '100 z'])
    expect(ended).toEqual([...'abcdeFghiuvwxyz'].map((login) => `${login} ready ${login}`))
  })

  it('sees who is gone by the whole list alone', async () => {
    const { there, asked, ended, waiting, wait, synchronisation } = createWorld({ timeoutMs: 100 })
    synchronisation.hurry(true)
    for (const each of 'abcdef') there.set(each, 0)
    there.delete('b')
    await Promise.all(['a', 'b', 'e'].map((each) => wait(each, { until: 'gone' })))
    const looks = ['50 a', '50 e', '75 a', '75 e', '100 a', '100 e']
    expect(asked).toEqual(['0 a', '25 page 0', '25 page 1', '25 page 2', ...looks])
    expect([ended, waiting]).toEqual([
      ['b gone', 'a late', 'e late'],
      [3, 2, 2, 2, 0],
    ])
  })

  it('ends late what no look has shown that began after its time', async () => {
    const { there, asked, ended, wait, synchronisation } = createWorld({ timeoutMs: 1000 })
    synchronisation.hurry(true)
    there.set('a', 980)
    there.set('b', 5000)
    await Promise.all([wait('a'), wait('b')])
    const [rows, looks] = [Math.ceil(asked.length / 2), asked.map((each) => Number.parseInt(each, 10))]
    expect([rows, ...looks.slice(-7)]).toEqual([21, 708, 814, 814, 936, 936, 1000, 1000])
    expect(ended).toEqual(['a ready a', 'b late'])
  })

  it('learns how long it takes, and takes its time while others can go on', async () => {
    const { world, there, asked, wait, synchronisation } = createWorld({ timeoutMs: 60_000 })
    const looksAt = async (login: string, urgent = true): Promise<readonly number[]> => {
      const sinceMs = world.nowMs
      there.set(login, sinceMs + 500)
      await wait(login, { urgent })
      return asked.splice(0).map((each) => Math.round(Number.parseInt(each, 10) - sinceMs))
    }
    expect(await looksAt('a')).toEqual([300, 600])
    expect(await looksAt('b')).toEqual([300, 600])
    expect(await looksAt('c', false)).toEqual([15_000])
    synchronisation.hurry(true)
    expect(await looksAt('d')).toEqual([146, 291, 335, 385, 443, 509])
    expect(await looksAt('e')).toEqual([215, 429, 455, 482, 511])
    synchronisation.hurry(false)
    expect(await looksAt('f')).toEqual([300, 600])
  })
})

describe('a wait for synchronisation', () => {
  it('looks at once when nothing else can go on any more', async () => {
    const { world, there, asked, wait, synchronisation } = createWorld()
    there.set('a', 0)
    const waited = wait('a', { urgent: false })
    synchronisation.hurry(true)
    expect([await waited, asked, world.nowMs]).toEqual(['ready a', ['0 a'], 0])
  })

  it('takes for ready what is there, can be read and is synchronised', async () => {
    const { world, there, ended, synchronisation, wait } = createWorld({ timeoutMs: 100 })
    synchronisation.hurry(true)
    for (const each of 'abcde') there.set(each, 0)
    world.status = 'Pending'
    await Promise.all([wait('a'), wait('b', { until: 'gone' })])
    await Promise.all(['c', 'd', 'e'].map((each) => wait(each)))
    expect(ended).toEqual([...'abcde'].map((login) => `${login} late`))
  })

  it('does not wait any more once the run is over', async () => {
    const kill = new AbortController()
    const killed = createWorld({ kill: kill.signal })
    const waits = [killed.wait('a'), killed.wait('b')]
    kill.abort()
    expect(await Promise.all([...waits, killed.wait('c')])).toEqual(['late', 'late', 'late'])
    const { asked, synchronisation, wait } = createWorld()
    synchronisation.giveUp()
    expect([await wait('a'), asked]).toEqual(['late', []])
  })

  it('says why the last look failed, until one does not', async () => {
    const { world, there, synchronisation, wait } = createWorld({ timeoutMs: 1000 })
    synchronisation.hurry(true)
    world.failing = failure(failureCodes.serverFailed)
    const said = `${failureCodes.serverFailed} no answer`
    expect([await wait('a'), synchronisation.troubleAt('user/a'), world.downs]).toEqual(['late', said, 0])
    await Promise.all(['b', 'c', 'd'].map((each) => wait(each)))
    expect(synchronisation.troubleAt('user/c')).toBe(said)
    world.failing = failure(failureCodes.platformDown)
    await wait('a')
    expect(world.downs).toBeGreaterThan(0)
    world.failing = undefined
    await wait('a')
    for (const each of 'bcd') there.set(each, 0)
    await Promise.all(['b', 'c', 'd'].map((each) => wait(each)))
    expect(['a', 'b', 'c'].map((each) => synchronisation.troubleAt(`user/${each}`))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

it('an old page ends no wait that began after it was asked for', async () => {
  const { there, asked, ended, synchronisation, wait } = createWorld()
  for (const login of 'abcd') there.set(login, 0)
  const waits = ['x', 'A', 'b', 'c'].map((login) => wait(login))
  synchronisation.hurry(true)
  while (asked.length < 3) await turn()
  // Written while the pages are on their way: they may show it as it was before.
  const late = wait('d')
  await Promise.all(waits.slice(1))
  expect(ended).toEqual(['A ready a', 'b ready b', 'c ready c'])
  expect(await late).toBe('ready d')
  synchronisation.giveUp()
})
