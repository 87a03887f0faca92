// Threads of a pull request of Azure Repos, and what a job of Azure Pipelines says of its pull request.
import type { Env } from '@svcsync/platform/agents.ts'
import type { Item, ItemStore, RequestStore } from './keep-item.ts'
import { type CommentStore, requireAll } from './post-comment.ts'
import { createRest, type Sleep } from './rest.ts'
import { cacheUnlessFailed, defaultBranchIn } from './rest-items.ts'

/** A comment of ours is the first of a thread of its own. */
interface Thread {
  readonly id?: number
  readonly isDeleted?: boolean
  readonly comments?: readonly { readonly id?: number; readonly content?: string; readonly isDeleted?: boolean }[]
}

const version = '?api-version=7.1'

/** The project of the job, and the connection to it. Throws an OperatorError that names missing variables. */
function projectOf(env: Env, sleep: Sleep | undefined, more: readonly string[], messages: readonly [string, string?]) {
  const { SYSTEM_ACCESSTOKEN: token = '', SYSTEM_COLLECTIONURI: baseUrl = '' } = env
  const project = env.SYSTEM_TEAMPROJECTID || env.SYSTEM_TEAMPROJECT || ''
  const missing = [
    ...(token === '' ? ['SYSTEM_ACCESSTOKEN'] : []),
    ...(baseUrl === '' ? ['SYSTEM_COLLECTIONURI'] : []),
    ...(project === '' ? ['SYSTEM_TEAMPROJECTID'] : []),
    ...more,
  ]
  const [job, to] = messages
  requireAll(
    missing,
    `Post from ${job}, with \`SYSTEM_ACCESSTOKEN: $(System.AccessToken)\` under \`env:\` of the step.`,
    to,
  )
  const rest = createRest({ baseUrl, headers: { authorization: `Bearer ${token}` }, token, env, sleep })
  return { rest, project }
}

/** Azure Pipelines builds repositories of other forges, whose pull requests are elsewhere. */
function repositoryMissing({ BUILD_REPOSITORY_ID, BUILD_REPOSITORY_PROVIDER: provider }: Env): readonly string[] {
  const isElsewhere = provider !== undefined && provider !== 'TfsGit'
  return [
    ...(BUILD_REPOSITORY_ID ? [] : ['BUILD_REPOSITORY_ID']),
    ...(isElsewhere ? ['a repository of Azure Repos'] : []),
  ]
}

const pathOf = (...names: readonly string[]): string =>
  `/${names.map((part) => part.split('/').map(encodeURIComponent).join('/')).join('/')}`

function hintFor(status: number, permission: string): string | undefined {
  if (status === 401) return 'Check `SYSTEM_ACCESSTOKEN`: it is `$(System.AccessToken)`.'
  if (status === 403 || status === 404) return `The build service needs the permission ${permission}.`
  return undefined
}

export function azurePullRequest(env: Env, sleep?: Sleep): CommentStore {
  const { SYSTEM_PULLREQUEST_PULLREQUESTID: id = '', BUILD_REPOSITORY_ID: repository = '' } = env
  const missing = [...repositoryMissing(env), ...(/^\d+$/.test(id) ? [] : ['SYSTEM_PULLREQUEST_PULLREQUESTID'])]
  const { rest, project } = projectOf(env, sleep, missing, ['a job for pull requests of Azure Repos'])
  const request = `${pathOf(project, '_apis/git/repositories', repository)}/pullRequests/${id}`
  // The id of the comment within its thread: the first has 1.
  const first = new Map<number, number>()
  const one = (thread: number): string => `${request}/threads/${thread}/comments/${first.get(thread) ?? 1}${version}`

  const list: CommentStore['list'] = async () => {
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
    hintFor: (status) => hintFor(status, '"Contribute to pull requests" on the repository'),
    request: `${env.BUILD_REPOSITORY_NAME ?? ''}!${id}`,
    commit: env.SYSTEM_PULLREQUEST_SOURCECOMMITID || undefined,
    close: rest.close,
  }
}

/** In every process there is this one. */
const workItemType = 'Task'
const asPatch = { as: 'application/json-patch+json' }

interface WorkItem {
  readonly id: number
  readonly fields?: Readonly<Record<string, unknown>>
}

interface WorkItemState {
  readonly name: string
  readonly category: string
}

