// GitHub, as far as comments and checks take it.
import {
  type Answer,
  type Asked,
  changeComment,
  changeItem,
  type Dialect,
  longestItem,
  makeComment,
  makeItem,
  newId,
  notFound,
  type PretendedForge,
  people,
  pretendForge,
  type StoredCheck,
  type StoredItem,
  token,
} from './pretended-forge.ts'

export function pretendGitHub(pageSize = 100): Promise<PretendedForge> {
  return pretendForge(gitHub(pageSize))
}

export const gitHub = (pageSize: number): Dialect => ({
  isKnown: ({ authorization }) => authorization === `Bearer ${token}`,
  unknown: { status: 401, value: { message: 'Bad credentials' } },
  answer(asked) {
    const { method, url, forge } = asked
    const path = url.pathname
    const ofCheck = /^\/repos\/org\/config\/(?:commits\/(\w+)\/check-runs|check-runs(?:\/(\d+))?)$/.exec(path)
    if (ofCheck !== null) return answerCheck(asked, ofCheck[1], ofCheck[2], pageSize)
    if (method === 'GET' && path === '/repos/org/config/pulls/7')
      return { status: 200, value: { head: { sha: forge.head } } }
    const list = forge.lists.get(path.replace('/repos/org/config/', ''))
    if (list !== undefined) return pageOf(list, asked, pageSize, (items) => items)
    if (path === '/repos/org/config/issues/7/comments') return answerComments(asked, pageSize)
    if (path === '/repos/org/config') return { status: 200, value: { default_branch: 'main' } }
    const ofPull = /^\/repos\/org\/config\/pulls(?:\/(\d{5,}))?$/.exec(path)
    if (ofPull !== null) return answerPull(asked, ofPull[1], pageSize)
    const ofIssue = /^\/repos\/org\/config\/issues(?:\/(\d{5,})(\/comments)?)?$/.exec(path)
    if (ofIssue !== null) return answerIssue(asked, ofIssue[1], ofIssue[2] !== undefined, pageSize)
    const id = /^\/repos\/org\/config\/issues\/comments\/(\d+)$/.exec(path)?.[1]
    return id === undefined ? notFound() : answerComment(asked, Number(id))
  },
})

function answerComments(asked: Asked, pageSize: number): Answer {
  const { method, body, forge } = asked
  if (method !== 'POST') return pageOf(forge.comments, asked, pageSize, (items) => items)
  const text = String(body.body)
  if (text.length > longestItem) return { status: 422, value: { message: 'body is too long' } }
  return { status: 201, value: { id: makeComment(forge, text) } }
}

function answerComment({ method, body, forge }: Asked, id: number): Answer {
  const status = changeComment(forge, id, method === 'DELETE' ? undefined : String(body.body))
  if (status !== 200) return { ...notFound(), status }
  return method === 'DELETE' ? { status: 204 } : { status, value: {} }
}

/** Each page of a list says where the next one is. */
function pageOf<Item>(
  all: readonly Item[],
  { url, forge }: Asked,
  pageSize: number,
  wrap: (items: readonly Item[]) => unknown,
): Answer {
  const page = Number(url.searchParams.get('page') ?? 1)
  const from = (page - 1) * pageSize
  const query = new URLSearchParams({ ...Object.fromEntries(url.searchParams), page: String(page + 1) })
  const link = `<${forge.url}${url.pathname}?${query}>; rel="next"`
  const isLast = from + pageSize >= all.length
  return { status: 200, value: wrap(all.slice(from, from + pageSize)), headers: isLast ? {} : { link } }
}

