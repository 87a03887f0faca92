// A raw TCP server on the loopback whose answers are bytes: what no HTTP library would send. It stops by itself.
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface RawRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly head: string
  readonly body: string
  /** Which of the connections it came on, from 1. */
  readonly connection: number
  /** Which of all requests it is, those for tokens not counted, from 1. */
  readonly number: number
}

/** Writes its answer to the socket, or does something worse to it. */
export type Behaviour = (request: RawRequest, socket: Socket) => void

export interface RawServer {
  readonly url: string
  readonly port: number
  /** Requests that arrived, without token requests that the server answered by itself. */
  readonly requests: readonly RawRequest[]
  /** Connections made so far. */
  readonly connections: () => number
  /** Bytes that left: how much whoever asked has let itself be sent. */
  readonly bytesSent: () => number
  close(): Promise<void>
}

export interface RawServerOptions {
  /** The answer to token requests. Default: a token that never ends. */
  readonly token?: Behaviour
  /** At once, before anything was asked. */
  readonly greet?: (socket: Socket) => void
}

/** No behaviour goes on for longer, whatever is asked of it. */
const longestLifeMs = 30_000

export async function startRawServer(behave: Behaviour, options: RawServerOptions = {}): Promise<RawServer> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let bytesOfClosed = 0
  const token =
    options.token ?? ((_: RawRequest, socket: Socket) => void socket.write(json('{"access_token":"t0ken"}')))
  const server = createServer((socket) => {
    const connection = ++connections
    let received = ''
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      bytesOfClosed += socket.bytesWritten
    })
    options.greet?.(socket)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      for (let taken = takeRequest(received); taken !== undefined; taken = takeRequest(received)) {
        received = received.slice(taken.length)
        const isToken = taken.path.startsWith('/api/oauth2/token')
        const request = { ...taken, connection, number: requests.length + (isToken ? 0 : 1) }
        if (!isToken) requests.push(request)
        ;(isToken ? token : behave)(request, socket)
      }
    })
  })
  const life = setTimeout(() => stop(), longestLifeMs)
  const stop = (): void => {
    clearTimeout(life)
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    bytesSent: () => bytesOfClosed + [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        server.once('close', () => resolve())
        if (server.listening) stop()
        else resolve()
      }),
  }
}

/** A whole answer of 200; headers that say otherwise take the place of its own. */
export function json(text: string | Buffer, headers = '', status = '200 OK'): Buffer {
  const body = typeof text === 'string' ? Buffer.from(text) : text
  const length = /content-length|transfer-encoding/i.test(headers) ? '' : `Content-Length: ${body.length}\r\n`
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${length}${headers}\r\n`, 'latin1'),
    body,
  ])
}

/** Writes the piece again and again, as fast as it is read, until the connection is gone. */
export function flood(socket: Socket, piece: string | Buffer): void {
  const once = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
  const bytes = Buffer.concat(Array.from({ length: Math.ceil(0x10000 / once.length) }, () => once))
  const more = (): void => {
    while (!socket.destroyed && socket.writable) if (!socket.write(bytes)) return
  }
  socket.on('drain', more)
  more()
}

/** Writes a piece every few milliseconds, until the connection is gone. */
export function drip(socket: Socket, piece: string | Buffer, everyMs = 5): void {
  const timer = setInterval(() => void socket.write(piece), everyMs)
  socket.on('close', () => clearInterval(timer))
}

/** How far the memory of this process grew while the work went on, in MB: for generous bounds only. */
export async function memoryGrowthMb(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 5)
  try {
    await work()
  } finally {
    clearInterval(timer)
    look()
  }
  return (most - before) / 1e6
}

function takeRequest(received: string) {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = received.slice(0, end)
  const [method = '', path = ''] = head.split(' ')
  const length = end + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  if (received.length < length) return undefined
  return { method, path, head, body: received.slice(end + 4, length), length }
}