export function azureWorkItems(env: Env, tag: string, sleep?: Sleep): ItemStore {
  const { rest, project } = projectOf(env, sleep, [], ['any job', 'project for a work item'])
  const items = pathOf(project, '_apis/wit')
  // The names of states depend on the process of the project.
  const states = cacheUnlessFailed(async () => {
    const data = await rest.request('GET', `${items}/workitemtypes/${workItemType}/states${version}`)
    return (data as { readonly value?: readonly WorkItemState[] } | undefined)?.value ?? []
  })
  const isOver = ({ category }: WorkItemState): boolean => category === 'Completed' || category === 'Removed'

  const list: ItemStore['list'] = async () => {
    const query =
      'SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = @project AND ' +
      `[System.WorkItemType] = '${workItemType}' AND [System.Tags] CONTAINS '${tag}' ORDER BY [System.Id]`
    const found = await rest.request('POST', `${items}/wiql${version}`, { query }, { reads: true })
    const ids = ((found as { readonly workItems?: readonly WorkItem[] })?.workItems ?? []).map(({ id }) => id)
    const over = new Set((await states()).filter(isOver).map(({ name }) => name))
    const all: Item[] = []
    for (let at = 0; at < ids.length; at += 200) {
      const asked = `ids=${ids.slice(at, at + 200)}&fields=System.Title,System.Description,System.State`
      const page = await rest.request('GET', `${items}/workitems${version}&${asked}`)
      for (const { id, fields = {} } of (page as { readonly value?: readonly WorkItem[] })?.value ?? []) {
        const text = (name: string): string => String(fields[`System.${name}`] ?? '')
        all.push({ id, title: text('Title'), body: text('Description'), isOpen: !over.has(text('State')) })
      }
    }
    return all
  }
  const patchOf = async ({ title, body, isOpen }: Parameters<ItemStore['change']>[1]) => {
    const to = isOpen === undefined ? undefined : isOpen ? 'Proposed' : 'Completed'
    const state = to && (await states()).find(({ category }) => category === to)?.name
    return [
      ...(title === undefined ? [] : [setField('Title', title)]),
      ...(body === undefined ? [] : [setField('Description', body), asMarkdown]),
      ...(state === undefined ? [] : [setField('State', state)]),
    ]
  }
  const patch = async (id: number, fields: readonly object[]): Promise<void> =>
    void (await rest.request('PATCH', `${items}/workitems/${id}${version}`, fields, asPatch))
  return {
    ...{ name: 'Azure DevOps', what: 'work item', close: rest.close, list },
    shown: (id) => `#${id}`,
    create: async ({ assignees, unowned, ...text }) => {
      const [person] = assignees.filter((each) => /^[^@\s]+@[^@\s]+$/.test(each))
      const tags = [tag, ...(person === undefined && unowned ? [unowned] : [])].join('; ')
      const more = [setField('Tags', tags), ...(person === undefined ? [] : [setField('AssignedTo', person)])]
      const fields = [...(await patchOf(text)), ...more]
      await rest.request('POST', `${items}/workitems/$${workItemType}${version}`, fields, asPatch)
    },
    change: async (id, change) => patch(id, await patchOf(change)),
    say: (id, sentence) => patch(id, [setField('History', sentence)]),
    hintFor: (status) => hintFor(status, '"Edit work items in this node" on the area of the project'),
  }
}

const setField = (field: string, value: string) => ({ op: 'add', path: `/fields/System.${field}`, value })
/** Otherwise Azure treats it as HTML, and drops the marker. */
const asMarkdown = { op: 'add', path: '/multilineFieldsFormat/System.Description', value: 'Markdown' }

interface PullRequestData {
  readonly pullRequestId: number
  readonly title?: string
  readonly description?: string
  readonly status?: string
}

/** Pull requests from a branch of the same repository; those that were completed are over. */
export function azurePullRequests(env: Env, branch: string, sleep?: Sleep): RequestStore {
  const messages = ['a job of a repository of Azure Repos', 'repository for a pull request'] as const
  const { rest, project } = projectOf(env, sleep, repositoryMissing(env), messages)
  const repository = pathOf(project, '_apis/git/repositories', env.BUILD_REPOSITORY_ID ?? '')
  const requests = `${repository}/pullrequests`
  const source = `refs/heads/${branch}`
  const base = cacheUnlessFailed(async () => defaultBranchIn(await rest.request('GET', `${repository}${version}`)))
  const target = async (): Promise<string> => `refs/heads/${await base()}`
  return {
    ...{ name: 'Azure DevOps', what: 'pull request', longest: 4000, close: rest.close },
    shown: (id) => `${env.BUILD_REPOSITORY_NAME ?? ''}!${id}`,
    list: async () => {
      const query = `searchCriteria.status=all&searchCriteria.sourceRefName=${encodeURIComponent(source)}`
      const into = `&searchCriteria.targetRefName=${encodeURIComponent(await target())}&$top=1000`
      const found = await rest.request('GET', `${requests}${version}&${query}${into}`)
      const all = (found as { readonly value?: readonly PullRequestData[] } | undefined)?.value ?? []
      return all
        .filter(({ status }) => status !== 'completed')
        .map(({ pullRequestId: id, title = '', description: body = '', status }) => ({
          ...{ id, title, body, isOpen: status === 'active' },
        }))
    },
    create: async ({ title, body }) => {
      const made = { sourceRefName: source, targetRefName: await target(), title, description: body }
      await rest.request('POST', `${requests}${version}`, made)
    },
    change: async (id, { title, body, isOpen }) => {
      const text = { ...(title !== undefined && { title }), ...(body !== undefined && { description: body }) }
      const state = isOpen === undefined ? {} : { status: isOpen ? 'active' : 'abandoned' }
      await rest.request('PATCH', `${requests}/${id}${version}`, { ...text, ...state })
    },
    say: async (id, content) => {
      const comments = [{ parentCommentId: 0, content, commentType: 'text' }]
      await rest.request('POST', `${requests}/${id}/threads${version}`, { comments })
    },
    hintFor: (status) => hintFor(status, '"Contribute to pull requests" on the repository'),
    base,
  }
}
