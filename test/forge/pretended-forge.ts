// The part of a forge that comments take, over HTTP on the loopback: pages, limits, and whatever goes wrong on order.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StoredComment {
  readonly id: number
  body: string
  /** Somebody else's: whoever asks may not change it. */
  readonly isForeign?: boolean
}

export interface StoredCheck {
  readonly id: number
  readonly name: string
  readonly head_sha: string
  readonly external_id?: string
  readonly status: string
  readonly conclusion: string
  readonly output: { readonly title: string; readonly summary: string }
}

/** An issue, a work item or a request to merge. */
export interface StoredItem {
  readonly id: number
  title: string
  body: string
  isOpen: boolean
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
  /** The comments below it. */
  readonly comments: string[]
  readonly [more: string]: unknown
}

interface Order {
  readonly method: string
  readonly path?: RegExp
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly message?: string
  /** Beside the message. */
  readonly more?: Readonly<Record<string, string>>
  /** It is carried out, and the answer is this one all the same. */
  readonly carriedOut?: boolean
  /** The connection breaks in the place of an answer. */
  readonly breaks?: boolean
  times: number
}

export interface PretendedForge {
  readonly url: string
  readonly comments: StoredComment[]
  /** Checks of commits, on GitHub. */
  readonly checks: StoredCheck[]
  readonly issues: StoredItem[]
  /** Requests to merge, with `head`, `base` and `isMerged`. */
  readonly pulls: StoredItem[]
  /** Other lists of GitHub, by path: of the pull requests of a commit, and of the reviews of one. */
  readonly lists: Map<string, readonly object[]>
  readonly requests: string[]
  /** The last commit of the pull request. */
  head: string
  /** Called before each request is carried out. */
  before: (method: string, path: string) => void
  /** The next requests of that sort get this answer. */
  order(order: Omit<Order, 'times'> & { readonly times?: number }): void
  close(): Promise<void>
}

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly body: Readonly<Record<string, unknown>>
  readonly forge: Pick<PretendedForge, 'url' | 'comments' | 'checks' | 'issues' | 'pulls' | 'lists' | 'head'>
}

export interface Answer {
  readonly status: number
  readonly value?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The differences between forges. */
export interface Dialect {
  /** Gets as far as to be looked at. */
  isKnown(headers: IncomingMessage['headers']): boolean
  /** To whom is not known. */
  readonly unknown: Answer
  answer(asked: Asked): Answer
}

export const token = 'ghs_token-of-the-test'

export function notFound(): Answer {
  return { status: 404, value: { message: 'Not Found' } }
}

let lastId = 10_000

export function newId(): number {
  lastId += 1
  return lastId
}

/** As the forge with the least says it: made, changed, deleted, or not there. `change`: with this body. */
export function makeComment({ comments }: Asked['forge'], body: string): number {
  const id = newId()
  comments.push({ id, body })
  return id
}

export function changeComment({ comments }: Asked['forge'], id: number, body: string | undefined): number {
  const at = comments.findIndex((comment) => comment.id === id)
  const comment = comments[at]
  if (comment === undefined) return 404
  if (comment.isForeign) return 403
  if (body === undefined) comments.splice(at, 1)
  else comment.body = body
  return 200
}

/** Whom each forge knows. */
export const people = ['anna', 'jan']

/** Text that is longer is refused. */
export const longestItem = 65_536

export function makeItem(items: StoredItem[], made: Partial<StoredItem>): StoredItem {
  const item = {
    ...{ id: newId(), title: '', body: '', isOpen: true, labels: [], assignees: [], comments: [] as string[] },
    ...made,
  }
  items.push(item)
  return item
}

/** Undefined: there is none. */
export function changeItem(items: readonly StoredItem[], id: number, change: Partial<StoredItem>) {
  const item = items.find((each) => each.id === id)
  if (item === undefined) return undefined
  return Object.assign(item, Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)))
}

function answerOnOrder({ status, message = `on order: ${status}`, more, headers }: Order): Answer {
  return { status, value: { message, ...more }, ...(headers && { headers }) }
}

export async function pretendForge({ isKnown, unknown, answer }: Dialect): Promise<PretendedForge> {
  const orders: Order[] = []
  const forge = {
    url: '',
    comments: [] as StoredComment[],
    checks: [] as StoredCheck[],
    issues: [] as StoredItem[],
    pulls: [] as StoredItem[],
    lists: new Map<string, readonly object[]>(),
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

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://forge.test')
    const method = request.method ?? ''
    const path = url.pathname
    forge.requests.push(`${method} ${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const send = ({ status, value, headers = {} }: Answer): void => {
      const isText = typeof value === 'string'
      response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
      response.end(value === undefined || isText ? value : JSON.stringify(value))
    }
    if (!isKnown(request.headers)) return send(unknown)
    const order = orders.find((each) => each.times > 0 && each.method === method && (each.path?.test(path) ?? true))
    if (order !== undefined) order.times -= 1
    const ordered = order && answerOnOrder(order)
    if (order?.breaks && order.carriedOut !== true) return void request.socket.destroy()
    if (ordered !== undefined && order?.carriedOut !== true) return send(ordered)
    forge.before(method, path)
    const text = Buffer.concat(chunks).toString()
    const answered = answer({ method, url, body: text === '' ? {} : JSON.parse(text), forge })
    if (order?.breaks) return void request.socket.destroy()
    send(ordered ?? answered)
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  forge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return forge
}
