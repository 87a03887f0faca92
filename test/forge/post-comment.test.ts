// One comment of a pull request, over HTTP, on each forge: found, kept up to date, and never two, whatever goes wrong
// in between.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { azurePullRequest } from '../../src/forge/azure.ts'
import { gitHubPullRequest } from '../../src/forge/github.ts'
import { gitLabMergeRequest } from '../../src/forge/gitlab.ts'
import { type CommentStore, postComment } from '../../src/forge/post-comment.ts'
import { azure } from './pretended-azure.ts'
import { type PretendedForge, pretendForge, token } from './pretended-forge.ts'
import { gitHub } from './pretended-github.ts'
import { gitLab } from './pretended-gitlab.ts'

const marker = '<!-- svcsync:report -->'

interface Given {
  readonly url: string
  readonly token?: string
  readonly number?: number
}

const slept: number[] = []
const sleep = async (delayMs: number): Promise<void> => void slept.push(delayMs)

const forges = {
  GitHub: {
    dialect: gitHub(30),
    to: ({ url, token: own = token, number = 7 }: Given): CommentStore => {
      const env = { GITHUB_TOKEN: own, GITHUB_REPOSITORY: 'org/config', GITHUB_API_URL: url }
      return gitHubPullRequest({ ...env, GITHUB_REF: `refs/pull/${number}/merge` }, {}, sleep)
    },
  },
  GitLab: {
    dialect: gitLab(30),
    to: ({ url, token: own = token, number = 7 }: Given) => {
      const env = {
        GITLAB_TOKEN: own,
        CI_API_V4_URL: `${url}/api/v4`,
        CI_PROJECT_ID: '42',
        CI_MERGE_REQUEST_IID: `${number}`,
      }
      return gitLabMergeRequest(env, sleep)
    },
  },
  'Azure DevOps': {
    dialect: azure(),
    to: ({ url, token: own = token, number = 7 }: Given) =>
      azurePullRequest(
        {
          SYSTEM_ACCESSTOKEN: own,
          SYSTEM_COLLECTIONURI: `${url}/org/`,
          SYSTEM_TEAMPROJECTID: 'project-id',
          BUILD_REPOSITORY_ID: 'repo-id',
          SYSTEM_PULLREQUEST_PULLREQUESTID: `${number}`,
        },
        sleep,
      ),
  },
} as const

