// Rules that the whole source keeps for the sake of the HTTP edge, and settings that are refused before any request.

import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'
import { globSync } from 'tinyglobby'
import { describe, expect, it } from 'vitest'
import { failureCodes } from '../../src/errors/index.ts'
import { createScrub } from '../../src/platform/scrub.ts'
import { baseUrl, testClient } from './platform-fixture.ts'

describe('the source', () => {
  const sources = globSync(['src/**/*.ts'])

  it('sends requests in one place', () => {
    expect(sources.length).toBeGreaterThan(10)
    const senders = sources.filter((file) => /node:https?'|\bfetch\(|'undici/.test(readFileSync(file, 'utf8')))
    const own = senders.filter((file) => !file.startsWith('src/emulator/'))
    // The others hold types alone.
    expect(own.sort()).toEqual([
      'src/platform/agents.ts',
      'src/platform/transport.ts',
      'src/platform/undici-parts.d.ts',
    ])
  })

  it('gives every failure its own code', () => {
    const codes = Object.values(failureCodes)
    expect(new Set(codes).size).toBe(codes.length)
    for (const code of codes) expect(code).toMatch(/^SVC3\d{3}$/)
  })
})

describe('settings', () => {
  it.each([
    'http://platform.test',
    'http://127.0.0.1.platform.test',
    'ftp://platform.test',
    'platform.test',
    'https://user:pw@platform.test',
    'https://platform.test/?x=1',
    '',
  ])('refuses the address %j without repeating it', (address) => {
    expect(() => testClient({ baseUrl: address })).toThrow(/baseUrl (?:is not a usable address|uses http)/)
    expect(() => testClient({ authUrl: address })).toThrow(/^authUrl/)
  })

  it.each(['http://127.0.0.1:99', 'http://localhost', 'http://[::1]:8080/', `${baseUrl}/tenant/`])(
    'takes %s',
    (address) => {
      expect(() => testClient({ baseUrl: address })).not.toThrow()
    },
  )

  it('takes http to another machine only on purpose', () => {
    expect(() => testClient({ baseUrl: 'http://platform.test', allowInsecureHttp: true })).not.toThrow()
  })

  it('takes names as they are where the platform does, and the signal of a run for all requests', async () => {
    expect(testClient({ svcIds: 'case-sensitive' }).client.normalise('Anna')).toBe('Anna')
    expect(testClient().client.normalise('Anna')).toBe('anna')
    const { signal } = new AbortController()
    testClient({ signal })
    const warned: Error[] = []
    const note = (warning: Error) => warned.push(warning)
    process.on('warning', note)
    for (let requests = 0; requests < 20; requests++) signal.addEventListener('abort', () => requests)
    await turn()
    process.off('warning', note)
    expect(warned).toEqual([])
  })

  it('refuses empty credentials', () => {
    expect(() => testClient({ clientSecret: '' })).toThrow('clientSecret is empty')
    expect(() => testClient({ clientId: '' })).toThrow('clientId is empty')
  })

  it('names a certificate file that is not there', async () => {
    const { client } = testClient({ caFile: '/nowhere/ca.pem' })
    await expect(client.send({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      code: 'SVC3052',
      actor: 'operator',
    })
    await client.close()
  })
})

describe('createScrub', () => {
  it('removes secrets in every spelling, control characters, and what is too long', () => {
    const scrub = createScrub(
      () => ['a b/"c', ''],
      () => [],
    )
    expect(scrub('1 a b/"c 2 a%20b%2F%22c 3 a+b%2F%22c 4 a b/\\"c')).toBe('1 [secret] 2 [secret] 3 [secret] 4 [secret]')
    expect(scrub('\u001b[31mred\r\nnext\u202e')).toBe('[31mred next')
    expect(scrub('x'.repeat(600))).toHaveLength(501)
    expect(scrub(`${'x'.repeat(497)}a b/"c`)).not.toContain('a b')
  })

  it('shows values of manifests as their references, the longer before the shorter, and decides on none', () => {
    const scrub = createScrub(
      () => ['token-1'],
      () => [
        { value: 'pass', shown: '${env:SHORT}' },
        { value: 'pass\nword', shown: '${env:LONG}' },
        { value: 'Is', shown: '${env:TINY}' },
        { value: 'Locked', shown: '${env:WORD}' },
      ],
    )
    expect(scrub('pass word, pass, Is, token-1')).toBe('${env:LONG}, ${env:SHORT}, Is, [secret]')
    expect(scrub.word('ResourceIsLocked token-1')).toBe('ResourceIsLocked [secret]')
  })
})
