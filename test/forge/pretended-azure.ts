// Azure DevOps, as far as threads of a pull request take it: deleted ones stay in the list, and strangers get a page to log in.
import { changeComment, type Dialect, makeComment, notFound, token } from './pretended-forge.ts'

const request = '/org/project-id/_apis/git/repositories/repo-id/pullRequests/7'

/** The id of the first comment of a thread: mostly 1, and nothing says that it is. */
const firstIn = (thread: number): number => (thread % 2 === 0 ? 1 : 3)

export const azure = (): Dialect => ({
  isKnown: ({ authorization }) => authorization === `Bearer ${token}`,
  unknown: { status: 203, value: '<html>Sign in</html>' },
  answer({ method, url, body, forge }) {
    const path = url.pathname
    if (url.searchParams.get('api-version') !== '7.1') return { status: 400, value: { message: 'no version' } }
    if (method === 'GET' && path === request)
      return { status: 200, value: { lastMergeSourceCommit: { commitId: forge.head } } }
    if (path === `${request}/threads`) {
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
    const [, id, comment] = /^\/threads\/(\d+)\/comments\/(\d+)$/.exec(path.slice(request.length)) ?? []
    if (id === undefined || Number(comment) !== firstIn(Number(id))) return notFound()
    const status = changeComment(forge, Number(id), method === 'DELETE' ? undefined : String(body.content))
    return { status, value: status === 200 ? {} : { message: 'TF401027: You need the Git permission' } }
  },
})
