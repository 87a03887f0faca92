// The lease of a target, by a clock of its own: one of two gets it, it is renewed, runs out, is taken over and lost.
import { spawnSync } from 'node:child_process'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  awaitLease,
  type LeaseSettings,
  observeLease,
  ownProcess,
  readLeaseNow,
  takeLease,
} from '../../src/ledger/lease.ts'
import { ledgerRefs, readEntry, writeLease } from '../../src/ledger/ledger-commit.ts'
import { moveTogether, openRemote } from '../../src/ledger/remote.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let remote: GitRemote
let workspace: Workspace
let nowMs: number
const wake: (() => void)[] = []
/** Lets everybody who sleeps go on, that much later. */
const pass = (ms: number): void => {
  nowMs += ms
  for (const each of wake.splice(0)) each()
}
const settings = (dir: string, holder: string): LeaseSettings => ({
  remote: openRemote(join(dir, 'svcsync.yaml'), 'origin'),
  target: 'prod',
  self: { holder, where: 'here' },
  clock: () => nowMs,
  sleep: (_delayMs, signal) =>
    new Promise((resolve) => {
      wake.push(resolve)
      if (signal?.aborted) resolve()
      signal?.addEventListener('abort', () => resolve())
    }),
})

beforeAll(async () => {
  workspace = await openWorkspace()
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  commitAll(workspace.dir, 'First')
  git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:main')
  a = settings(remote.clone('a', '--branch', 'main'), 'anna')
  b = settings(remote.clone('b', '--branch', 'main'), 'ben')
})
afterAll(async () => {
  remote.close()
  await workspace.close()
})
let a: LeaseSettings
let b: LeaseSettings
beforeEach(() => {
  wake.splice(0)
  nowMs = Date.parse('2026-11-22T12:00:00Z')
  git(remote.path, 'update-ref', '-d', ledgerRefs('prod').lease)
})
const wait = (seen: Awaited<ReturnType<typeof readLeaseNow>>, who: LeaseSettings, timeoutMs = 0) => {
  const told: string[] = []
  return { told, done: awaitLease(seen, who, { timeoutMs, onWait: ({ holder }) => told.push(holder) }) }
}

describe('the lease', () => {
  it('is had by one of two that saw it free', async () => {
    const [seenByA, seenByB] = [await readLeaseNow(a), await readLeaseNow(b)]
    const held = await takeLease(seenByA, a)
    await expect(takeLease(seenByB, b)).rejects.toMatchObject({
      code: 'SVC2235',
      message: expect.stringContaining('anna (here)'),
    })
    expect(await held.giveBack()).toEqual([])
    // It was given back, and has been somebody's in between all the same: what was planned before is out of date.
    await expect(takeLease(seenByB, b)).rejects.toMatchObject({ code: 'SVC2235' })
    const again = await takeLease(await readLeaseNow(b), b)
    expect(await again.giveBack()).toEqual([])
  })

  it('is waited for, and the holder named once', async () => {
    const held = await takeLease(await readLeaseNow(a), a)
    const waiting = wait(await readLeaseNow(b), b, 600_000)
    await expect.poll(() => wake.length).toBe(2)
    expect(waiting.told).toEqual(['anna'])
    await held.giveBack()
    pass(5_000)
    expect((await waiting.done).state).toBe('free')
    expect(waiting.told).toEqual(['anna'])
  })

  it('that is held is refused where nobody waits, or not long enough', async () => {
    const held = await takeLease(await readLeaseNow(a), a)
    const refused = (end: string) => ({
      code: 'SVC2234',
      message: expect.stringMatching(`holds its lease since 2026-11-22T12:00:00.000Z${end}$`),
      options: expect.stringMatching(/^--allow lease=[0-9a-f]{8}$/),
    })
    await expect(wait(await readLeaseNow(b), b).done).rejects.toMatchObject(refused(''))
    const waiting = wait(await readLeaseNow(b), b, 10_000).done
    await expect.poll(() => wake.length).toBe(2)
    pass(10_000)
    await expect(waiting).rejects.toMatchObject(refused(', and did not release it in time'))
    expect(await held.giveBack()).toEqual([])
  })

  it('may be taken where it is allowed by its name, and no later one of the same holder', async () => {
    const allowing = async (allowed: readonly string[]) =>
      awaitLease(await readLeaseNow(b), b, { timeoutMs: 0, onWait: () => undefined, allowed })
    const nameOf = async () => {
      const refused: unknown = await allowing([]).catch((error: unknown) => error)
      return String((refused as { options?: string }).options).replace('--allow lease=', '')
    }
    const first = await takeLease(await readLeaseNow(a), a)
    const name = await nameOf()
    expect((await allowing([name])).state).toBe('held')
    await first.giveBack()
    nowMs += 1000
    const second = await takeLease(await readLeaseNow(a), a)
    await expect(allowing([name])).rejects.toMatchObject({ code: 'SVC2234' })
    expect((await allowing([await nameOf()])).state).toBe('held')
    await second.giveBack()
  })
})

