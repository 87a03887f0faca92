// A platform that answers as a test says, one request after the other: a real server on the loopback.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { failConnections } from '../harness/connection-faults.ts'
import { type TestClient, type TestClientOptions, testClient } from './platform-fixture.ts'

/** Status, body, headers. A body that is neither text nor bytes is sent as JSON. */
type Answer = readonly [number, unknown?, (Readonly<Record<string, string>> | undefined)?]
type Answering = (path: string, body: string, headers: IncomingHttpHeaders) => Answer | Promise<Answer>

interface Line {
  readonly method: string
  readonly path: string | RegExp
  readonly body: unknown
  readonly headers: Record<string, string>
  left: number
  answer: Answering | { readonly code: string }
}

/** The meaning of a script line: it ends by an answer or a failure. */
export interface Expected {
  times(count: number): Expected
  matchHeader(name: string, value: string): Expected
  reply(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): void
  replyBy(answer: Answering): void
  /** The connection fails: not made, or broken where the code says so. */
  fails(code: string): void
}

export interface Script {
  get(path: string | RegExp): Expected
  post(path: string | RegExp, body?: unknown): Expected
  /** The last answer holds for ever. */
  persist(): Pick<Script, 'get' | 'post'>
  clear(): void
  /** Lines that were not used up. */
  pending(): readonly string[]
  client(options?: TestClientOptions): TestClient
}

/** The first line that matches and is not used up answers; what none matches is answered 599. */
export function scriptedPlatform(): Script {
  let lines: Line[] = []
  let server: Server
  let restore: () => void
  const matching = (method: string, path: string, rest?: { body: string; headers: IncomingHttpHeaders }) =>
    lines.find((line) => {
      const isThere = typeof line.path === 'string' ? line.path === path : line.path.test(path)
      if (line.method !== method || !isThere || line.left === 0) return false
      if (rest === undefined) return true
      if (Object.entries(line.headers).some(([name, value]) => rest.headers[name] !== value)) return false
      return line.body === undefined || isDeepStrictEqual(line.body, JSON.parse(rest.body))
    })
  beforeAll(async () => {
    restore = failConnections((method, path) => {
      const line = matching(method, path)
      if (line === undefined || typeof line.answer === 'function') return undefined
      line.left--
      return line.answer.code
    })
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', async () => {
        const { method = '', url = '', headers } = request
        const text = Buffer.concat(chunks).toString()
        const line = matching(method, url, { body: text, headers })
        if (line === undefined || typeof line.answer !== 'function') return response.writeHead(599).end()
        line.left--
        const [status, body = '', more] = await line.answer(url, text, headers)
        const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
        const type = isWhole ? {} : { 'content-type': 'application/json' }
        return response.writeHead(status, { ...type, ...more }).end(isWhole ? body : JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => {
    lines = []
  })
  afterAll(() => {
    restore()
    server.close()
    server.closeAllConnections()
  })
  const say = (method: string, path: string | RegExp, body: unknown, left: number): Expected => {
    const line: Line = { method, path, body, headers: {}, left, answer: () => [599] }
    const end = (answer: Line['answer']): void => {
      line.answer = answer
      lines.push(line)
    }
    const expected: Expected = {
      times(count) {
        line.left = count
        return expected
      },
      matchHeader(name, value) {
        line.headers[name] = value
        return expected
      },
      reply: (...answer) => end(() => answer),
      replyBy: end,
      fails: (code) => end({ code }),
    }
    return expected
  }
  const saying = (times: number): Pick<Script, 'get' | 'post'> => ({
    get: (path) => say('GET', path, undefined, times),
    post: (path, body) => say('POST', path, body, times),
  })
  return {
    ...saying(1),
    persist: () => saying(Number.POSITIVE_INFINITY),
    clear() {
      lines = []
    },
    pending: () => lines.filter(({ left }) => left > 0 && left < 1e9).map(({ method, path }) => `${method} ${path}`),
    client: (options) =>
      testClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...options }),
  }
}
