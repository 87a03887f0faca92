// Comments on a pull request of GitHub, the check of a commit, and what a job of GitHub says of both.
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import type { Env } from '@svcsync/platform/agents.ts'
import { isPrivate } from '@svcsync/platform/client-options.ts'
import type { HttpReply } from '@svcsync/platform/in-flight.ts'
import { parseRetryAfter } from '@svcsync/platform/retry-delay.ts'
import type { ItemStore, RequestStore } from './keep-item.ts'
import { type CommentStore, postSafely, requireAll, sameText } from './post-comment.ts'
import { createRest, type Sleep, textsIn } from './rest.ts'
import { cacheUnlessFailed, defaultBranchIn, restItems } from './rest-items.ts'

interface Repository {
  /** `owner/name`. */
  readonly repository: string
  /** `https://api.github.com`. */
  readonly apiUrl: string
  readonly token: string
}

interface PullRequest extends Repository {
  readonly number: number
  /** The last commit of the pull request that was planned; undefined: nobody knows. */
  readonly commit: string | undefined
}

export function clientFor(
  { apiUrl, token }: Repository,
  env: Env,
  sleep: Sleep | undefined,
): ReturnType<typeof createRest> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
  }
  // GitHub asks for a second between writes.
  return createRest({ baseUrl: apiUrl, headers, token, env, sleep, limitOf, linksPages: true, writeGapMs: 1000 })
}

/** GitHub's demand if its answer names no time. */
const secondaryLimitMs = 60_000

/** The primary limit tells when it ends, a secondary one how long it takes, or points to its documentation alone. */
function limitOf({ status, headers, retryAfter, text }: HttpReply, nowMs: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined
  const delay = parseRetryAfter(retryAfter, nowMs)
  if (delay !== undefined) return delay
  const resetS = Number(headers['x-ratelimit-reset'])
  if (headers['x-ratelimit-remaining'] === '0' && resetS > 0) return Math.max(1000, resetS * 1000 - nowMs)
  const answer = parseJson(text)
  const docs = isJsonObject(answer) ? answer.documentation_url : undefined
  return typeof docs === 'string' && docs.includes('rate-limit') ? secondaryLimitMs : undefined
}

export function gitHubPullRequest(env: Env, event: unknown, sleep?: Sleep): CommentStore {
  const pull = pullRequestOf(env, event)
  const { repository, number, commit } = pull
  const rest = clientFor(pull, env, sleep)
  const comments = `/repos/${repository}/issues/${number}/comments`
  const one = (id: number): string => `/repos/${repository}/issues/comments/${id}`
  return {
    name: 'GitHub',
    async head() {
      const data = await rest.request('GET', `/repos/${repository}/pulls/${number}`)
      return (data as PullRequestData | undefined)?.head?.sha as string | undefined
    },
    list: async () => Array.from(await rest.list(comments, textsIn), ([id, body]) => ({ id, body })),
    create: async (body) => void (await rest.request('POST', comments, { body })),
    update: async (id, body) => void (await rest.request('PATCH', one(id), { body })),
    remove: async (id) => void (await rest.request('DELETE', one(id))),
    hintFor: (status) => hintFor(status, 'pull-requests'),
    request: `${repository}#${number}`,
    commit,
    close: rest.close,
  }
}

export function gitHubIssues(env: Env, label: string, sleep?: Sleep): ItemStore {
  const to = repositoryOf(env, [], { to: 'repository for an issue', job: 'any job' })
  const path = `/repos/${to.repository}/issues`
  return restItems(clientFor(to, env, sleep), {
    ...{ name: 'GitHub', what: 'issue', path, fields: { id: 'number', body: 'body' }, changes: 'PATCH' },
    query: () => ({ state: 'all', labels: label }),
    shown: (id) => `${to.repository}#${id}`,
    isItem: ({ pull_request }) => pull_request === undefined,
    made: (assignees, unowned) => {
      const people = assignees.flatMap((each) => /^@([\w-]+)$/.exec(each)?.[1] ?? [])
      const labels = [label, ...(people.length === 0 && unowned ? [unowned] : [])]
      return { labels, assignees: people.slice(0, 10) }
    },
    ...ofGitHub(path, 'issues'),
  })
}

/** Pull requests from a branch of the same repository; those that were merged are over. */
export function gitHubPullRequests(env: Env, branch: string, sleep?: Sleep): RequestStore {
  const to = repositoryOf(env, [], { to: 'repository for a pull request', job: 'any job' })
  const { repository } = to
  const path = `/repos/${repository}/pulls`
  const rest = clientFor(to, env, sleep)
  const base = cacheUnlessFailed(async () => defaultBranchIn(await rest.request('GET', `/repos/${repository}`)))
  return {
    ...restItems(rest, {
      ...{ name: 'GitHub', what: 'pull request', path, fields: { id: 'number', body: 'body' }, changes: 'PATCH' },
      query: async () => ({ state: 'all', head: `${repository.split('/')[0]}:${branch}`, base: await base() }),
      shown: (id) => `${repository}#${id}`,
      isItem: ({ merged_at }) => merged_at === undefined || merged_at === null,
      made: async () => ({ head: branch, base: await base() }),
      ...ofGitHub(`/repos/${repository}/issues`, 'pull-requests'),
      hintFor: (status) =>
        status === 403
          ? 'The job needs `permissions: pull-requests: write`, ' +
            'and the repository the setting "Allow GitHub Actions to create and approve pull requests".'
          : hintFor(status, 'pull-requests'),
    }),
    base,
  }
}

