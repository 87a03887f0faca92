// A platform that quotes back whatever it is told: the emulator behind a server that plants its tokens, and answers as
// the first part of the path says. `http://127.0.0.1:PORT/refuse-writes` is the address of one that refuses every
// write.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, request as send } from 'undici'

export const manners = [
  'obey',
  'refuse-token',
  'refuse-reads',
  'fail-reads',
  'page',
  'redirect',
  'refuse-writes',
  'fail-writes',
  'cut-writes',
  'hang-writes',
] as const
export type Manner = (typeof manners)[number]

export interface QuotingPlatform {
  address(manner: Manner): string
  /** The address of a proxy that refuses, and quotes its own password. */
  readonly port: number
  /** Resolves when a write has arrived at the hanging platform, which refuses the later ones. */
  readonly hanging: Promise<void>
  close(): void
}

/** `remembered`: what earlier runs have left with it, to be quoted as well. `token`: the beginning of every token. */
export async function startQuotingPlatform(
  upstream: string,
  remembered: readonly string[],
  token: string,
): Promise<QuotingPlatform> {
  const tokens = new Map<string, string>()
  const credentials = new Set<string>()
  let isHung = false
  let hangs: () => void = () => undefined
  const hanging = new Promise<void>((resolve) => {
    hangs = resolve
  })

  async function forward(request: IncomingMessage, path: string, body: string): Promise<Dispatcher.ResponseData> {
    const { accept = '*/*', 'content-type': contentType = 'application/json' } = request.headers
    const headers: Record<string, string> = { accept, 'content-type': contentType }
    const sent = request.headers.authorization?.replace('Bearer ', '')
    if (sent !== undefined) headers.authorization = `Bearer ${tokens.get(sent) ?? sent}`
    const method = request.method as Dispatcher.HttpMethod
    return send(`${upstream}${path}`, { method, headers, ...(method !== 'GET' && { body }) })
  }

  async function give(response: ServerResponse, answer: Dispatcher.ResponseData): Promise<void> {
    let text = await answer.body.text()
    const real = /"access_token":"([^"]+)"/.exec(text)?.[1]
    if (real !== undefined) {
      const planted = `${token}${tokens.size}`
      tokens.set(planted, real)
      text = text.replace(real, planted)
    }
    response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] ?? 'application/json' })
    response.end(text)
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string): unknown {
    const [, manner = '', path = ''] = /^\/([^/]*)(.*)$/.exec(request.url ?? '') ?? []
    const sort = path.endsWith('/token') ? 'token' : request.method === 'GET' ? 'read' : 'write'
    const told = toldBy(request.headers.authorization, body)
    if (sort === 'token') for (const text of told) credentials.add(text)
    // It knows what it was told now, the credentials of before, and what earlier runs have left with it.
    const quote = quotation([...told, ...credentials, ...(sort === 'token' ? [] : remembered)])
    const refuse = (status: number): void => {
      const { authorization = [...credentials].join(' ') } = request.headers
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ type: `Bad${authorization}`, description: quote, errorGuid: authorization }))
    }
    const status = statuses[`${manner} ${sort}`]
    if (status !== undefined) return refuse(status)
    switch (`${manner} ${sort}`) {
      case 'page read':
      case 'page write':
        return response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${quote}</html>`)
      case 'redirect read':
      case 'redirect write': {
        const location = `https://login.example.com/?t=${encodeURIComponent([...told, ...credentials].join())}`
        return response.writeHead(302, { location }).end(quote)
      }
      case 'cut-writes write':
        return request.socket.destroy()
      case 'hang-writes write':
        return hang(refuse)
      default:
        return forward(request, path, body).then((forwarded) => give(response, forwarded))
    }
  }

  function hang(refuse: (status: number) => void): void {
    if (isHung) refuse(400)
    else hangs()
    isHung = true
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void answer(request, response, Buffer.concat(chunks).toString()))
  })
  server.on('connect', (request: IncomingMessage, socket) => {
    socket.end(
      `HTTP/1.1 407 ${request.headers['proxy-authorization']}\r\n` +
        `x-quote: ${request.headers['proxy-authorization']}\r\n\r\n`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: (manner) => `http://127.0.0.1:${port}/${manner}`,
    port,
    hanging,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** By the manner, and what was asked for. */
const statuses: Readonly<Record<string, number>> = {
  'refuse-token token': 401,
  'refuse-reads read': 403,
  'fail-reads read': 500,
  'refuse-writes write': 400,
  'fail-writes write': 503,
}

function quotation(texts: readonly string[]): string {
  const ways: readonly ((text: string) => string)[] = [
    (text) => text,
    encodeURIComponent,
    (text) => new URLSearchParams({ q: text }).toString(),
    (text) => JSON.stringify(text),
    (text) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
  ]
  return texts.flatMap((text) => ways.map((way) => way(text))).join(' ')
}

/** The content of a request: its token, its body, and every text in it. */
function toldBy(authorization: string | undefined, body: string): readonly string[] {
  const texts: string[] = []
  try {
    JSON.parse(body, (_, value) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
  } catch {
    texts.push(...[...new URLSearchParams(body)].filter(([name]) => name === 'client_secret').map(([, value]) => value))
  }
  return [...texts, ...(authorization === undefined ? [] : [authorization]), ...(body === '' ? [] : [body])]
}
