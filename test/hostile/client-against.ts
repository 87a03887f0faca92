// A platform client against a raw server, both gone after the test.
import { afterEach } from 'vitest'
import { type TestClientOptions, testClient } from '../platform/platform-fixture.ts'
import { type Behaviour, type RawServerOptions, startRawServer } from './raw-server.ts'

export const read = { method: 'GET', path: '/x' } as const
export const write = { method: 'POST', path: '/x', body: { name: 'a' } } as const

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** One attempt, and five seconds for it. */
export async function against(
  behave: Behaviour,
  options: TestClientOptions = {},
  serverOptions: RawServerOptions = {},
) {
  const server = await startRawServer(behave, serverOptions)
  const own = testClient({ baseUrl: server.url, retry: { attempts: 1 }, timeoutMs: 5_000, ...options })
  closing.push(server.close, () => own.client.close())
  return { server, ...own }
}

export function raw(bytes: string | Buffer, end = false): Behaviour {
  return (_, socket) => {
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    if (end) socket.end()
  }
}