describe('the lease', () => {
  it('is renewed while it is held, and runs out where nobody does', async () => {
    const held = await takeLease(await readLeaseNow(a), a)
    const first = (await readLeaseNow(b)).lease?.until as string
    pass(60_000)
    await expect
      .poll(async () => Date.parse((await readLeaseNow(b)).lease?.until as string))
      .toBe(Date.parse(first) + 60_000)
    await expect.poll(() => wake.length).toBe(1)
    pass(4.5 * 60_000)
    const last = Date.parse(first) + 5.5 * 60_000
    await expect.poll(async () => Date.parse((await readLeaseNow(b)).lease?.until as string)).toBe(last)
    // As if it was killed: no time passes for it any more.
    nowMs += 5 * 60_000 + 30_000
    expect((await readLeaseNow(b)).state).toBe('held')
    nowMs += 60_000
    const seen = await readLeaseNow(b)
    expect(seen.state).toBe('expired')
    const taken = await takeLease(seen, b)
    expect(held.lost.aborted).toBe(false)
    nowMs = last
    // The renewal may not have ended yet: what sleeps only then is woken, too.
    await expect
      .poll(() => {
        pass(0)
        return held.lost.aborted
      })
      .toBe(true)
    expect(await held.giveBack()).toEqual([
      'The lease of `prod` expired before svcsync could renew it: another apply may hold it.',
      'The lease of `prod` was taken over while the apply ran.',
    ])
    expect(await taken.giveBack()).toEqual([])
  })

  it('that somebody was allowed to take is lost, which its holder hears when it renews it', async () => {
    const held = await takeLease(await readLeaseNow(a), a)
    const taken = await takeLease(await readLeaseNow(b), b)
    await expect
      .poll(() => {
        pass(10_000)
        return held.lost.aborted
      })
      .toBe(true)
    expect(await held.giving()).toBeUndefined()
    expect((await held.giveBack()).join()).toContain('The lease of `prod` was lost: ben (here) holds its lease')
    expect(await taken.giveBack()).toEqual([])
  })

  it.runIf(process.platform === 'linux')('of a process of this machine that has ended holds nobody up', async () => {
    const [place = ''] = (ownProcess() ?? '').split(':')
    const { pid: ended } = spawnSync(process.execPath, ['--version'])
    const states = [
      `${place}:${ended}`,
      `${place}:${process.pid}`,
      `0${place}:${ended}`,
      `${place}:1 2`,
      undefined,
    ].map((each) => {
      const lease = {
        holder: 'anna',
        where: 'here',
        since: '2026-11-22T12:00:00.000Z',
        until: '2026-11-22T12:05:00.000Z',
        begun: [],
        after: undefined,
      }
      return observeLease(
        readEntry(a.remote.dir, writeLease(a.remote.dir, { ...lease, process: each }, 'prod', nowMs) ?? ''),
        'prod',
        nowMs,
      ).state
    })
    expect(states).toEqual(['dead', 'held', 'held', 'held', 'held'])
  })
})

describe('the lease', () => {
  it('given back by whoever began nothing remembers what was begun before, and no more', async () => {
    const begun = [1, 2].map((day) => ({ commit: null, at: `2026-01-0${day}T00:00:00.000Z`, only: [] }))
    const [before, own] = [
      { begun: begun.slice(0, 1), after: undefined },
      { begun, after: undefined },
    ]
    for (const [came, left] of [
      ['nothing', before.begun],
      ['begun', begun],
      ['complete', []],
    ] as const) {
      const held = await takeLease(await readLeaseNow(a), a, own, before)
      expect((await readLeaseNow(b)).lease?.begun).toEqual(begun)
      await held.giveBack(came)
      expect((await readLeaseNow(b)).lease?.begun).toEqual(left)
    }
  })
})