describe.each(Object.entries(forges))('on %s', (name, { dialect, to }) => {
  let forge: PretendedForge
  let destinations: CommentStore[] = []
  beforeEach(async () => {
    forge = await pretendForge(dialect)
  })
  afterEach(async () => {
    for (const each of destinations) each.close?.()
    destinations = []
    slept.length = 0
    await forge.close()
  })

  type More = Partial<Given> & { readonly isQuiet?: boolean; readonly commit?: string; readonly fails?: boolean }
  const post = (text: string, { isQuiet = false, commit = 'abc123', fails = false, ...more }: More = {}) => {
    const destination = { ...to({ url: forge.url, ...more }), commit }
    destinations.push(destination)
    return postComment(destination, { marker, body: fails ? undefined : `${marker}\n\n${text}\n`, isQuiet })
  }
  const own = () => forge.comments.filter(({ body }) => body.startsWith(marker))
  const writes = () => forge.requests.filter((line) => !line.startsWith('GET'))

  it('makes one comment, leaves it alone while nothing changes, and brings it up to date in its place', async () => {
    expect(await post('two to create')).toBe('created')
    const [{ id } = { id: 0 }] = own()
    const before = writes().length
    expect(await post('two to create')).toBe('unchanged')
    expect(writes()).toHaveLength(before)
    expect(await post('three to create')).toBe('updated')
    expect(own()).toMatchObject([{ id, body: expect.stringContaining('three to create') }])
  })

  it('finds its comment among hundreds, and takes no other for its own', async () => {
    for (let index = 10; index < 260; index++) forge.comments.push({ id: index, body: `talk ${index} about ${marker}` })
    expect(await post('first')).toBe('created')
    expect(await post('second')).toBe('updated')
    expect(own()).toHaveLength(1)
    expect(forge.comments).toHaveLength(251)
  })

  it('makes none to say that there is nothing to do, and says so where one is', async () => {
    expect(await post('nothing', { isQuiet: true })).toBe('not needed')
    expect(forge.comments).toEqual([])
    await post('something')
    expect(await post('nothing', { isQuiet: true })).toBe('updated')
    expect(own()[0]?.body).toContain('nothing')
  })

  it('leaves the comment of a newer commit alone, and marks one of an older', async () => {
    await post('of abc123')
    expect(await post('old', { commit: 'before' })).toBe('outdated')
    expect(own()[0]?.body).toContain('of abc123')
    forge.head = 'def456'
    expect(await post('late', { commit: 'before' })).toBe('marked')
    expect(own()[0]?.body).toContain('> **Outdated:** this is about the commit `abc123`, and a newer one is there.')
    expect(own()[0]?.body).toContain('of abc123')
    expect(await post('late', { commit: 'before' })).toBe('outdated')
    expect(await post('new', { commit: 'def456' })).toBe('updated')
    expect(own()[0]?.body).not.toContain('Outdated')
  })

  it('marks the comment of an older commit where there is no result for the new one', async () => {
    expect(await post('', { fails: true })).toBe('outdated')
    expect(forge.comments).toEqual([])
    await post('of abc123')
    // The same commit once more, which fails for another reason.
    expect(await post('', { fails: true })).toBe('outdated')
    // A job that does not know its commit cannot know a newer one.
    const lost = { ...to({ url: forge.url }), commit: undefined, head: async () => undefined }
    expect(await postComment(lost, { marker, body: undefined, isQuiet: false })).toBe('outdated')
    lost.close?.()
    forge.head = 'def456'
    expect(await post('', { fails: true, commit: 'def456' })).toBe('marked')
    expect(own()).toMatchObject([{ body: expect.stringContaining('Outdated') }])
  })

  it('ends with one comment where jobs make one at the same moment', async () => {
    const posted = await Promise.all([post('the same'), post('the same'), post('the same')])
    expect(own()).toHaveLength(1)
    expect(posted).toContain('created')
  })

  it('takes away what an earlier race has left', async () => {
    forge.comments.push({ id: 11, body: `${marker}\na` }, { id: 12, body: `${marker}\nb` })
    expect(await post('now')).toBe('updated')
    expect(own()).toMatchObject([{ id: 11 }])
  })

  it('makes it anew where somebody deletes it in between', async () => {
    await post('first')
    forge.before = (method) => {
      if (method === 'PATCH' || method === 'PUT') forge.comments.length = 0
    }
    expect(await post('second')).toBe('created')
    expect(own()).toMatchObject([{ body: expect.stringContaining('second') }])
  })

  it('does not take the comment of somebody else who bears the marker for its own', async () => {
    forge.comments.push({ id: 11, body: `${marker}\nall is well, approve me`, isForeign: true })
    expect(await post('refused')).toBe('created')
    expect(await post('refused again')).toBe('updated')
    expect(own().map(({ id }) => id)[0]).toBe(11)
    expect(own()[1]?.body).toContain('refused again')
  })

  it('takes what somebody edited for what is to be said', async () => {
    await post('right')
    const [comment] = own()
    if (comment !== undefined) comment.body = `${marker}\nwrong`
    expect(await post('right')).toBe('updated')
  })

  it.each([
    ['a read fails twice', { method: 'GET', status: 502, times: 2 }],
    ['a limit is reached, and tells when it ends', { method: 'GET', status: 429, headers: { 'retry-after': '1' } }],
    [
      'a second limit is reached',
      {
        method: 'POST',
        status: name === 'GitHub' ? 403 : 429,
        message: 'You have exceeded a secondary rate limit',
        headers: { 'retry-after': '1', 'x-ratelimit-remaining': '10' },
      },
    ],
    ['the answer to the comment is lost', { method: 'POST', carriedOut: true, status: 502, breaks: true }],
    ['the comment is not taken at first', { method: 'POST', status: 503 }],
    ['somebody else writes at the same moment', { method: 'POST', status: 409 }],
    ['a change fails once', { method: name === 'GitLab' ? 'PUT' : 'PATCH', status: 500 }],
  ])('posts once where %s', async (what, order) => {
    if (what === 'a change fails once') forge.comments.push({ id: 11, body: marker })
    forge.order(order)
    expect(['created', 'updated', 'unchanged']).toContain(await post('once'))
    expect(own()).toMatchObject([{ body: expect.stringContaining('once') }])
    if ('headers' in order) expect(slept.some((delayMs) => delayMs >= 1000)).toBe(true)
  })

  it.each([
    ['a wrong token', { token: 'wrong-token-of-the-test' }, `${name} answered 401`, 'Check'],
    ['what is not there', { number: 8 }, `${name} answered 404`, name === 'GitHub' ? 'pull-requests: write' : 'needs'],
    ['nobody who answers', { url: 'http://127.0.0.1:9' }, 'could not be posted', 'The result is not affected'],
  ])('says what was wrong, and nothing of the token: %s', async (_, more, message, hint) => {
    const error = (await post('text', more).catch((reason: unknown) => reason)) as { message: string; hint: string }
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('token-of-the-test')
  })

  it.each([
    ['refused', 403],
    ['too long', 422],
  ])('gives up a comment that is %s', async (_, status) => {
    forge.order({ method: 'POST', status, times: 5, message: `no, not with ${token}` })
    const error = (await post('text').catch((reason: unknown) => reason)) as Error
    expect(error.message).toContain(`${name} answered ${status}: no, not with`)
    expect(error.message).not.toContain(token)
    expect(own()).toEqual([])
    expect(writes()).toHaveLength(1)
  })
})

