// The check of a commit, over HTTP, and what a job of GitHub says of its pull request.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkedCommitOf, postCheck, pullRequestOf } from '../../src/forge/github.ts'
import { type PretendedForge, token } from './pretended-forge.ts'
import { pretendGitHub } from './pretended-github.ts'

describe('a check', () => {
  let github: PretendedForge
  beforeEach(async () => {
    github = await pretendGitHub(30)
  })
  afterEach(() => github.close())
  const check = (title: string, more: { commit?: string; token?: string } = {}) => {
    const at = { repository: 'org/config', apiUrl: github.url, token, commit: 'abc123', ...more }
    return postCheck(
      at,
      { name: 'svcsync plan: prod', conclusion: 'success', title, summary: 'all of it' },
      {},
      async () => undefined,
    )
  }

  it('is made once for a commit, left alone while nothing changes, and updated in its place', async () => {
    for (let id = 1; id <= 70; id++)
      github.checks.push({ id, name: 'svcsync plan: prod', head_sha: 'abc123', status: 'completed' } as never)
    expect(await check('2 to create')).toBe('created')
    const before = github.requests.length
    expect(await check('2 to create')).toBe('unchanged')
    expect(github.requests.slice(before).filter((line) => !line.startsWith('GET'))).toEqual([])
    expect(await check('3 to create')).toBe('updated')
    expect(await check('of another commit', { commit: 'def456' })).toBe('created')
    const own = github.checks.filter(({ external_id }) => external_id === 'svcsync')
    expect(own).toMatchObject([
      { head_sha: 'abc123', status: 'completed', conclusion: 'success', output: { title: '3 to create' } },
      { head_sha: 'def456' },
    ])
  })

  it.each([
    ['a read fails twice', { method: 'GET', status: 502, times: 2 }],
    ['the answer is lost', { method: 'POST', status: 502, carriedOut: true }],
    ['the connection breaks', { method: 'POST', status: 0, breaks: true, carriedOut: true }],
    ['it is not taken at first', { method: 'POST', status: 503 }],
    ['a limit is reached, and tells when it ends', { method: 'GET', status: 429, headers: { 'retry-after': '1' } }],
  ])('is one where %s', async (_, order) => {
    github.order(order)
    await check('once')
    expect(github.checks).toHaveLength(1)
  })

  it.each([
    ['permission is missing', 403, {}, 'GitHub answered 403', 'checks: write'],
    ['the repository is hidden', 404, {}, 'GitHub answered 404', 'checks: write'],
    ['it is not taken', 422, {}, 'GitHub answered 422', 'Run the job again'],
    ['the token is wrong', 0, { token: 'wrong-token-of-the-test' }, 'GitHub answered 401', 'Check the token'],
  ])('says what was wrong where %s, and nothing of the token', async (_, status, more, message, hint) => {
    if (status > 0) github.order({ method: 'POST', status, times: 9 })
    const error = (await check('text', more).catch((reason: unknown) => reason)) as { message: string; hint: string }
    expect(error.message).toMatch(/^The check could not be posted: /)
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('token-of-the-test')
    expect(github.checks).toEqual([])
  })

  it('belongs to the last commit of the pull request, and else to that of the job', () => {
    const env = { GITHUB_TOKEN: token, GITHUB_REPOSITORY: 'org/config', GITHUB_SHA: 'abcdef0' }
    expect(checkedCommitOf(env, { pull_request: { head: { sha: '0123456' } } }).commit).toBe('0123456')
    expect(checkedCommitOf(env, undefined).commit).toBe('abcdef0')
    expect(() => checkedCommitOf({ ...env, GITHUB_SHA: '../x' }, undefined)).toThrow('a commit in GITHUB_EVENT_PATH')
  })
})

describe('the pull request of a job', () => {
  const env = { GITHUB_TOKEN: token, GITHUB_REPOSITORY: 'org/config', GITHUB_REF: 'refs/pull/12/merge' }
  it('is what the event says, or else the ref', () => {
    expect(pullRequestOf(env, { pull_request: { number: 7, head: { sha: 'abc' } } })).toMatchObject({
      number: 7,
      commit: 'abc',
    })
    expect(pullRequestOf(env, undefined)).toMatchObject({
      number: 12,
      commit: undefined,
      apiUrl: 'https://api.github.com',
    })
  })

  it.each([
    [{ ...env, GITHUB_TOKEN: '' }, 'GITHUB_TOKEN is missing'],
    [{ ...env, GITHUB_REPOSITORY: '../x' }, 'GITHUB_REPOSITORY is missing'],
    [{ ...env, GITHUB_API_URL: 'http://github.example.com/api/v3' }, 'an https address in GITHUB_API_URL is missing'],
    [{ ...env, GITHUB_REF: 'refs/heads/main' }, 'the number of a pull request'],
  ])('is told to be missing: %j', (variables, sentence) => {
    expect(() => pullRequestOf(variables, undefined)).toThrow(sentence)
  })
})
