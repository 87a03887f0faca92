// Notes on a merge request of GitLab, and what a job of GitLab says of its merge request.
import type { Env } from '@svcsync/platform/agents.ts'
import { type Destination, requireAll } from './post-comment.ts'
import { createRest, textsIn } from './rest.ts'

export function gitLabMergeRequest(env: Env, sleep?: (delayMs: number) => Promise<unknown>): Destination {
  const { GITLAB_TOKEN: token = '', CI_API_V4_URL: baseUrl = '', CI_MERGE_REQUEST_IID: iid = '' } = env
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID || ''
  requireAll(
    [
      ...(token === '' ? ['GITLAB_TOKEN'] : []),
      ...(baseUrl === '' ? ['CI_API_V4_URL'] : []),
      ...(/^\d+$/.test(iid) ? [] : ['CI_MERGE_REQUEST_IID']),
      ...(/^\d+$/.test(project) ? [] : ['CI_MERGE_REQUEST_PROJECT_ID']),
    ],
    'Post from a job with the rule `$CI_PIPELINE_SOURCE == "merge_request_event"`, and with an access token of the project as the variable GITLAB_TOKEN.',
  )
  const rest = createRest({
    baseUrl,
    headers: { 'private-token': token },
    token,
    // Of a server with a certificate authority of its own.
    caFile: env.CI_SERVER_TLS_CA_FILE || undefined,
    env,
    sleep,
  })
  const request = `/projects/${project}/merge_requests/${iid}`

  const list: Destination['list'] = async () => {
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
    hintFor: (status) => {
      if (status === 401) return 'Check the token in `GITLAB_TOKEN`.'
      if (status === 403 || status === 404)
        return 'The token in `GITLAB_TOKEN` needs the scope `api`, and the role Reporter in the project of the merge request.'
      return undefined
    },
    request: `${env.CI_MERGE_REQUEST_PROJECT_PATH ?? ''}!${iid}`,
    // In a pipeline for merged results, CI_COMMIT_SHA is a commit that nobody has made.
    commit: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA || undefined,
    close: rest.close,
  }
}
