// Shared parts of the tests of the HTTP edge: a client with simulated time, and a real server on the loopback.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { kinds } from '../../src/kinds/index.ts'
import { createPlatformClient, type PlatformClient } from '../../src/platform/client.ts'
import type { PlatformClientOptions } from '../../src/platform/client-options.ts'

export const baseUrl = 'https://platform.test'
export const clientSecret = 's3cret value+/ü'

export interface TestClient {
  readonly client: PlatformClient
  readonly events: Parameters<NonNullable<PlatformClientOptions['onEvent']>>[0][]
  readonly sleeps: number[]
  readonly time: { nowMs: number }
}

export type TestClientOptions = Partial<Omit<PlatformClientOptions, 'retry'>> & {
  readonly retry?: Partial<PlatformClientOptions['retry']>
}

/** Sleeping moves the clock, and takes no time. Jitter is always the whole backoff. */
export function testClient(options: TestClientOptions = {}): TestClient {
  const events: Parameters<NonNullable<PlatformClientOptions['onEvent']>>[0][] = []
  const sleeps: number[] = []
  const time = { nowMs: Date.parse('2026-11-20T12:00:00Z') }
  const client = createPlatformClient({
    baseUrl,
    apiVersion: '6.0',
    clientId: 'client-1',
    clientSecret,
    version: '1.2.3',
    env: {},
    kinds,
    wireNames: {},
    concurrency: 16,
    maxAnswerBytes: 64_000_000,
    clock: () => time.nowMs,
    timer: () => time.nowMs,
    sleep: async (delayMs) => {
      sleeps.push(delayMs)
      await new Promise((resolve) => setImmediate(resolve))
      time.nowMs += delayMs
    },
    random: () => 1,
    onEvent: (event) => events.push(event),
    ...options,
    retry: { attempts: 5, maxDelayMs: 30_000, ...options.retry },
  })
  return { client, events, sleeps, time }
}

export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}

export interface TestServer {
  readonly url: string
  readonly requests: { readonly method: string; readonly url: string; readonly authorization: string | undefined }[]
  close(): Promise<void>
}

/** Answers tokens by itself; everything else goes to the handler. */
export async function startServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  const requests: { method: string; url: string; authorization: string | undefined }[] = []
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/api/oauth2/token')) {
      response.end('{"access_token":"token-1"}')
      return
    }
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization,
    })
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
