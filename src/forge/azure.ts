// Threads of a pull request of Azure Repos, and what a job of Azure Pipelines says of its pull request.
import type { Env } from '@svcsync/platform/agents.ts'
import { type Destination, requireAll } from './post-comment.ts'
import { createRest } from './rest.ts'

/** A comment of ours is the first of a thread of its own. */
interface Thread {
  readonly id?: number
  readonly isDeleted?: boolean
  readonly comments?: readonly { readonly id?: number; readonly content?: string; readonly isDeleted?: boolean }[]
}

const version = '?api-version=7.1'

export function azurePullRequest(env: Env, sleep?: (delayMs: number) => Promise<unknown>): Destination {
  const { SYSTEM_ACCESSTOKEN: token = '', SYSTEM_PULLREQUEST_PULLREQUESTID: id = '' } = env
  const { SYSTEM_COLLECTIONURI: baseUrl = '', BUILD_REPOSITORY_ID: repository = '' } = env
  const project = env.SYSTEM_TEAMPROJECTID || env.SYSTEM_TEAMPROJECT || ''
  // What Azure Pipelines builds may lie elsewhere, and the pull request with it.
  const isElsewhere = env.BUILD_REPOSITORY_PROVIDER !== undefined && env.BUILD_REPOSITORY_PROVIDER !== 'TfsGit'
  requireAll(
    [
      ...(token === '' ? ['SYSTEM_ACCESSTOKEN'] : []),
      ...(baseUrl === '' ? ['SYSTEM_COLLECTIONURI'] : []),
      ...(project === '' ? ['SYSTEM_TEAMPROJECTID'] : []),
      ...(repository === '' ? ['BUILD_REPOSITORY_ID'] : []),
      ...(isElsewhere ? ['a repository of Azure Repos'] : []),
      ...(/^\d+$/.test(id) ? [] : ['SYSTEM_PULLREQUEST_PULLREQUESTID']),
    ],
    'Post from a job for pull requests of Azure Repos, with `SYSTEM_ACCESSTOKEN: $(System.AccessToken)` under `env:` of the step.',
  )
  const rest = createRest({ baseUrl, headers: { authorization: `Bearer ${token}` }, token, env, sleep })
  const names = [project, '_apis/git/repositories', repository].map((part) =>
    part.split('/').map(encodeURIComponent).join('/'),
  )
  const request = `/${names.join('/')}/pullRequests/${id}`
  // The id of the comment within its thread: the first has 1.
  const first = new Map<number, number>()
  const one = (thread: number): string => `${request}/threads/${thread}/comments/${first.get(thread) ?? 1}${version}`

  const list: Destination['list'] = async () => {
    const answer = (await rest.request('GET', `${request}/threads${version}`)) as { readonly value?: readonly Thread[] }
    return (answer?.value ?? []).flatMap(({ id: thread, isDeleted, comments = [] }) => {
      const [comment] = comments
      if (thread === undefined || comment?.content === undefined || isDeleted || comment.isDeleted) return []
      first.set(thread, comment.id ?? 1)
      return [{ id: thread, body: comment.content }]
    })
  }
  return {
    name: 'Azure DevOps',
    async head() {
      const pull = await rest.request('GET', `${request}${version}`)
      const { lastMergeSourceCommit } = pull as { readonly lastMergeSourceCommit?: { readonly commitId?: string } }
      return lastMergeSourceCommit?.commitId
    },
    list,
    // Without a status: it is nothing to resolve, and holds up no policy that all comments be resolved.
    create: async (content) => {
      const comments = [{ parentCommentId: 0, content, commentType: 'text' }]
      await rest.request('POST', `${request}/threads${version}`, { comments })
    },
    update: async (thread, content) => void (await rest.request('PATCH', one(thread), { content })),
    remove: async (thread) => void (await rest.request('DELETE', one(thread))),
    hintFor: (status) => {
      if (status === 401) return 'Check `SYSTEM_ACCESSTOKEN`: it is `$(System.AccessToken)`.'
      if (status === 403 || status === 404)
        return 'The build service needs the permission "Contribute to pull requests" on the repository.'
      return undefined
    },
    request: `${env.BUILD_REPOSITORY_NAME ?? ''}!${id}`,
    commit: env.SYSTEM_PULLREQUEST_SOURCECOMMITID || undefined,
    close: rest.close,
  }
}