describe('a limit of GitHub', () => {
  const inS = (seconds: number) => String(Math.ceil(Date.now() / 1000) + seconds)
  const documentation_url =
    'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits'
  it.each([
    ['that tells when it ends', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inS(30) }, {}, [20, 31]],
    ['that asks to wait', 403, { 'retry-after': '7' }, {}, [7, 8]],
    ['that asks to wait, as too many requests', 429, { 'retry-after': '7' }, {}, [7, 8]],
    ['that only its documentation tells', 403, {}, { documentation_url }, [60, 61]],
  ] as const)('%s is waited for, and the comment made once', async (_, status, headers, more, [least, most]) => {
    const forge = await pretendForge(forges.GitHub.dialect)
    const to = { ...forges.GitHub.to({ url: forge.url }), commit: undefined }
    slept.length = 0
    forge.order({ method: 'POST', status, headers, more })
    expect(await postComment(to, { marker, body: marker, isQuiet: false })).toBe('created')
    expect(forge.comments).toHaveLength(1)
    expect(slept.filter((delayMs) => delayMs >= least * 1000 && delayMs <= most * 1000)).toHaveLength(1)
    to.close?.()
    await forge.close()
  })

  it.each([
    ['a limit of an hour', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inS(3600) }],
    ['a permission that is missing', { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': inS(1) }],
  ])('is not %s', async (_, headers) => {
    const forge = await pretendForge(forges.GitHub.dialect)
    const to = { ...forges.GitHub.to({ url: forge.url }), commit: undefined }
    forge.order({ method: 'GET', status: 403, headers, message: 'no', times: 2 })
    await expect(postComment(to, { marker, body: marker, isQuiet: false })).rejects.toThrow('GitHub answered 403: no')
    expect(forge.requests).toHaveLength(1)
    to.close?.()
    await forge.close()
  })
})

it('says that a forge has moved, and follows it nowhere', async () => {
  const forge = await pretendForge(forges.GitHub.dialect)
  const to = { ...forges.GitHub.to({ url: forge.url }), commit: undefined }
  forge.order({ method: 'GET', status: 301, headers: { location: 'http://127.0.0.1:9/' } })
  await expect(postComment(to, { marker, body: marker, isQuiet: false })).rejects.toThrow(
    'GitHub answered 301: it has moved to another address',
  )
  to.close?.()
  await forge.close()
})

it('sends a token to nobody by plain HTTP but to the loopback', async () => {
  const to = forges.GitLab.to({ url: 'http://gitlab.example.com' })
  await expect(postComment({ ...to, commit: undefined }, { marker, body: marker, isQuiet: false })).rejects.toThrow(
    'its address is not https',
  )
  to.close?.()
})

describe('the merge request of a job', () => {
  const ofGitLab = {
    GITLAB_TOKEN: token,
    CI_API_V4_URL: 'https://gitlab.test/api/v4',
    CI_PROJECT_ID: '42',
    CI_MERGE_REQUEST_IID: '7',
  }
  const ofAzure = {
    SYSTEM_ACCESSTOKEN: token,
    SYSTEM_COLLECTIONURI: 'https://azure.test/org/',
    SYSTEM_TEAMPROJECTID: 'id',
    BUILD_REPOSITORY_ID: 'repo',
    SYSTEM_PULLREQUEST_PULLREQUESTID: '7',
  }
  it('is about the last commit of its branch', () => {
    const variables = { CI_COMMIT_SHA: 'merged', CI_MERGE_REQUEST_PROJECT_PATH: 'org/config' }
    expect(gitLabMergeRequest({ ...ofGitLab, ...variables })).toMatchObject({
      request: 'org/config!7',
      commit: 'merged',
    })
    expect(gitLabMergeRequest({ ...ofGitLab, ...variables, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: 'own' }).commit).toBe(
      'own',
    )
    expect(azurePullRequest({ ...ofAzure, SYSTEM_PULLREQUEST_SOURCECOMMITID: 'own' }).commit).toBe('own')
  })

  it.each([
    [{ GITLAB_TOKEN: '' }, 'GITLAB_TOKEN is missing'],
    [{ CI_MERGE_REQUEST_IID: '' }, 'CI_MERGE_REQUEST_IID is missing'],
    [{ CI_PROJECT_ID: '../x', CI_API_V4_URL: '' }, 'CI_API_V4_URL, CI_MERGE_REQUEST_PROJECT_ID are missing'],
  ])('on GitLab is told to be missing: %j', (variables, sentence) => {
    expect(() => gitLabMergeRequest({ ...ofGitLab, ...variables })).toThrow(sentence)
  })

  it.each([
    [{ SYSTEM_ACCESSTOKEN: '' }, 'SYSTEM_ACCESSTOKEN is missing'],
    [{ BUILD_REPOSITORY_PROVIDER: 'GitHub' }, 'a repository of Azure Repos is missing'],
    [{ SYSTEM_PULLREQUEST_PULLREQUESTID: undefined }, 'SYSTEM_PULLREQUEST_PULLREQUESTID is missing'],
  ])('on Azure is told to be missing: %j', (variables, sentence) => {
    expect(() => azurePullRequest({ ...ofAzure, ...variables })).toThrow(sentence)
  })
})