const ofGitHub = (issues: string, permission: Parameters<typeof hintFor>[1]) => ({
  commentsOf: (id: number) => `${issues}/${id}/comments`,
  state: (isOpen: boolean) => ({ state: isOpen ? 'open' : 'closed' }),
  hintFor: (status: number) => hintFor(status, permission),
})

function hintFor(status: number, permission: 'pull-requests' | 'checks' | 'issues'): string | undefined {
  if (status === 401) return 'Check the token in `GITHUB_TOKEN`.'
  if (permission === 'issues' && status === 410) return 'Switch issues on in the settings of the repository.'
  if (permission === 'issues' && (status === 403 || status === 404))
    return 'The job needs `permissions: issues: write`.'
  if (status === 403 || status === 404)
    return (
      `The job needs \`permissions: ${permission}: write\`. ` +
      'Pull requests of forks never have it: run only `validate` for them.'
    )
  return undefined
}

interface Check {
  /** By which it is found again, with others of the commit that are not ours. */
  readonly name: string
  readonly conclusion: 'success' | 'failure'
  /** One line. */
  readonly title: string
  /** Markdown. */
  readonly summary: string
}

interface CheckRun {
  readonly id: number
  readonly external_id?: string | null
  readonly conclusion?: string | null
  readonly output?: { readonly title?: string | null; readonly summary?: string | null }
}

/** GitHub counts the last check of a name, so two do no harm. Rejects with an OperatorError that holds no token. */
export async function postCheck(
  to: Repository & { readonly commit: string },
  { name, conclusion, title, summary }: Check,
  env: Env,
  sleep?: Sleep,
): Promise<'created' | 'updated' | 'unchanged'> {
  const rest = clientFor(to, env, sleep)
  const checks = `/repos/${to.repository}/check-runs`
  const content = { status: 'completed', conclusion, output: { title, summary } }
  const settle = async (): Promise<'created' | 'updated' | 'unchanged'> => {
    const address = `/repos/${to.repository}/commits/${to.commit}/check-runs?check_name=${encodeURIComponent(name)}`
    const [own] = [...(await rest.list(address, checksIn)).values()]
      .filter(({ external_id }) => external_id === 'svcsync')
      .sort((a, b) => b.id - a.id)
    if (own === undefined) {
      await rest.request('POST', checks, { name, head_sha: to.commit, external_id: 'svcsync', ...content })
      return 'created'
    }
    const { title: oldTitle, summary: oldSummary } = own.output ?? {}
    if (own.conclusion === conclusion && oldTitle === title && sameText(oldSummary ?? '', summary)) return 'unchanged'
    await rest.request('PATCH', `${checks}/${own.id}`, content)
    return 'updated'
  }
  try {
    return await postSafely(settle, {
      ...{ name: 'GitHub', what: 'check', code: 'SVC2817', mayBeWritten: () => true },
      hintFor: (status) => hintFor(status, 'checks'),
    })
  } finally {
    rest.close()
  }
}

function checksIn(page: unknown): ReadonlyMap<number, CheckRun> {
  const { check_runs: runs } = isJsonObject(page) ? page : {}
  return new Map((Array.isArray(runs) ? (runs as CheckRun[]) : []).map((each) => [each.id, each]))
}

interface PullRequestData {
  readonly number?: unknown
  readonly head?: { readonly sha?: unknown }
}

/** `event`: the content of the file that GITHUB_EVENT_PATH names. */
function pullRequestIn(event: unknown): PullRequestData | undefined {
  return (event as { readonly pull_request?: PullRequestData } | undefined)?.pull_request
}

/** `to`: see requireAll. `job`: which has what is needed. */
export function repositoryOf(
  env: Env,
  missing: readonly string[],
  { to, job }: { readonly to?: string; readonly job: string } = { job: 'a job that runs for `pull_request`' },
): Repository {
  const { GITHUB_TOKEN = '', GITHUB_REPOSITORY = '', GITHUB_API_URL = 'https://api.github.com' } = env
  const url = parseUrl(GITHUB_API_URL)
  requireAll(
    [
      ...(url !== undefined && isPrivate(url) ? [] : ['an https address in GITHUB_API_URL']),
      ...(GITHUB_TOKEN === '' ? ['GITHUB_TOKEN'] : []),
      ...(/^\w[\w-]*\/[\w.-]+$/.test(GITHUB_REPOSITORY) ? [] : ['GITHUB_REPOSITORY']),
      ...missing,
    ],
    `Post from ${job}, with \`GITHUB_TOKEN: \${{ github.token }}\` among its variables.`,
    to,
  )
  return { repository: GITHUB_REPOSITORY, apiUrl: GITHUB_API_URL, token: GITHUB_TOKEN }
}

/** The pull request of a GitHub job. Throws an OperatorError that names missing variables. */
export function pullRequestOf(env: Env, event: unknown): PullRequest {
  const pull = pullRequestIn(event)
  const inRef = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '')?.[1]
  const number = typeof pull?.number === 'number' ? pull.number : Number(inRef)
  const missing = Number.isInteger(number) ? [] : ['the number of a pull request in GITHUB_EVENT_PATH or GITHUB_REF']
  const sha = pull?.head?.sha
  return { ...repositoryOf(env, missing), number, commit: typeof sha === 'string' ? sha : undefined }
}

/** The last commit of a pull request, not GitHub's merge commit; else the job's commit. Throws likewise. */
export function checkedCommitOf(env: Env, event: unknown): Repository & { readonly commit: string } {
  const commit = String(pullRequestIn(event)?.head?.sha ?? env.GITHUB_SHA)
  const isCommit = /^[\da-f]{6,64}$/.test(commit)
  return { ...repositoryOf(env, isCommit ? [] : ['a commit in GITHUB_EVENT_PATH or GITHUB_SHA']), commit }
}
