// Shared parts of the bare loops: requests over node:http with kept connections, a token and a limit in flight, and
// nothing else.
import { Agent, request } from 'node:http'

export interface BareTarget {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly inFlight: number
}

/** `urgent` requests go before those that wait already. */
export type Send = (method: string, path: string, body?: unknown, urgent?: boolean) => Promise<Record<string, unknown>>

/** Fetches a token, and tells it. Answers are read and parsed, as whoever uses them must. */
export async function openBareHttp(target: BareTarget, tell?: (token: string) => void): Promise<Send> {
  const { access_token: token } = await answerOf('POST /api/oauth2/token', `${target.url}/api/oauth2/token`, {
    method: 'POST',
    headers: { accept: 'text/plain', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: target.clientId,
      client_secret: target.clientSecret,
    }).toString(),
  })
  tell?.(String(token))
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const headersWithBody = { ...headers, 'content-type': 'application/json' }
  const waiting: (() => void)[] = []
  let free = target.inFlight
  return async (method, path, body, urgent = false) => {
    if (free > 0) free--
    else {
      await new Promise<void>((resolve) => {
        if (urgent) waiting.unshift(resolve)
        else waiting.push(resolve)
      })
    }
    try {
      const init =
        body === undefined ? { method, headers } : { method, headers: headersWithBody, body: JSON.stringify(body) }
      return await answerOf(`${method} ${path}`, `${target.url}/api/data/v6.0${path}`, init)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const agent = new Agent({ keepAlive: true })

function answerOf(what: string, url: string, { method, headers, body }: Asked): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const asked = request(url, { method, headers: { ...headers, ...length }, agent }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('error', reject)
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (incoming.statusCode !== 200 && incoming.statusCode !== 201)
          reject(new Error(`${what} answered ${incoming.statusCode}: ${text}`))
        else resolve(text === '' ? {} : (JSON.parse(text) as Record<string, unknown>))
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
