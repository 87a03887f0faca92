// The findings of `doctor` for each possible fault of a platform.
import { describe, expect, it } from 'vitest'
import { useDoctor } from './doctor-fixture.ts'
import { checkOf } from './examine.ts'

const { open, run, everywhere } = useDoctor()

const page = '<html><body>Sign in</body></html>'
/** The fault, the check that reports it, its code, and words of its advice. */
const wrong: readonly (readonly [string, () => void, Parameters<typeof checkOf>[1], string, RegExp])[] = [
  [
    'a login page in front',
    () => everywhere('*', { kind: 'text', body: page, contentType: 'text/html' }),
    'connection',
    'SVC3045',
    /login page/,
  ],
  [
    'a login page behind the token',
    () => everywhere('/me', { kind: 'text', body: page, contentType: 'text/html' }),
    'connection',
    'SVC3020',
    /login page/,
  ],
  [
    'a redirect of the token',
    () =>
      everywhere('*/token', { kind: 'status', status: 302, headers: { location: 'https://login.example.com/x?y' } }),
    'connection',
    'SVC3022',
    /address that answers itself/,
  ],
  [
    'a redirect of the data',
    () => everywhere('/me', { kind: 'status', status: 302, headers: { location: '/login' } }),
    'connection',
    'SVC3022',
    /address that answers itself/,
  ],
  ['no tokens there', () => everywhere('*/token', { kind: 'status', status: 404 }), 'connection', 'SVC3044', /authUrl/],
  [
    'a platform that fails',
    () => everywhere('*/token', { kind: 'status', status: 500 }),
    'connection',
    'SVC3036',
    /later/,
  ],
  ['a connection that breaks', () => everywhere('*', { kind: 'reset' }), 'connection', 'SVC3010', /port and protocol/],
  [
    'a token that is refused at once',
    () => everywhere('/me', { kind: 'status', status: 401 }),
    'token',
    'SVC3040',
    /baseUrl and authUrl/,
  ],
  [
    'a version that does not answer',
    () => everywhere('/api/data/v6.0/*', { kind: 'status', status: 404 }),
    'api-version',
    'SVC3031',
    /apiVersion: "5\.0"/,
  ],
  [
    'no version that answers',
    () => everywhere('/api/data/*', { kind: 'status', status: 404 }),
    'api-version',
    'SVC3031',
    /baseUrl/,
  ],
  ['a list that breaks off', () => everywhere('/admin/users*', { kind: 'cut' }), 'answers', 'SVC3021', /wireNames/],
  [
    'items under other names',
    () =>
      everywhere('/admin/users', {
        kind: 'text',
        contentType: 'application/json',
        body: JSON.stringify({ users: [{ crmId: 'a@example.com', name: 'A' }] }),
      }),
    'answers',
    'SVC3025',
    /svcId: crmId/,
  ],
  [
    'a list under another name',
    () =>
      everywhere('/admin/users', {
        kind: 'text',
        contentType: 'application/json',
        body: JSON.stringify({ people: [] }),
      }),
    'answers',
    'SVC3023',
    /wireNames/,
  ],
]

describe('doctor tells', () => {
  it.each(wrong)('%s', async (_, arrange, name, code, advice) => {
    await open()
    arrange()
    const report = await run()
    expect(checkOf(report, name)).toMatchObject({ result: 'problem', code, todo: expect.stringMatching(advice) })
    expect(report.result).toBe('problem')
  })

  it('a wrong secret', async () => {
    await open({ env: { SAMPLE_SECRET: 'x', SVCSYNC_CLIENT_SECRET: 'wrong' } })
    const report = await run()
    expect(checkOf(report, 'token')).toMatchObject({ result: 'problem', code: 'SVC3042' })
    expect(checkOf(report, 'connection').result).toBe('ok')
    expect(report.variants).toEqual([])
  })

  it('clocks that differ', async () => {
    await open()
    const report = await run({ clock: () => Date.now() - 600_000 })
    expect(checkOf(report, 'clock')).toMatchObject({
      result: 'warning',
      found: expect.stringMatching(/^The clock here is (599|600|601) s behind the platform's\.$/),
    })
  })

  it('tokens that live for seconds', async () => {
    await open({ behaviour: { tokenLifetimeMs: 30_000 } })
    expect(checkOf(await run(), 'token')).toMatchObject({ result: 'warning' })
  })
})
