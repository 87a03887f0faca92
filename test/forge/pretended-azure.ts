// Azure DevOps, as far as threads of a pull request take it: deleted ones stay in the list, and strangers get a page to
// log in.
import {
  type Answer,
  type Asked,
  changeComment,
  changeItem,
  type Dialect,
  makeComment,
  makeItem,
  notFound,
  people,
  type StoredItem,
  token,
} from './pretended-forge.ts'

const repository = '/org/project-id/_apis/git/repositories/repo-id'
const request = `${repository}/pullRequests/7`

const items = '/org/project-id/_apis/wit'

/** The id of the first comment of a thread: mostly 1, and nothing says that it is. */
const firstIn = (thread: number): number => (thread % 2 === 0 ? 1 : 3)

export const azure = (): Dialect => ({
  isKnown: ({ authorization }) => authorization === `Bearer ${token}`,
  unknown: { status: 203, value: '<html>Sign in</html>' },
  answer(asked) {
    const { method, url, forge } = asked
    const path = url.pathname
    if (url.searchParams.get('api-version') !== '7.1') return { status: 400, value: { message: 'no version' } }
    if (path === repository) return { status: 200, value: { defaultBranch: 'refs/heads/main' } }
    if (path.startsWith(`${repository}/pullrequests`)) return answerPull(asked, path.slice(repository.length + 13))
    if (path.startsWith(items)) return answerItem(asked, path.slice(items.length))
    if (method === 'GET' && path === request)
      return { status: 200, value: { lastMergeSourceCommit: { commitId: forge.head } } }
    return path === `${request}/threads` ? answerThreads(asked) : answerComment(asked, path.slice(request.length))
  },
})

function answerThreads({ method, body, forge }: Asked): Answer {
  if (method === 'POST') {
    const [{ content = '' } = {}] = body.comments as readonly { content?: string }[]
    if (content.length > 150_000) return { status: 400, value: { message: 'The comment is too long' } }
    return { status: 200, value: { id: makeComment(forge, content) } }
  }
  const threads = forge.comments.map((comment) => ({
    id: comment.id,
    comments: [{ id: firstIn(comment.id), content: comment.body }],
  }))
  const deleted = { id: 1, comments: [{ id: 1, isDeleted: true }] }
  const system = { id: 2, comments: [{ id: 1, content: 'somebody voted', commentType: 'system' }] }
  return { status: 200, value: { value: [deleted, system, ...threads], count: threads.length } }
}

function answerComment({ method, body, forge }: Asked, path: string): Answer {
  const [, id, comment] = /^\/threads\/(\d+)\/comments\/(\d+)$/.exec(path) ?? []
  if (id === undefined || Number(comment) !== firstIn(Number(id))) return notFound()
  const status = changeComment(forge, Number(id), method === 'DELETE' ? undefined : String(body.content))
  return { status, value: status === 200 ? {} : { message: 'TF401027: You need the Git permission' } }
}

const states = [
  { name: 'New', category: 'Proposed' },
  { name: 'Active', category: 'InProgress' },
  { name: 'Done', category: 'Completed' },
]

interface Patch {
  readonly op: string
  readonly path: string
  readonly value: string
}

function answerItem({ method, url, body, forge }: Asked, path: string): Answer {
  if (path === '/workitemtypes/Task/states') return { status: 200, value: { value: states } }
  if (path === '/wiql') {
    const tag = /\[System.Tags\] CONTAINS '([^']+)'/.exec(String(body.query))?.[1] ?? ''
    const own = forge.issues.filter(({ labels }) => labels.includes(tag))
    return { status: 200, value: { workItems: own.map(({ id }) => ({ id })) } }
  }
  if (method === 'GET' && path === '/workitems') {
    const ids = (url.searchParams.get('ids') ?? '').split(',').map(Number)
    return { status: 200, value: { value: forge.issues.filter(({ id }) => ids.includes(id)).map(shownItem) } }
  }
  const patch = body as unknown as readonly Patch[]
  const field = (name: string) => patch.find((each) => each.path === `/fields/System.${name}`)?.value
  const isMarkdown = patch.some((each) => each.path === '/multilineFieldsFormat/System.Description')
  // HTML keeps no comment.
  const text = isMarkdown ? field('Description') : field('Description')?.replace(/<!--.*?-->/g, '')
  const state = field('State')
  const change = {
    ...(field('Title') !== undefined && { title: String(field('Title')) }),
    ...(text !== undefined && { body: text }),
    ...(state !== undefined && { isOpen: state !== 'Done', state }),
  }
  if (path === '/workitems/$Task') {
    const person = field('AssignedTo')
    if (person !== undefined && !people.includes(person.replace(/@.*/, '')))
      return {
        status: 400,
        value: { message: `The identity value '${person}' for field 'Assigned To' is an unknown identity.` },
      }
    const labels = (field('Tags') ?? '').split('; ')
    const made = makeItem(forge.issues, { ...change, labels, assignees: person === undefined ? [] : [person] })
    return { status: 200, value: shownItem(made) }
  }
  const item = forge.issues.find(({ id }) => path === `/workitems/${id}`)
  if (item === undefined) return notFound()
  changeItem(forge.issues, item.id, change)
  const said = field('History')
  if (said !== undefined) item.comments.push(said)
  return { status: 200, value: shownItem(item) }
}

const shownItem = ({ id, title, body, isOpen, state }: StoredItem) => {
  const shown = isOpen === (state !== 'Done') ? state : isOpen ? 'Active' : 'Done'
  return { id, fields: { 'System.Title': title, 'System.Description': body, 'System.State': shown } }
}

function answerPull({ method, url, body, forge }: Asked, path: string): Answer {
  const shown = ({ id: pullRequestId, title, body: description, isOpen, isMerged }: StoredItem) => {
    return { pullRequestId, title, description, status: isMerged ? 'completed' : isOpen ? 'active' : 'abandoned' }
  }
  const {
    title,
    description,
    sourceRefName: head,
    targetRefName: base,
    status,
  } = body as Readonly<Record<string, string>>
  if ((description ?? '').length > 4000)
    return { status: 400, value: { message: 'A maximum of 4000 characters is allowed in the description' } }
  if (path === '' && method === 'GET') {
    const [from, to] = ['sourceRefName', 'targetRefName'].map((name) => url.searchParams.get(`searchCriteria.${name}`))
    const own = forge.pulls.filter((each) => `refs/heads/${each.head}` === from && `refs/heads/${each.base}` === to)
    return { status: 200, value: { value: own.map(shown) } }
  }
  const branchOf = (ref = ''): string => ref.replace('refs/heads/', '')
  if (path === '') {
    if (forge.pulls.some((each) => each.isOpen && each.head === branchOf(head)))
      return {
        status: 409,
        value: { message: 'TF401179: An active pull request for the source and target branch already exists.' },
      }
    const of = { head: branchOf(head), base: branchOf(base), isMerged: false }
    return {
      status: 201,
      value: shown(makeItem(forge.pulls, { title: String(title), body: String(description), ...of })),
    }
  }
  const [, id, threads] = /^\/(\d+)(\/threads)?$/.exec(path) ?? []
  const pull = forge.pulls.find((each) => each.id === Number(id))
  if (pull === undefined) return notFound()
  if (threads !== undefined) {
    pull.comments.push(...(body.comments as readonly { readonly content: string }[]).map(({ content }) => content))
    return { status: 200, value: {} }
  }
  changeItem(forge.pulls, pull.id, {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { body: description }),
    ...(status !== undefined && { isOpen: status === 'active' }),
  })
  return { status: 200, value: shown(pull) }
}
