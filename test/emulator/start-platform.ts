// Starts the embedded platform for one test file's needs, and speaks HTTP to it with a token.
import { type Dispatcher, request as sendTo } from 'undici'
import { afterEach, expect } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts'
import { breachesOf } from '../harness/interface-check.ts'

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms.
  readonly body: any
  readonly headers: Dispatcher.ResponseData['headers']
}

export interface Platform {
  readonly emulator: Emulator
  /** 6.0 unless the path says otherwise; with a token for all scopes. */
  readonly get: (path: string) => Promise<Reply>
  readonly post: (path: string, body: unknown) => Promise<Reply>
  readonly patch: (path: string, body: unknown) => Promise<Reply>
  readonly del: (path: string, body?: unknown) => Promise<Reply>
  readonly send: (method: string, path: string, options?: SendOptions) => Promise<Reply>
  readonly token: (form?: Record<string, string>, headers?: Record<string, string>) => Promise<Reply>
  readonly control: (method: string, path: string, body?: unknown) => Promise<Reply>
}

interface SendOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

interface Sent {
  readonly method: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const running: Emulator[] = []
const breaches = new Set<string>()
afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.close()
  const told = [...breaches]
  breaches.clear()
  expect(told, "the interface's documents say otherwise").toEqual([])
})

export const form = { grant_type: 'client_credentials', client_id: 'svcsync', client_secret: 'svcsync-secret' }

export async function startPlatform(options: EmulatorOptions = {}): Promise<Platform> {
  const emulator = await startEmulator({
    onExchange: (exchange) => {
      for (const breach of breachesOf(exchange)) breaches.add(breach)
    },
    ...options,
  })
  running.push(emulator)
  const request = async (path: string, { method, ...rest }: Sent): Promise<Reply> => {
    const { statusCode, headers, body } = await sendTo(`${emulator.url}${path}`, {
      method: method as Dispatcher.HttpMethod,
      ...rest,
    })
    return { status: statusCode, body: parsed(await body.text()), headers }
  }
  const token = (fields: Record<string, string> = form, headers: Record<string, string> = {}) =>
    request('/api/oauth2/token', {
      method: 'POST',
      headers: { accept: 'text/plain', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  let shared: Promise<string> | undefined
  const ownToken = () => {
    shared ??= token().then((reply) => reply.body.access_token)
    return shared
  }
  const send = async (method: string, path: string, { body, headers, ...rest }: SendOptions = {}): Promise<Reply> => {
    const bearer = 'token' in rest ? rest.token : await ownToken()
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const full = path.startsWith('/api/') ? path : `/api/data/v6.0${path}`
    return request(full, { method, headers: { ...authorization, ...type, ...headers }, ...content })
  }
  const control = (method: string, path: string, body?: unknown) =>
    request(`/_control${path}`, body === undefined ? { method } : { method, body: JSON.stringify(body) })
  return {
    emulator,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, { body }),
    patch: (path, body) => send('PATCH', path, { body }),
    del: (path, body) => send('DELETE', path, { body }),
    send,
    token,
    control,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A clock that stands still until it is told otherwise. */
export function manualClock() {
  let now = 1_700_000_000_000
  return {
    now: () => now,
    elapsed: () => performance.now(),
    until: (dueMs: number) => new Promise<void>((resolve) => setTimeout(resolve, dueMs - performance.now())),
    advance: (ms: number) => {
      now += ms
    },
  }
}
