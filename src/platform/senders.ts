// Who sends requests to an address: plain or over TLS, direct or through a proxy, trusting the usual certificates or more.
import { readFile } from 'node:fs/promises'
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { failureCodes, OperatorError } from '../errors/index.ts'
import { proxyFor } from './proxy-for.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Sender {
  readonly request: (
    url: string,
    options: RequestOptions,
    onResponse: (incoming: IncomingMessage) => void,
  ) => ClientRequest
  /** Keeps connections for later requests. */
  readonly agent: Agent
  readonly isTls: boolean
}

export interface Senders {
  /** One that was prepared before, so that requests do not wait for a promise each. */
  ready(url: string): Sender | undefined
  /** Rejects with an OperatorError when a certificate file cannot be read. */
  prepare(url: string): Promise<Sender>
  /** Closes the kept connections. */
  close(): void
}

export function createSenders(caFile: string | undefined, env: Env): Senders {
  const made = new Map<string, Sender>()
  const underWay = new Map<string, Promise<Sender>>()
  return {
    ready: (url) => made.get(originOf(url)),
    prepare(url) {
      const origin = originOf(url)
      let making = underWay.get(origin)
      if (making === undefined) {
        making = makeSender(new URL(url), caFile, env).then((sender) => {
          made.set(origin, sender)
          return sender
        })
        underWay.set(origin, making)
      }
      return making
    },
    close() {
      for (const { agent } of made.values()) agent.destroy()
    },
  }
}

/** Scheme, host and port: the address up to its first slash. */
function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('://') + 3)
  return slash < 0 ? url : url.slice(0, slash)
}

async function makeSender(url: URL, caFile: string | undefined, env: Env): Promise<Sender> {
  const isTls = url.protocol === 'https:'
  const proxy = proxyFor(url, env)
  const ca = caFile === undefined ? {} : { ca: await trusted(caFile, env) }
  const options = { keepAlive: true, ...ca }
  const { Agent, request } = isTls ? await import('node:https') : await import('node:http')
  if (proxy === undefined) return { request, agent: new Agent(options), isTls }
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  // `ca` of the options is for the proxy itself, and the one of the request's own options for the platform behind it.
  const agent: Agent = new HttpsProxyAgent(proxy, options)
  return { request: (to, asked, onResponse) => request(to, { ...ca, ...asked }, onResponse), agent, isTls }
}

/** Given certificates replace the built-in ones in Node, so all of them are named: own, extra and usual. */
async function trusted(caFile: string, env: Env): Promise<string[]> {
  const extra = env.NODE_EXTRA_CA_CERTS
  try {
    const files = [caFile, ...(extra === undefined || extra === '' ? [] : [extra])]
    const own = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    // Here and not at the top: the module takes 8 ms to load, and its list of certificates half of that.
    const { rootCertificates } = await import('node:tls')
    return [...rootCertificates, ...own]
  } catch (cause) {
    throw new OperatorError(failureCodes.certificateFileUnreadable, `The certificate file ${caFile} cannot be read`, {
      hint: 'Check the path given by --ca-file and NODE_EXTRA_CA_CERTS, and that it is readable.',
      cause,
    })
  }
}
