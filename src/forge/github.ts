// Comments on a pull request of GitHub, the check of a commit, and what a job of GitHub says of both.

import { setTimeout as sleep } from 'node:timers/promises'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { parseUrl } from '../core/model/url.ts'
import type { Env } from '../platform/agents.ts'
import { isPrivate } from '../platform/client-options.ts'
import { type Destination, mostAttempts, posted, requireAll, sameText } from './post-comment.ts'

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

const Client = Octokit.plugin(paginateRest, retry, throttling)
/** A limit that is told to last longer is a reason to give up: the plan itself is done. */
const mostWaitS = 60

function clientFor({ apiUrl, token }: Repository, secondMs: number): InstanceType<typeof Client> {
  const wait = (afterS: number, options: { readonly request?: { readonly retryCount?: number } }): boolean =>
    afterS <= mostWaitS && (options.request?.retryCount ?? 0) < mostAttempts
  return new Client({
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
}

/** `secondMs`: milliseconds that stand for a second of waiting. */
export function gitHubPullRequest(env: Env, event: unknown, secondMs = 1000): Destination {
  const pull = pullRequestOf(env, event)
  const { repository, number, commit } = pull
  const client = clientFor(pull, secondMs)
  const comments = `/repos/${repository}/issues/${number}/comments`
  const one = (id: number): string => `/repos/${repository}/issues/comments/${id}`
  return {
    name: 'GitHub',
    async head() {
      const { data } = await client.request(`GET /repos/${repository}/pulls/${number}`)
      return (data as { readonly head?: { readonly sha?: string } }).head?.sha
    },
    async list() {
      const all = (await client.paginate(`GET ${comments}`, { per_page: 100 })) as readonly {
        readonly id?: number
        readonly body?: string | null
      }[]
      return all.flatMap(({ id, body }) => (id === undefined ? [] : [{ id, body: body ?? '' }]))
    },
    create: async (body) => void (await client.request(`POST ${comments}`, { body, request: { retries: 0 } })),
    update: async (id, body) => void (await client.request(`PATCH ${one(id)}`, { body })),
    remove: async (id) => void (await client.request(`DELETE ${one(id)}`)),
    hintFor: (status) => hintFor(status, 'pull-requests'),
    request: `${repository}#${number}`,
    commit,
  }
}

function hintFor(status: number, permission: 'pull-requests' | 'checks'): string | undefined {
  if (status === 401) return 'Check the token in `GITHUB_TOKEN`.'
  if (status === 403 || status === 404)
    return `The job needs \`permissions: ${permission}: write\`. Pull requests of forks have it never: they get \`validate\` alone.`
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

/**
 * Of several with one name the last counts on GitHub, so two that are made at the same moment do no harm. Rejects with an
 * OperatorError; nothing of a token is in it.
 */
export async function postCheck(
  to: Repository & { readonly commit: string },
  { name, conclusion, title, summary }: Check,
  secondMs = 1000,
): Promise<'created' | 'updated' | 'unchanged'> {
  const client = clientFor(to, secondMs)
  const checks = `/repos/${to.repository}/check-runs`
  const said = { status: 'completed', conclusion, output: { title, summary } }
  const settle = async (): Promise<'created' | 'updated' | 'unchanged'> => {
    const asked = { check_name: name, per_page: 100 }
    const found = await client.paginate(`GET /repos/${to.repository}/commits/${to.commit}/check-runs`, asked)
    const [own] = (found as readonly CheckRun[])
      .filter(({ external_id }) => external_id === 'svcsync')
      .sort((a, b) => b.id - a.id)
    if (own === undefined) {
      const made = { name, head_sha: to.commit, external_id: 'svcsync', ...said }
      await client.request(`POST ${checks}`, { ...made, request: { retries: 0 } })
      return 'created'
    }
    const { title: oldTitle, summary: oldSummary } = own.output ?? {}
    if (own.conclusion === conclusion && oldTitle === title && sameText(oldSummary ?? '', summary)) return 'unchanged'
    await client.request(`PATCH ${checks}/${own.id}`, said)
    return 'updated'
  }
  return posted(settle, {
    ...{ name: 'GitHub', what: 'check', code: 'SVC2817', mayBeWritten: () => true },
    hintFor: (status) => hintFor(status, 'checks'),
  })
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

interface Pull {
  readonly number?: unknown
  readonly head?: { readonly sha?: unknown }
}

/** `event`: the content of the file that GITHUB_EVENT_PATH names. */
function pullIn(event: unknown): Pull | undefined {
  return (event as { readonly pull_request?: Pull } | undefined)?.pull_request
}

function repositoryOf(env: Env, missing: readonly string[]): Repository {
  const { GITHUB_TOKEN = '', GITHUB_REPOSITORY = '', GITHUB_API_URL = 'https://api.github.com' } = env
  const url = parseUrl(GITHUB_API_URL)
  requireAll(
    [
      ...(url !== undefined && isPrivate(url) ? [] : ['an https address in GITHUB_API_URL']),
      ...(GITHUB_TOKEN === '' ? ['GITHUB_TOKEN'] : []),
      ...(/^\w[\w-]*\/[\w.-]+$/.test(GITHUB_REPOSITORY) ? [] : ['GITHUB_REPOSITORY']),
      ...missing,
    ],
    'Post from a job that runs for `pull_request`, with `GITHUB_TOKEN: ${{ github.token }}` among its variables.',
  )
  return { repository: GITHUB_REPOSITORY, apiUrl: GITHUB_API_URL, token: GITHUB_TOKEN }
}

/** What a job of GitHub says of its pull request. Throws an OperatorError that names what is missing. */
export function pullRequestOf(env: Env, event: unknown): PullRequest {
  const pull = pullIn(event)
  const inRef = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '')?.[1]
  const number = typeof pull?.number === 'number' ? pull.number : Number(inRef)
  const missing = Number.isInteger(number) ? [] : ['the number of a pull request in GITHUB_EVENT_PATH or GITHUB_REF']
  const sha = pull?.head?.sha
  return { ...repositoryOf(env, missing), number, commit: typeof sha === 'string' ? sha : undefined }
}

/** Of a pull request its last commit, and not the one that GitHub makes of it and the branch; else that of the job. Throws likewise. */
export function checkedCommitOf(env: Env, event: unknown): Repository & { readonly commit: string } {
  const commit = String(pullIn(event)?.head?.sha ?? env.GITHUB_SHA)
  const isCommit = /^[\da-f]{6,64}$/.test(commit)
  return { ...repositoryOf(env, isCommit ? [] : ['a commit in GITHUB_EVENT_PATH or GITHUB_SHA']), commit }
}
