// The part of GitHub's API that comments take, over HTTP on the loopback: pages, limits, and whatever goes wrong on order.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StoredComment {
  readonly id: number
  body: string
}

interface Order {
  readonly method: string
  readonly path?: RegExp
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** It is carried out, and the answer is this one all the same. */
  readonly carriedOut?: boolean
  times: number
}

export interface PretendedGitHub {
  readonly url: string
  readonly comments: StoredComment[]
  readonly requests: string[]
  /** The last commit of the pull request. */
  head: string
  /** Called before each request is carried out. */
  before: (method: string, path: string) => void
  /** The next requests of that sort get this answer. */
  order(order: Omit<Order, 'times'> & { readonly times?: number }): void
  close(): Promise<void>
}

export const token = 'ghs_token-of-the-test'

export async function pretendGitHub(pageSize = 100): Promise<PretendedGitHub> {
  const orders: Order[] = []
  let lastId = 10_000
  const github = {
    url: '',
    comments: [] as StoredComment[],
    requests: [] as string[],
    head: 'abc123',
    before: (_method: string, _path: string): void => undefined,
    order(order: Omit<Order, 'times'> & { readonly times?: number }) {
      orders.push({ times: 1, ...order })
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://github.test')
    const method = request.method ?? ''
    const path = url.pathname
    github.requests.push(`${method} ${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const send = (status: number, value?: unknown, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(value === undefined ? undefined : JSON.stringify(value))
    }
    if (request.headers.authorization !== `token ${token}`) return send(401, { message: 'Bad credentials' })
    const order = orders.find((each) => each.times > 0 && each.method === method && (each.path?.test(path) ?? true))
    if (order !== undefined) order.times -= 1
    if (order !== undefined && order.carriedOut !== true)
      return send(order.status, { message: `on order: ${order.status}` }, order.headers)
    github.before(method, path)
    const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as { body?: string })
    const reply = (status: number, value?: unknown, headers?: Readonly<Record<string, string>>): void =>
      order === undefined ? send(status, value, headers) : send(order.status, { message: 'lost' }, order.headers)
    if (method === 'GET' && path === '/repos/org/config/pulls/7') return reply(200, { head: { sha: github.head } })
    if (path === '/repos/org/config/issues/7/comments') {
      if (method === 'POST') {
        if ((body.body ?? '').length > 65_536) return reply(422, { message: 'body is too long' })
        lastId += 1
        github.comments.push({ id: lastId, body: body.body ?? '' })
        return reply(201, { id: lastId })
      }
      const page = Number(url.searchParams.get('page') ?? 1)
      const from = (page - 1) * pageSize
      const next = `<${github.url}${path}?page=${page + 1}>; rel="next"`
      const isLast = from + pageSize >= github.comments.length
      return reply(200, github.comments.slice(from, from + pageSize), isLast ? {} : { link: next })
    }
    const id = Number(/^\/repos\/org\/config\/issues\/comments\/(\d+)$/.exec(path)?.[1])
    const at = github.comments.findIndex((comment) => comment.id === id)
    if (at < 0) return reply(404, { message: 'Not Found' })
    if (method === 'DELETE') {
      github.comments.splice(at, 1)
      return reply(204)
    }
    const comment = github.comments[at] as StoredComment
    comment.body = body.body ?? ''
    return reply(200, comment)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  github.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return github
}