function answerCheck(asked: Asked, commit: string | undefined, id: string | undefined, pageSize: number): Answer {
  const { method, url, forge } = asked
  if (method === 'GET') {
    const own = forge.checks.filter(
      ({ head_sha, name }) => head_sha === commit && name === url.searchParams.get('check_name'),
    )
    return pageOf(own, asked, pageSize, (items) => ({ total_count: own.length, check_runs: items }))
  }
  const said = asked.body as unknown as Partial<StoredCheck>
  if ((said.output?.summary.length ?? 0) > 65_535) return { status: 422, value: { message: 'summary is too long' } }
  if (id === undefined) {
    const made = { id: newId(), ...said } as StoredCheck
    forge.checks.push(made)
    return { status: 201, value: made }
  }
  const at = forge.checks.findIndex((each) => each.id === Number(id))
  if (at < 0) return notFound()
  forge.checks[at] = { ...(forge.checks[at] as StoredCheck), ...said }
  return { status: 200, value: forge.checks[at] }
}

function answerIssue(asked: Asked, id: string | undefined, isComment: boolean, pageSize: number): Answer {
  const { method, url, body, forge } = asked
  const shown = ({ id: number, title, body: text, isOpen, labels }: StoredItem) => ({
    ...{ number, title, body: text === '' ? null : text, state: isOpen ? 'open' : 'closed' },
    labels: labels.map((name) => ({ name })),
  })
  if (String(body.body ?? '').length > longestItem) return { status: 422, value: { message: 'body is too long' } }
  if (id === undefined && method === 'GET') {
    const label = url.searchParams.get('labels')
    const own = forge.issues.filter(({ labels, isOpen }) => {
      return labels.includes(String(label)) && (isOpen || url.searchParams.get('state') === 'all')
    })
    // A list of issues has pull requests in it.
    const pull = { number: 7, title: 'Drift of test', body: '', state: 'open', pull_request: {} }
    return pageOf([pull, ...own.map(shown)], asked, pageSize, (items) => items)
  }
  if (id === undefined) {
    const { title, body: text, labels = [], assignees = [] } = body as Partial<StoredItem>
    if (assignees.some((each) => !people.includes(each)))
      return { status: 422, value: { message: 'Validation Failed' } }
    const made = makeItem(forge.issues, { title: String(title), body: String(text), labels, assignees })
    return { status: 201, value: shown(made) }
  }
  const issue = [...forge.issues, ...forge.pulls].find((each) => each.id === Number(id))
  if (issue === undefined) return notFound()
  if (isComment) {
    issue.comments.push(String(body.body))
    return { status: 201, value: { id: newId() } }
  }
  changeItem(forge.issues, issue.id, changeIn(body))
  return { status: 200, value: shown(issue) }
}

function changeIn({ title, body, state }: Asked['body']): Partial<StoredItem> {
  return {
    ...(title !== undefined && { title: String(title) }),
    ...(body !== undefined && { body: String(body) }),
    ...(state !== undefined && { isOpen: state === 'open' }),
  }
}

function answerPull(asked: Asked, id: string | undefined, pageSize: number): Answer {
  const { method, url, body, forge } = asked
  const shown = ({ id: number, title, body: text, isOpen, isMerged }: StoredItem) => {
    return { number, title, body: text, state: isOpen ? 'open' : 'closed', merged_at: isMerged ? '2026-11-26' : null }
  }
  if (String(body.body ?? '').length > longestItem) return { status: 422, value: { message: 'body is too long' } }
  if (id === undefined && method === 'GET') {
    const [head, base] = ['head', 'base'].map((name) => url.searchParams.get(name))
    const own = forge.pulls.filter((each) => `org:${each.head}` === head && each.base === base)
    return pageOf(own.map(shown), asked, pageSize, (items) => items)
  }
  if (id !== undefined) {
    const pull = changeItem(forge.pulls, Number(id), changeIn(body))
    return pull === undefined ? notFound() : { status: 200, value: shown(pull) }
  }
  const { title, body: text, head, base } = body as Readonly<Record<string, string>>
  if (forge.pulls.some((each) => each.isOpen && each.head === head && each.base === base))
    return { status: 422, value: { message: 'A pull request already exists for this branch.' } }
  const made = makeItem(forge.pulls, { title: String(title), body: String(text), head, base, isMerged: false })
  return { status: 201, value: shown(made) }
}