describe('the lease', () => {
  it('that git cannot store is not had, not given back, and takes that of nobody away', async () => {
    const objects = join(a.remote.dir, '.git/objects')
    const { lease: ref } = ledgerRefs('prod')
    await (await takeLease(await readLeaseNow(a), a)).giveBack()
    const [seen, free] = [await readLeaseNow(a), git(remote.path, 'rev-parse', ref)]
    /** As on a disk that is full. */
    const whereFull = async <T>(run: () => Promise<T>): Promise<T> => {
      renameSync(objects, `${objects}.kept`)
      symlinkSync('/proc', objects)
      return run().finally(() => {
        rmSync(objects)
        renameSync(`${objects}.kept`, objects)
      })
    }
    const message = 'git cannot store the lease of `prod`'
    await expect(whereFull(() => takeLease(seen, a))).rejects.toMatchObject({
      ...{ code: 'SVC2236', message },
      hint: expect.stringContaining('the room on the disk'),
    })
    expect(git(remote.path, 'rev-parse', ref)).toBe(free)
    const held = await takeLease(seen, a)
    const entry = git(remote.path, 'rev-parse', ref)
    const [said = ''] = await whereFull(() => held.giveBack())
    expect(said).toBe('The lease of `prod` could not be released: it expires at 2026-11-22T12:05:00.000Z.')
    expect(git(remote.path, 'rev-parse', ref)).toBe(entry)
  })

  it.each([
    ['garbage', undefined, 'its commit does not say from when until when'],
    ['+275760-09-13T00:00:00.000Z', undefined, 'its commit does not say from when until when'],
    ['2026-02-30T00:00:00.000Z', undefined, 'its commit does not say from when until when'],
    ['2026-11-22T12:05:00.000Z', 'garbage', 'its commit does not say from when until when'],
    ['2026-11-22T12:06:00.001Z', undefined, 'it lasts until 2026-11-22T12:06:00.001Z, longer than svcsync takes any'],
    ['2026-11-22T12:06:00.000Z', undefined, undefined],
  ])('until %s, since %s: %s', async (until, since = '2026-11-22T12:00:00.000Z', flaw) => {
    const begun = [
      { commit: null, at: '2026-01-01T00:00:00.000Z', only: [] },
      { commit: null, at: '+275760-09-13T00:00:00.000Z', only: [] },
    ]
    const forged = { holder: 'anna', where: 'here', since, until, begun, after: undefined }
    const entry = writeLease(a.remote.dir, forged, 'prod', nowMs)
    const seen = observeLease(readEntry(a.remote.dir, entry ?? ''), 'prod', nowMs)
    expect([seen.state, seen.flaw]).toEqual([flaw === undefined ? 'held' : 'free', flaw])
    // Whoever is bound by it: what was begun may be live, and its end says nothing against that.
    expect(seen.lease?.begun).toEqual(begun.slice(0, 1))
  })

  it('that is no lease binds nobody, and is replaced', async () => {
    git(remote.path, 'update-ref', ledgerRefs('prod').lease, 'main')
    const held = await takeLease(await readLeaseNow(a), a)
    expect((await readLeaseNow(b)).lease?.holder).toBe('anna')
    expect(await held.giveBack()).toEqual([])
  })
})

describe('the lease', () => {
  const begun = [1, 2].map((day) => ({ commit: null, at: `2026-01-0${day}T00:00:00.000Z`, only: [] }))
  const before = { begun: begun.slice(0, 1), after: undefined }
  /** Taken from what was pushed as somebody's, and given back as complete: what is left then. */
  const leftAfter = async (lease: object | undefined, own = begun): Promise<readonly object[]> => {
    const theirs = { holder: 'eve', where: '', since: '2026-11-22T11:00:00.000Z', until: undefined, after: undefined }
    const entry = lease && writeLease(b.remote.dir, { ...theirs, begun: before.begun, ...lease }, 'prod', nowMs)
    if (entry) git(b.remote.dir, 'push', '--quiet', 'origin', `${entry}:${ledgerRefs('prod').lease}`)
    const held = await takeLease(await readLeaseNow(a), a, { ...before, begun: own }, before)
    await held.giveBack('complete')
    const left = (await readLeaseNow(b)).lease?.begun ?? []
    git(remote.path, 'update-ref', '-d', ledgerRefs('prod').lease)
    return left
  }
  it('that was taken over leaves what its holder had begun: they may still be at it', async () => {
    const ended = `${ownProcess()?.split(':')[0]}:${spawnSync(process.execPath, ['--version']).pid}`
    expect(await leftAfter(undefined)).toEqual([])
    expect(await leftAfter({})).toEqual([])
    expect(await leftAfter({ until: '2026-11-22T11:05:00.000Z' })).toEqual(before.begun)
    expect(await leftAfter({ until: 'garbage' })).toEqual(before.begun)
    // Of too many, the oldest are forgotten.
    expect(await leftAfter({ until: 'garbage' }, begun.slice(1))).toEqual([])
    if (process.platform === 'linux')
      expect(await leftAfter({ until: '2026-11-22T12:05:00.000Z', process: ended })).toEqual([])
  })

  it.each([
    ['2026-11-22T11:59:00.000Z', 'held'],
    ['2026-11-22T11:58:59.999Z', 'expired'],
  ])('until %s is %s', (until, state) => {
    const theirs = { holder: 'eve', where: '', since: '2026-11-22T11:00:00.000Z', until, begun: [], after: undefined }
    const entry = writeLease(a.remote.dir, theirs, 'prod', nowMs) ?? ''
    expect(observeLease(readEntry(a.remote.dir, entry), 'prod', nowMs).state).toBe(state)
    expect(observeLease(undefined, 'prod', nowMs)).toEqual({ entry: undefined, lease: undefined, state: 'free' })
  })

  it('that somebody took while its holder came to the end is said, with what is known of them', async () => {
    const { lease: ref } = ledgerRefs('prod')
    const held = await takeLease(await readLeaseNow(a), a)
    await takeLease(await readLeaseNow(b), b)
    expect(await held.giveBack()).toEqual(['The lease of `prod` was taken over while the apply ran.'])
    const again = await takeLease(await readLeaseNow(a), { ...a, self: { holder: 'anna', where: '' } })
    const seen = { entry: undefined, lease: undefined, state: 'free' } as const
    await expect(takeLease(seen, b)).rejects.toThrow(/has begun since this one was planned: anna$/)
    // A deletion of the ref needs no name.
    git(remote.path, 'update-ref', ref, 'main')
    await expect
      .poll(() => {
        pass(10_000)
        return again.lost.aborted
      })
      .toBe(true)
    expect(await again.giveBack()).toEqual(['The lease of `prod` was lost: it was taken away.'])
    const message = 'Another apply to `prod` has begun since this one was planned: its lease has changed'
    await expect(takeLease(seen, b)).rejects.toMatchObject({ code: 'SVC2235', message })
  })
})

