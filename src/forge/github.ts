// A comment on a pull request of GitHub: one, found by its marker, and kept up to date in its place.
import { randomUUID } from 'node:crypto'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { OperatorError } from '../errors/index.ts'

export interface PullRequest {
  /** `owner/name`. */
  readonly repository: string
  readonly number: number
  /** `https://api.github.com`. */
  readonly apiUrl: string
  readonly token: string
  /** The last commit of the pull request that was planned; undefined: nobody knows. */
  readonly commit: string | undefined
}

interface CommentRequest {
  /** The first line of the comment. */
  readonly marker: string
  readonly body: string
  /** There is nothing to do: a comment that is there says so, and none is made for it. */
  readonly isQuiet: boolean
  /** Milliseconds that stand for a second of waiting. Default: a thousand. */
  readonly secondMs?: number | undefined
}

/** What became of it. `outdated`: a newer commit is there, whose comment stands. */
export type Posted = 'created' | 'updated' | 'unchanged' | 'not needed' | 'outdated'

interface Comment {
  readonly id: number
  readonly body?: string
}

const Client = Octokit.plugin(paginateRest, retry, throttling)
/** A limit that is told to last longer is a reason to give up: the plan itself is done. */
const mostWaitS = 60
const mostAttempts = 3

/**
 * Two jobs that post at the same moment end with one comment: each looks again after it has made one, and all but the oldest go.
 * Rejects with an OperatorError; nothing of the token is in it.
 */
export async function postToGitHub(to: PullRequest, request: CommentRequest): Promise<Posted> {
  const { repository, number, apiUrl, token, commit } = to
  const { marker, isQuiet, secondMs = 1000 } = request
  const wait = (afterS: number, options: { readonly request?: { readonly retryCount?: number } }): boolean =>
    afterS <= mostWaitS && (options.request?.retryCount ?? 0) < mostAttempts
  const client = new Client({
    auth: token,
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent: 'svcsync',
    retry: { retryAfterBaseValue: secondMs },
    throttle: {
      // Pauses are between the requests of one comment: all that a process sends.
      id: randomUUID(),
      retryAfterBaseValue: secondMs,
      fallbackSecondaryRateRetryAfter: 10,
      onRateLimit: (after: number, options: object) => wait(after, options),
      onSecondaryRateLimit: (after: number, options: object) => wait(after, options),
    },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  const comments = `/repos/${repository}/issues/${number}/comments`
  const one = (id: number): string => `/repos/${repository}/issues/comments/${id}`
  // A comment is made once: what is repeated without a look would make two.
  const once = { request: { retries: 0 } }
  const body = commit === undefined ? request.body : withCommit(request.body, commit)

  const own = async (): Promise<readonly Comment[]> => {
    const all = (await client.paginate(`GET ${comments}`, { per_page: 100 })) as readonly Comment[]
    return all.filter((each) => each.body?.startsWith(marker)).sort((a, b) => a.id - b.id)
  }
  const remove = async (extra: readonly Comment[]): Promise<void> => {
    for (const { id } of extra) await client.request(`DELETE ${one(id)}`).catch(unlessGone)
  }

  async function settle(found: readonly Comment[]): Promise<Posted | undefined> {
    const [first, ...extra] = found
    if (first === undefined) return isQuiet ? 'not needed' : undefined
    await remove(extra)
    if (sameText(first.body ?? '', body)) return 'unchanged'
    const { status } = await client.request(`PATCH ${one(first.id)}`, { body }).catch(unlessGone)
    // Somebody deleted it in between.
    return status === 200 ? 'updated' : undefined
  }

  try {
    if (commit !== undefined && (await isOutdated(client, to))) return 'outdated'
    for (let attempt = 1; ; attempt++) {
      const settled = await settle(await own())
      if (settled !== undefined) return settled
      try {
        await client.request(`POST ${comments}`, { body, ...once })
      } catch (error) {
        // The answer may be lost, and the comment there.
        if (attempt >= mostAttempts || statusOf(error) < 500) throw error
        continue
      }
      const [first, ...extra] = await own()
      await remove(extra)
      if (first !== undefined && !sameText(first.body ?? '', body))
        await client.request(`PATCH ${one(first.id)}`, { body })
      return 'created'
    }
  } catch (error) {
    throw new OperatorError('SVC2185', `The comment could not be posted: ${reasonOf(error)}`, {
      hint: hintFor(statusOf(error)),
    })
  }
}

/** Whether the pull request has a later commit by now, whose job posts, or has posted. */
async function isOutdated(
  client: InstanceType<typeof Client>,
  { repository, number, commit }: PullRequest,
): Promise<boolean> {
  const { data } = await client.request(`GET /repos/${repository}/pulls/${number}`)
  const head = (data as { readonly head?: { readonly sha?: string } }).head?.sha
  return head !== undefined && head !== commit
}

function withCommit(body: string, commit: string): string {
  const [marker = '', ...rest] = body.split('\n')
  return [marker, `<!-- svcsync:commit:${commit.replace(/[^\w]/g, '')} -->`, ...rest].join('\n')
}

/** GitHub gives other line breaks back, and none at the end. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim()
  return plain(a) === plain(b)
}

function statusOf(error: unknown): number {
  const { status } = error as { readonly status?: unknown }
  return typeof status === 'number' ? status : 500
}

/** What is not there any more need not be deleted, and cannot be changed. */
function unlessGone(error: unknown): { readonly status: number } {
  const status = statusOf(error)
  if (status === 404 || status === 410) return { status }
  throw error
}

/** Not the error itself: it holds the request, and so the token. */
function reasonOf(error: unknown): string {
  const { status, message = '' } = error as { readonly status?: unknown; readonly message?: string }
  const said = message.split('\n')[0]?.slice(0, 200) ?? ''
  return typeof status === 'number' ? `GitHub answered ${status}: ${said}` : said
}

function hintFor(status: number): string {
  if (status === 401) return 'Check the token in `GITHUB_TOKEN`.'
  if (status === 403 || status === 404)
    return 'The job needs `permissions: pull-requests: write`. Pull requests of forks have it never: they get `validate` alone.'
  return 'The result itself stands. Run the job again.'
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
  if (missing.length > 0) {
    throw new OperatorError(
      'SVC2186',
      `There is no pull request to post to: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      {
        hint: 'Post from a job that runs for `pull_request`, with `GITHUB_TOKEN: ${{ github.token }}` among its variables.',
      },
    )
  }
  const sha = pull?.head?.sha
  return {
    repository: GITHUB_REPOSITORY as string,
    number,
    apiUrl: GITHUB_API_URL,
    token: GITHUB_TOKEN as string,
    commit: typeof sha === 'string' ? sha : undefined,
  }
}
