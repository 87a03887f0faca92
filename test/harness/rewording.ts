// A loopback server in front of an emulator that words its answers otherwise: an installation that differs.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../src/core/model/json.ts'

export interface Rewording {
  readonly url: string
  /** What becomes of the answers to reads; undefined: they pass. */
  reword: ((path: string, answer: Json) => Json) | undefined
  close(): Promise<void>
}

export async function openRewording(target: string): Promise<Rewording> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = 'GET', url = '/', headers } = request
      const forwarded = Object.entries(headers).filter(
        ([name]) => name === 'authorization' || name === 'content-type' || name === 'accept',
      ) as [string, string][]
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
      fetch(`${target}${url}`, { method, headers: forwarded, ...body })
        .then(async (answer) => {
          const type = answer.headers.get('content-type') ?? 'text/plain'
          const text = await answer.text()
          const { reword } = rewording
          const isRead = method === 'GET' && answer.ok && type.includes('json') && reword !== undefined
          response.writeHead(answer.status, { 'content-type': type })
          response.end(isRead ? JSON.stringify(reword(url, JSON.parse(text) as Json)) : text)
        })
        .catch(() => response.destroy())
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const rewording: Rewording = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reword: undefined,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
  return rewording
}
