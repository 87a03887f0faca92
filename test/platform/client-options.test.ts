// The settings of a client: what counts where nothing is said, and addresses that are refused before a secret is sent.
import { getHeapStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { isPrivate, resolveSettings } from '../../src/platform/client-options.ts'

const given = { baseUrl: 'https://svc.test', clientId: 'c', clientSecret: 's', retry: { attempts: 3, maxDelayMs: 9 } }
const settingsOf = (more: object) =>
  resolveSettings({ ...given, ...more } as unknown as Parameters<typeof resolveSettings>[0])

it('has usual values for what is not given', async () => {
  const { clock, timer, sleep, random, ...settings } = settingsOf({})
  const maxAnswerBytes = Math.min(64_000_000, Math.floor(getHeapStatistics().heap_size_limit / 24))
  const times = { attempts: 3, maxDelayMs: 9, timeoutMs: 60_000, deadlineMs: 300_000 }
  expect(settings).toEqual({ baseUrl: given.baseUrl, authUrl: given.baseUrl, ...times, maxAnswerBytes })
  expect(clock()).toBeGreaterThan(1_700_000_000_000)
  expect(timer()).toBeLessThan(1_700_000_000_000)
  expect(random()).toBeLessThan(1)
  await sleep(1)
  await expect(sleep(600_000, AbortSignal.abort())).rejects.toThrow()
})

it('takes what is given', () => {
  const own = { timeoutMs: 5, deadlineMs: 6, maxAnswerBytes: 7, authUrl: 'https://login.test' }
  const parts = {
    clock: () => 1,
    timer: () => 2,
    random: () => 3,
    sleep: async () => undefined,
    onToken: () => undefined,
  }
  expect(settingsOf({ ...own, ...parts })).toMatchObject({ ...own, ...parts })
  // A timer that is set to more fires at once.
  expect(settingsOf({ timeoutMs: 2 ** 40 }).timeoutMs).toBe(2 ** 31 - 1)
})

it.each([
  ['https://svc.test/a/', 'https://svc.test/a'],
  ['http://localhost:80//', 'http://localhost'],
  ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
  ['http://[::1]/x', 'http://[::1]/x'],
  ['http://svc.test', /uses http, which/],
  ['http://127.0.0.1.svc.test', /uses http, which/],
  ['ftp://svc.test', /is not a usable address/],
  ['svc.test', /is not a usable address/],
  ['https://me@svc.test', /is not a usable address/],
  ['https://:secret@svc.test', /is not a usable address/],
  ['https://svc.test?a', /is not a usable address/],
  ['https://svc.test#a', /is not a usable address/],
])('%s: %s', (baseUrl, expected) => {
  if (typeof expected === 'string') expect(settingsOf({ baseUrl }).baseUrl).toBe(expected)
  else expect(() => settingsOf({ baseUrl })).toThrow(expected)
})

it('takes http elsewhere where the target says so, and refuses empty credentials', () => {
  expect(settingsOf({ baseUrl: 'http://svc.test', allowInsecureHttp: true }).baseUrl).toBe('http://svc.test')
  for (const [name, variable] of [
    ['clientId', 'CLIENT_ID'],
    ['clientSecret', 'CLIENT_SECRET'],
  ] as const) {
    const hint = `Set ${name} of the target, or SVCSYNC_${variable}.`
    expect(() => settingsOf({ [name]: '' })).toThrow(expect.objectContaining({ message: `${name} is empty`, hint }))
  }
})

it.each([
  ['https:', 'svc.test', true],
  ['http:', 'localhost', true],
  ['http:', 'svc.test', false],
  ['ftp:', 'localhost', false],
])('%s//%s is private: %s', (protocol, hostname, expected) => {
  expect(isPrivate({ protocol, hostname })).toBe(expected)
})
