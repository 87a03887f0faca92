// GitLab, as far as notes of a merge request take it.
import {
  type Answer,
  type Asked,
  changeComment,
  changeItem,
  type Dialect,
  makeComment,
  makeItem,
  newId,
  notFound,
  people,
  type StoredItem,
  token,
} from './pretended-forge.ts'

const request = '/api/v4/projects/42/merge_requests/7'

export const gitLab = (pageSize: number): Dialect => ({
  isKnown: (headers) => headers['private-token'] === token,
  unknown: { status: 401, value: { message: '401 Unauthorized' } },
  answer(asked) {
    const { method, url, forge } = asked
    const path = url.pathname
    const ofIssue = /^\/api\/v4\/projects\/42\/issues(?:\/(\d+)(\/notes)?)?$/.exec(path)
    if (ofIssue !== null) return answerIssue(asked, ofIssue[1], ofIssue[2] !== undefined, pageSize)
    if (path === '/api/v4/projects/42') return { status: 200, value: { default_branch: 'main' } }
    const ofRequest = /^\/api\/v4\/projects\/42\/merge_requests(?:\/(\d{5,})(\/notes)?)?$/.exec(path)
    if (ofRequest !== null) return answerRequest(asked, ofRequest[1], ofRequest[2] !== undefined, pageSize)
    if (path === '/api/v4/users') {
      const found = people.indexOf(url.searchParams.get('username') ?? '')
      return { status: 200, value: found < 0 ? [] : [{ id: found, username: people[found] }] }
    }
    if (method === 'GET' && path === request) return { status: 200, value: { iid: 7, sha: forge.head } }
    if (path === `${request}/notes`) return answerNotes(asked, pageSize)
    return path.startsWith(`${request}/notes/`) ? answerNote(asked, path.slice(request.length + 7)) : notFound()
  },
})

function answerNotes({ method, url, body, forge }: Asked, pageSize: number): Answer {
  if (method === 'POST') {
    const text = String(body.body)
    if (text.length > 1_000_000) return { status: 400, value: { message: { note: ['is too long'] } } }
    return { status: 201, value: { id: makeComment(forge, text), body: text } }
  }
  // Fewer than were asked for: the server has a limit of its own.
  const from = (Number(url.searchParams.get('page') ?? 1) - 1) * pageSize
  return { status: 200, value: forge.comments.slice(from, from + pageSize) }
}

function answerNote({ method, body, forge }: Asked, id: string): Answer {
  const status = changeComment(forge, Number(id), method === 'DELETE' ? undefined : String(body.body))
  if (status !== 200) return { status, value: { message: `${status} Not yours` } }
  return method === 'DELETE' ? { status: 204 } : { status: 200, value: {} }
}

function answerIssue(asked: Asked, id: string | undefined, isNote: boolean, pageSize: number): Answer {
  const { method, url, body, forge } = asked
  const shown = ({ id: iid, title, body: description, isOpen }: StoredItem) => {
    return { iid, title, description, state: isOpen ? 'opened' : 'closed' }
  }
  if (id === undefined && method === 'GET') {
    const own = forge.issues.filter(({ labels }) => labels.includes(String(url.searchParams.get('labels'))))
    const from = (Number(url.searchParams.get('page') ?? 1) - 1) * pageSize
    return { status: 200, value: own.slice(from, from + pageSize).map(shown) }
  }
  if (id === undefined) {
    const { title, description, labels, assignee_ids: ids = [], confidential } = body as Readonly<Record<string, never>>
    const assignees = (ids as number[]).map((each) => people[each] as string)
    const made = { title: String(title), body: String(description), labels: String(labels).split(','), assignees }
    return { status: 201, value: shown(makeItem(forge.issues, { ...made, confidential })) }
  }
  const issue = forge.issues.find((each) => each.id === Number(id))
  if (issue === undefined) return notFound()
  if (isNote) {
    issue.comments.push(String(body.body))
    return { status: 201, value: { id: newId() } }
  }
  changeItem(forge.issues, issue.id, changeIn(body))
  return { status: 200, value: shown(issue) }
}

function changeIn({ title, description, state_event: event }: Asked['body']): Partial<StoredItem> {
  return {
    ...(title !== undefined && { title: String(title) }),
    // It drops what is blank at the end.
    ...(description !== undefined && { body: String(description).trimEnd() }),
    ...(event !== undefined && { isOpen: event === 'reopen' }),
  }
}

function answerRequest(asked: Asked, id: string | undefined, isNote: boolean, pageSize: number): Answer {
  const { method, url, body, forge } = asked
  const shown = ({ id: iid, title, body: description, isOpen, isMerged }: StoredItem) => {
    return { iid, title, description, state: isMerged ? 'merged' : isOpen ? 'opened' : 'closed' }
  }
  if (id === undefined && method === 'GET') {
    const [head, base] = ['source_branch', 'target_branch'].map((name) => url.searchParams.get(name))
    const own = forge.pulls.filter((each) => each.head === head && each.base === base)
    const from = (Number(url.searchParams.get('page') ?? 1) - 1) * pageSize
    return { status: 200, value: own.slice(from, from + pageSize).map(shown) }
  }
  const { title, description, source_branch: head, target_branch: base } = body as Readonly<Record<string, string>>
  if (id === undefined) {
    if (forge.pulls.some((each) => each.isOpen && each.head === head && each.base === base))
      return { status: 409, value: { message: ['Another open merge request already exists for this source branch'] } }
    const made = makeItem(forge.pulls, { title: String(title), body: String(description), head, base, isMerged: false })
    return { status: 201, value: shown(made) }
  }
  const request = forge.pulls.find((each) => each.id === Number(id))
  if (request === undefined) return notFound()
  if (isNote) request.comments.push(String(body.body))
  else changeItem(forge.pulls, request.id, changeIn(body))
  return { status: 200, value: shown(request) }
}
