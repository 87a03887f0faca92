// Doors that lead nowhere, for text cases: a port where nobody listens, servers with a certificate that nobody trusts,
// with answers without end and with another protocol, and a proxy that lets nothing through.
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { createAuthority } from './certificates.ts'

const endless: RequestListener = (request, response) => {
  if (request.url?.endsWith('/token')) return response.end('{"access_token":"t0ken"}')
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(0x10000)));
  }
  response.on('drain', more)
  more()
  return response
}

const switching: RequestListener = (_, response) =>
  response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n')

const openers: Readonly<Record<string, () => Server>> = {
  '{closed}': () => createHttp(),
  '{endless}': () => createHttp(endless),
  '{switching}': () => createHttp(switching),
  '{untrusted}': () => createHttps(createAuthority('Nobody').issue(['localhost', '127.0.0.1'])),
  '{proxy}': () => createHttp().on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')),
}

export interface Doors {
  /** Puts the ports in. */
  replace(text: string): string
  close(): Promise<void>
}

/** Opens those that the text names. */
export async function openDoors(text: string): Promise<Doors> {
  const open: Server[] = []
  const ports = new Map<string, number>()
  for (const [name, create] of Object.entries(openers)) {
    if (!text.includes(name)) continue
    const server = create()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    ports.set(name, (server.address() as AddressInfo).port)
    if (name === '{closed}') await closed(server)
    else open.push(server)
  }
  return {
    replace: (text) => [...ports].reduce((filled, [name, port]) => filled.replaceAll(name, String(port)), text),
    close: async () => {
      await Promise.all(open.map(closed))
    },
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done())
    if ('closeAllConnections' in server) (server as ReturnType<typeof createHttp>).closeAllConnections()
  })
}
