// One comment of a pull request, over HTTP: found, kept up to date, and never two, whatever goes wrong in between.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PullRequest, postToGitHub, pullRequestOf } from '../../src/forge/github.ts'
import { type PretendedGitHub, pretendGitHub, token } from './pretended-github.ts'

const marker = '<!-- svcsync:report -->'
let github: PretendedGitHub
beforeEach(async () => {
  github = await pretendGitHub(30)
})
afterEach(() => github.close())

const pull = (more: Partial<PullRequest> = {}): PullRequest => ({
  repository: 'org/config',
  number: 7,
  apiUrl: github.url,
  token,
  commit: 'abc123',
  ...more,
})
const post = (text: string, { isQuiet = false, ...more }: Partial<PullRequest> & { isQuiet?: boolean } = {}) =>
  postToGitHub(pull(more), { marker, body: `${marker}\n\n${text}\n`, isQuiet, secondMs: 1 })
const own = () => github.comments.filter(({ body }) => body.startsWith(marker))
const writes = () => github.requests.filter((line) => !line.startsWith('GET'))

it('makes one comment, leaves it alone while nothing changes, and brings it up to date in its place', async () => {
  expect(await post('two to create')).toBe('created')
  expect(own()).toHaveLength(1)
  const [{ id } = { id: 0 }] = own()
  const before = writes().length
  expect(await post('two to create')).toBe('unchanged')
  expect(writes()).toHaveLength(before)
  expect(await post('three to create')).toBe('updated')
  expect(own()).toMatchObject([{ id, body: expect.stringContaining('three to create') }])
})

it('finds its comment among hundreds, and takes no other for its own', async () => {
  for (let index = 0; index < 250; index++) github.comments.push({ id: index, body: `talk ${index} about ${marker}` })
  expect(await post('first')).toBe('created')
  expect(await post('second')).toBe('updated')
  expect(own()).toHaveLength(1)
  expect(github.comments).toHaveLength(251)
})

it('makes none to say that there is nothing to do, and says so where one is', async () => {
  expect(await post('nothing', { isQuiet: true })).toBe('not needed')
  expect(github.comments).toEqual([])
  await post('something')
  expect(await post('nothing', { isQuiet: true })).toBe('updated')
  expect(own()[0]?.body).toContain('nothing')
})

it('leaves the comment of a newer commit alone', async () => {
  await post('new', { commit: 'abc123' })
  expect(await post('old', { commit: 'before' })).toBe('outdated')
  expect(own()[0]?.body).toContain('new')
})

it('ends with one comment where two jobs make one at the same moment', async () => {
  const posted = await Promise.all([post('the same'), post('the same'), post('the same')])
  expect(own()).toHaveLength(1)
  expect(posted).toContain('created')
})

it('takes away what an earlier race has left', async () => {
  github.comments.push({ id: 1, body: `${marker}\na` }, { id: 2, body: `${marker}\nb` })
  expect(await post('now')).toBe('updated')
  expect(own()).toMatchObject([{ id: 1 }])
})

it('makes it anew where somebody deletes it in between', async () => {
  await post('first')
  github.before = (method) => {
    if (method === 'PATCH') github.comments.length = 0
  }
  expect(await post('second')).toBe('created')
  expect(own()[0]?.body).toContain('second')
})

it('takes what somebody edited for what is to be said', async () => {
  await post('right')
  const [comment] = own()
  if (comment !== undefined) comment.body = `${marker}\nwrong`
  expect(await post('right')).toBe('updated')
})

describe('where GitHub is in trouble', () => {
  it.each([
    ['a read fails twice', { method: 'GET', status: 502, times: 2 }],
    ['a limit is reached, and tells when it ends', { method: 'GET', status: 429, headers: { 'retry-after': '1' } }],
    [
      'a second limit is reached',
      { method: 'POST', status: 403, headers: { 'retry-after': '1', 'x-ratelimit-remaining': '10' } },
    ],
    ['the answer to the comment is lost', { method: 'POST', status: 502, carriedOut: true }],
    ['the comment is not taken at first', { method: 'POST', status: 503 }],
    ['a change fails once', { method: 'PATCH', status: 500 }],
  ])('posts once where %s', async (_, order) => {
    if (order.method === 'PATCH') github.comments.push({ id: 1, body: marker })
    github.order(order)
    await post('once').catch((error: Error) => {
      // A second limit looks like a refusal but for its words, which differ by time.
      if (order.status !== 403) throw error
    })
    expect(own().length).toBeLessThanOrEqual(1)
    await post('once')
    expect(own()).toHaveLength(1)
    expect(own()[0]?.body).toContain('once')
  })

  it.each([
    [401, { token: 'wrong-token-of-the-test' }, 'GitHub answered 401', 'Check the token'],
    [404, { number: 8 }, 'GitHub answered 404', 'pull-requests: write'],
    [0, { apiUrl: 'http://127.0.0.1:9' }, 'could not be posted', 'The result itself stands'],
  ])('says what was wrong, and nothing of the token: %s', async (_, more, message, hint) => {
    const error = (await post('text', more).catch((reason: unknown) => reason)) as { message: string; hint: string }
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('token-of-the-test')
  })

  it('gives up a write that is refused', async () => {
    github.order({ method: 'POST', status: 403, times: 5 })
    await expect(post('text')).rejects.toThrow('GitHub answered 403')
    expect(own()).toEqual([])
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
    [{ ...env, GITHUB_REF: 'refs/heads/main' }, 'the number of a pull request'],
  ])('is told to be missing: %j', (variables, sentence) => {
    expect(() => pullRequestOf(variables, undefined)).toThrow(sentence)
  })
})