describe('the lease', () => {
  it('tells whoever waits of each holder, looks every five seconds, and until when it lasts', async () => {
    const told: string[] = []
    const delays: number[] = []
    const held = await takeLease(await readLeaseNow(a), a)
    const looking: LeaseSettings = {
      ...b,
      sleep: async (delayMs) => {
        delays.push(delayMs)
        nowMs += delayMs
        if (delays.length !== 2) return
        await held.giveBack()
        await takeLease(await readLeaseNow(a), { ...a, self: { holder: 'carl', where: '' } })
      },
    }
    const seen = await readLeaseNow(b)
    const waiting = awaitLease(seen, looking, { timeoutMs: 10_001, onWait: ({ holder }) => told.push(holder) })
    await expect(waiting).rejects.toMatchObject({
      message:
        'Another apply to `prod` is under way: ' +
        'carl holds its lease since 2026-11-22T12:00:10.000Z, and did not release it in time',
      hint: expect.stringContaining('ends at 2026-11-22T12:06:10.000Z; if that'),
    })
    expect([told, delays]).toEqual([
      ['anna', 'carl'],
      [5000, 5000, 1],
    ])
    const stopped = { timeoutMs: 60_000, onWait: () => undefined, signal: AbortSignal.abort() }
    await expect(awaitLease(await readLeaseNow(b), looking, stopped)).rejects.toMatchObject({ code: 'SVC2234' })
    expect(delays).toHaveLength(3)
  })

  it('is neither renewed nor released by a remote that takes too long', async () => {
    const stop = new AbortController()
    const held = await takeLease(await readLeaseNow(a), { ...a, remote: { ...a.remote, signal: stop.signal } })
    const late = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort())
    for (const _renewal of ['too late', 'interrupted']) {
      pass(60_000)
      await expect.poll(() => wake.length).toBe(1)
      stop.abort()
    }
    late.mockReturnValueOnce(AbortSignal.abort())
    expect((await held.giveBack()).join()).toMatch(/could not be released: it expires at 2026-11-22T12:05:00\.000Z\.$/)
    late.mockRestore()
  })

  it('is renewed each minute, and not once its holder has come to the end', async () => {
    const delays: number[] = []
    const sleep: LeaseSettings['sleep'] = (delayMs, signal) => {
      delays.push(delayMs)
      return a.sleep(delayMs, signal)
    }
    expect(await (await takeLease(await readLeaseNow(a), { ...a, sleep })).giveBack()).toEqual([])
    const subject = git(remote.path, 'log', '-1', '--format=%s', ledgerRefs('prod').lease)
    expect([subject, delays]).toEqual(['prod: given back by anna', [60_000]])
  })

  it('is not given back again once that went with another push', async () => {
    const held = await takeLease(await readLeaseNow(a), a)
    const back = await held.giving()
    expect(await moveTogether(a.remote, back === undefined ? [] : [back])).toBe(true)
    held.given()
    const { lease } = ledgerRefs('prod')
    git(remote.path, 'update-ref', '-d', lease)
    expect(await held.giveBack('complete')).toEqual([])
    expect(git(remote.path, 'for-each-ref', lease)).toBe('')
  })

  it.each([true, false])('is given back from its last renewal, also where that is under way: %s', async (isAsked) => {
    const held = await takeLease(await readLeaseNow(a), a)
    pass(60_000)
    await Promise.resolve()
    if (isAsked) await held.giving()
    expect(await held.giveBack('complete')).toEqual([])
    expect((await readLeaseNow(b)).state).toBe('free')
  })
})
