// Notes on a merge request of GitLab, and what a job of GitLab says of its merge request.
import type { Env } from '@svcsync/platform/agents.ts'
import type { ItemStore, RequestStore } from './keep-item.ts'
import { type CommentStore, requireAll } from './post-comment.ts'
import { createRest, type Sleep, textsIn } from './rest.ts'
import { cacheUnlessFailed, defaultBranchIn, restItems } from './rest-items.ts'

/** The project of the job, and the connection to it. Throws an OperatorError that names missing variables. */
function projectOf(env: Env, sleep: Sleep | undefined, more: readonly string[], messages: readonly [string, string?]) {
  const { GITLAB_TOKEN: token = '', CI_API_V4_URL: baseUrl = '' } = env
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID || ''
  const missing = [
    ...(token === '' ? ['GITLAB_TOKEN'] : []),
    ...(baseUrl === '' ? ['CI_API_V4_URL'] : []),
    ...more,
    ...(/^\d+$/.test(project) ? [] : [messages.length === 1 ? 'CI_MERGE_REQUEST_PROJECT_ID' : 'CI_PROJECT_ID']),
  ]
  const [job, to] = messages
  requireAll(missing, `Post from ${job}, and with an access token of the project as the variable GITLAB_TOKEN.`, to)
  // The file of a server with its own certificate authority.
  const caFile = env.CI_SERVER_TLS_CA_FILE || undefined
  const rest = createRest({ baseUrl, headers: { 'private-token': token }, token, caFile, env, sleep })
  return { rest, path: `/projects/${project}` }
}

function hintFor(status: number, where: string): string | undefined {
  if (status === 401) return 'Check the token in `GITLAB_TOKEN`.'
  if (status === 403 || status === 404)
    return `The token in \`GITLAB_TOKEN\` needs the scope \`api\`, and the role Reporter in the project${where}.`
  return undefined
}

export function gitLabMergeRequest(env: Env, sleep?: Sleep): CommentStore {
  const { CI_MERGE_REQUEST_IID: iid = '' } = env
  const missing = /^\d+$/.test(iid) ? [] : ['CI_MERGE_REQUEST_IID']
  const { rest, path } = projectOf(env, sleep, missing, [
    'a job with the rule `$CI_PIPELINE_SOURCE == "merge_request_event"`',
  ])
  const request = `${path}/merge_requests/${iid}`

  const list: CommentStore['list'] = async () => {
    const notes = await rest.list(`${request}/notes?sort=asc&order_by=created_at`, textsIn)
    return Array.from(notes, ([id, body]) => ({ id, body }))
  }
  return {
    name: 'GitLab',
    head: async () => ((await rest.request('GET', request)) as { readonly sha?: string } | undefined)?.sha,
    list,
    create: async (body) => void (await rest.request('POST', `${request}/notes`, { body })),
    update: async (id, body) => void (await rest.request('PUT', `${request}/notes/${id}`, { body })),
    remove: async (id) => void (await rest.request('DELETE', `${request}/notes/${id}`)),
    hintFor: (status) => hintFor(status, ' of the merge request'),
    request: `${env.CI_MERGE_REQUEST_PROJECT_PATH ?? ''}!${iid}`,
    // In a pipeline for merged results, CI_COMMIT_SHA is a commit that nobody has made.
    commit: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA || undefined,
    close: rest.close,
  }
}

/** Issues with this label, confidential: guests of a private project see its issues, and a drift names people. */
export function gitLabIssues(env: Env, label: string, sleep?: Sleep): ItemStore {
  const { rest, path } = projectOf(env, sleep, [], ['any job of the project', 'project for an issue'])
  const issues = `${path}/issues`
  return restItems(rest, {
    ...{ name: 'GitLab', what: 'issue', path: issues, fields: ofGitLab.fields, changes: 'PUT' },
    query: () => ({ scope: 'all', labels: label }),
    shown: (id) => `${env.CI_PROJECT_PATH ?? ''}#${id}`,
    made: async (assignees, unowned) => {
      // A name that is no person of GitLab is a group, and mentioned.
      const people = await Promise.all(assignees.map((each) => userIdsOf(rest, each)))
      const known = people.flat()
      const labels = [label, ...(known.length === 0 && unowned ? [unowned] : [])].join(',')
      return { labels, assignee_ids: known, confidential: true }
    },
    commentsOf: (id) => `${issues}/${id}/notes`,
    state: ofGitLab.state,
    hintFor: (status) => hintFor(status, ''),
  })
}

/** Merge requests from a branch of the same project; those that were merged are over. */
export function gitLabMergeRequests(env: Env, branch: string, sleep?: Sleep): RequestStore {
  const { rest, path } = projectOf(env, sleep, [], ['any job of the project', 'project for a merge request'])
  const requests = `${path}/merge_requests`
  const base = cacheUnlessFailed(async () => defaultBranchIn(await rest.request('GET', path)))
  return {
    ...restItems(rest, {
      ...{ name: 'GitLab', what: 'merge request', path: requests, fields: ofGitLab.fields, changes: 'PUT' },
      query: async () => ({ scope: 'all', state: 'all', source_branch: branch, target_branch: await base() }),
      shown: (id) => `${env.CI_PROJECT_PATH ?? ''}!${id}`,
      isItem: ({ state }) => state !== 'merged',
      made: async () => ({ source_branch: branch, target_branch: await base(), remove_source_branch: true }),
      commentsOf: (id) => `${requests}/${id}/notes`,
      state: ofGitLab.state,
      hintFor: (status) =>
        status === 403
          ? 'The token in `GITLAB_TOKEN` needs the scope `api`, and the role Developer in the project.'
          : hintFor(status, ''),
    }),
    base,
  }
}

const ofGitLab = {
  fields: { id: 'iid', body: 'description' },
  state: (isOpen: boolean) => ({ state_event: isOpen ? 'reopen' : 'close' }),
} as const

async function userIdsOf(rest: ReturnType<typeof createRest>, owner: string): Promise<number[]> {
  const name = /^@([\w.-]+)$/.exec(owner)?.[1]
  if (name === undefined) return []
  const found = await rest.request('GET', `/users?username=${encodeURIComponent(name)}`)
  return (Array.isArray(found) ? (found as { readonly id: number }[]) : []).map(({ id }) => id)
}
