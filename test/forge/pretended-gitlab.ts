// GitLab, as far as notes of a merge request take it.
import { changeComment, type Dialect, makeComment, notFound, token } from './pretended-forge.ts'

const request = '/api/v4/projects/42/merge_requests/7'

export const gitLab = (pageSize: number): Dialect => ({
  isKnown: (headers) => headers['private-token'] === token,
  unknown: { status: 401, value: { message: '401 Unauthorized' } },
  answer({ method, url, body, forge }) {
    const path = url.pathname
    if (method === 'GET' && path === request) return { status: 200, value: { iid: 7, sha: forge.head } }
    if (path === `${request}/notes`) {
      if (method === 'POST') {
        const text = String(body.body)
        if (text.length > 1_000_000) return { status: 400, value: { message: { note: ['is too long'] } } }
        return { status: 201, value: { id: makeComment(forge, text), body: text } }
      }
      // Fewer than were asked for: the server has a limit of its own.
      const from = (Number(url.searchParams.get('page') ?? 1) - 1) * pageSize
      return { status: 200, value: forge.comments.slice(from, from + pageSize) }
    }
    const id = path.startsWith(`${request}/notes/`) ? path.slice(request.length + 7) : undefined
    if (id === undefined) return notFound()
    const status = changeComment(forge, Number(id), method === 'DELETE' ? undefined : String(body.body))
    if (status !== 200) return { status, value: { message: `${status} Not yours` } }
    return method === 'DELETE' ? { status: 204 } : { status: 200, value: {} }
  },
})
