// A loopback server in front of an emulator that words its answers otherwise: an installation that differs.
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../src/core/model/json.ts'

export interface Rewording {
  readonly url: string
  /** Changes the answers to reads; undefined: they pass. */
  reword: ((path: string, answer: Json) => Json) | undefined
  close(): Promise<void>
}

export async function openRewording(target: string): Promise<Rewording> {
  // `fetch` would cost as much as all else that a request takes.
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, response) => {
    const { method = 'GET', url = '/', headers } = asked
    const handedOn = Object.entries(headers).filter(([name]) =>
      /^(?:authorization|content-(?:type|length)|accept)$/.test(name),
    )
    const onward = request(`${target}${url}`, { method, headers: Object.fromEntries(handedOn), agent }, (answer) => {
      const { statusCode = 0, headers: given } = answer
      const { 'content-type': type = 'text/plain' } = given
      const { reword } = rewording
      response.writeHead(statusCode, { 'content-type': type })
      if (method !== 'GET' || statusCode !== 200 || !type.includes('json') || reword === undefined) {
        answer.pipe(response)
        return
      }
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        response.end(JSON.stringify(reword(url, JSON.parse(Buffer.concat(chunks).toString()) as Json)))
      })
    })
    onward.on('error', () => response.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const rewording: Rewording = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reword: undefined,
    close: () =>
      new Promise((closed) => {
        agent.destroy()
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
  return rewording
}
