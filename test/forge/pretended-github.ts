// GitHub, as far as comments take it.
import {
  changeComment,
  type Dialect,
  makeComment,
  notFound,
  type PretendedForge,
  pretendForge,
  token,
} from './pretended-forge.ts'

export function pretendGitHub(pageSize = 100): Promise<PretendedForge> {
  return pretendForge(gitHub(pageSize))
}

export const gitHub = (pageSize: number): Dialect => ({
  isKnown: ({ authorization }) => authorization === `token ${token}`,
  unknown: { status: 401, value: { message: 'Bad credentials' } },
  answer({ method, url, body, forge }) {
    const path = url.pathname
    if (method === 'GET' && path === '/repos/org/config/pulls/7')
      return { status: 200, value: { head: { sha: forge.head } } }
    if (path === '/repos/org/config/issues/7/comments') {
      if (method === 'POST') {
        const text = String(body.body)
        if (text.length > 65_536) return { status: 422, value: { message: 'body is too long' } }
        return { status: 201, value: { id: makeComment(forge, text) } }
      }
      const page = Number(url.searchParams.get('page') ?? 1)
      const from = (page - 1) * pageSize
      const link = `<${forge.url}${path}?page=${page + 1}>; rel="next"`
      const isLast = from + pageSize >= forge.comments.length
      return { status: 200, value: forge.comments.slice(from, from + pageSize), headers: isLast ? {} : { link } }
    }
    const id = /^\/repos\/org\/config\/issues\/comments\/(\d+)$/.exec(path)?.[1]
    if (id === undefined) return notFound()
    const status = changeComment(forge, Number(id), method === 'DELETE' ? undefined : String(body.body))
    return status === 200
      ? { status: method === 'DELETE' ? 204 : 200, ...(method !== 'DELETE' && { value: {} }) }
      : { ...notFound(), status }
  },
})
