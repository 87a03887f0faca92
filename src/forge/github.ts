// Comments on a pull request of GitHub, and what a job of GitHub says of its pull request.
import { setTimeout as sleep } from 'node:timers/promises'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { type Comment, type Destination, type Forge, requireAll } from './post-comment.ts'

interface PullRequest {
  /** `owner/name`. */
  readonly repository: string
  readonly number: number
  /** `https://api.github.com`. */
  readonly apiUrl: string
  readonly token: string
  /** The last commit of the pull request that was planned; undefined: nobody knows. */
  readonly commit: string | undefined
}

const Client = Octokit.plugin(paginateRest, retry, throttling)
/** A limit that is told to last longer is a reason to give up: the plan itself is done. */
const mostWaitS = 60
const mostAttempts = 3

/** `secondMs`: milliseconds that stand for a second of waiting. */
export function gitHubForge({ repository, number, apiUrl, token }: PullRequest, secondMs = 1000): Forge {
  const wait = (afterS: number, options: { readonly request?: { readonly retryCount?: number } }): boolean =>
    afterS <= mostWaitS && (options.request?.retryCount ?? 0) < mostAttempts
  const client = new Client({
    auth: token,
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent: 'svcsync',
    retry: { retryAfterBaseValue: secondMs },
    throttle: {
      write: paced(secondMs),
      notifications: paced(3 * secondMs),
      retryAfterBaseValue: secondMs,
      fallbackSecondaryRateRetryAfter: 10,
      onRateLimit: (after: number, options: object) => wait(after, options),
      onSecondaryRateLimit: (after: number, options: object) => wait(after, options),
    },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  const comments = `/repos/${repository}/issues/${number}/comments`
  const one = (id: number): string => `/repos/${repository}/issues/comments/${id}`
  return {
    name: 'GitHub',
    async head() {
      const { data } = await client.request(`GET /repos/${repository}/pulls/${number}`)
      return (data as { readonly head?: { readonly sha?: string } }).head?.sha
    },
    async list() {
      const all = (await client.paginate(`GET ${comments}`, { per_page: 100 })) as readonly Partial<Comment>[]
      return all.flatMap(({ id, body = '' }) => (id === undefined ? [] : [{ id, body: body ?? '' }]))
    },
    create: async (body) => void (await client.request(`POST ${comments}`, { body, request: { retries: 0 } })),
    update: async (id, body) => void (await client.request(`PATCH ${one(id)}`, { body })),
    remove: async (id) => void (await client.request(`DELETE ${one(id)}`)),
    hintFor: (status) => {
      if (status === 401) return 'Check the token in `GITHUB_TOKEN`.'
      if (status === 403 || status === 404)
        return 'The job needs `permissions: pull-requests: write`. Pull requests of forks have it never: they get `validate` alone.'
      return undefined
    },
  }
}

/** Pauses between the requests of one client, as GitHub asks for: those that the plugin brings know no other clock. */
function paced(gapMs: number): never {
  let freeAtMs = 0
  const schedule = async <T>(_: object, task: (...args: readonly unknown[]) => T, ...args: readonly unknown[]) => {
    const atMs = Math.max(freeAtMs, Date.now())
    freeAtMs = atMs + gapMs
    if (atMs > Date.now()) await sleep(atMs - Date.now())
    return task(...args)
  }
  return { key: () => ({ schedule }) } as never
}

function ignore(): void {}

/** What a job of GitHub says of its pull request. Throws an OperatorError that names what is missing. */
export function pullRequestOf(
  env: Readonly<Record<string, string | undefined>>,
  /** The content of the file that GITHUB_EVENT_PATH names. */
  event: unknown,
): PullRequest {
  const { GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL = 'https://api.github.com', GITHUB_REF = '' } = env
  const pull = (
    event as
      | { readonly pull_request?: { readonly number?: unknown; readonly head?: { readonly sha?: unknown } } }
      | undefined
  )?.pull_request
  const number = typeof pull?.number === 'number' ? pull.number : Number(/^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1])
  const missing = [
    ...(GITHUB_TOKEN ? [] : ['GITHUB_TOKEN']),
    ...(GITHUB_REPOSITORY && /^\w[\w-]*\/[\w.-]+$/.test(GITHUB_REPOSITORY) ? [] : ['GITHUB_REPOSITORY']),
    ...(Number.isInteger(number) ? [] : ['the number of a pull request in GITHUB_EVENT_PATH or GITHUB_REF']),
  ]
  requireAll(
    missing,
    'Post from a job that runs for `pull_request`, with `GITHUB_TOKEN: ${{ github.token }}` among its variables.',
  )
  const sha = pull?.head?.sha
  return {
    repository: GITHUB_REPOSITORY as string,
    number,
    apiUrl: GITHUB_API_URL,
    token: GITHUB_TOKEN as string,
    commit: typeof sha === 'string' ? sha : undefined,
  }
}

export function gitHubPullRequest(env: Readonly<Record<string, string | undefined>>, event: unknown): Destination {
  const pull = pullRequestOf(env, event)
  return { forge: gitHubForge(pull), request: `${pull.repository}#${pull.number}`, commit: pull.commit }
}
