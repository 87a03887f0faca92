// Who sends requests to an address: plain or over TLS, direct or through a proxy, trusting the usual certificates or more.
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { failureCodes, OperatorError } from '../errors/index.ts'
import { isUnread, readBoundedText } from '../files/read-bounded.ts'
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
  // Said outright: NODE_TLS_REJECT_UNAUTHORIZED must not send a secret to whoever answers.
  const trust = { rejectUnauthorized: true, ...ca }
  const options = { keepAlive: true, ...trust }
  const { Agent, request } = isTls ? await import('node:https') : await import('node:http')
  if (proxy === undefined) return { request, agent: dropping(new Agent(options)), isTls }
  const { address, headers } = proxyAddress(proxy)
  const { HttpsProxyAgent } = await import('./proxy-agent.ts')
  // Trust of the options is for the proxy itself, and that of the request's own options for the platform behind it.
  const agent = dropping(new HttpsProxyAgent(address, { ...options, headers }))
  return { request: (to, asked, onResponse) => request(to, { ...trust, ...asked }, onResponse), agent, isTls }
}

/**
 * Drops a kept connection on which something comes that nobody asked for. Node would throw it away and use the connection
 * again: what comes a little later would pass for the answer to the next request, and all answers be one too late.
 */
function dropping(agent: Agent): Agent {
  const drop = function (this: Duplex): void {
    this.destroy()
  }
  const keep = agent.keepSocketAlive.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = (socket) => {
    socket.on('data', drop)
    return keep(socket)
  }
  agent.reuseSocket = (socket, request) => {
    socket.off('data', drop)
    reuse(socket, request)
  }
  return agent
}

/** The password goes into a header of its own: the agent writes the address into its debug log. */
function proxyAddress(proxy: string): { readonly address: URL; readonly headers: () => Record<string, string> } {
  const address = URL.canParse(proxy) ? new URL(proxy) : undefined
  const isWeb = address?.protocol === 'http:' || address?.protocol === 'https:'
  const login = isWeb ? decoded(`${address.username}:${address.password}`) : undefined
  if (address === undefined || login === undefined) {
    // Not repeated: a password may stand in it.
    throw new OperatorError(failureCodes.proxyUnusable, 'The address of the proxy cannot be used', {
      hint: 'Write https_proxy or http_proxy as http://host:port, or http://user:password@host:port with signs percent-encoded.',
    })
  }
  address.username = ''
  address.password = ''
  const basic = Buffer.from(login).toString('base64')
  return { address, headers: () => (login === ':' ? {} : { 'Proxy-Authorization': `Basic ${basic}` }) }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Given certificates replace the built-in ones in Node, so all of them are named: own, extra and usual. */
async function trusted(caFile: string, env: Env): Promise<string[]> {
  const extra = env.NODE_EXTRA_CA_CERTS
  const own = await Promise.all([
    readCertificates(caFile, '--ca-file'),
    ...(extra === undefined || extra === '' ? [] : [readCertificates(extra, 'NODE_EXTRA_CA_CERTS')]),
  ])
  // Here and not at the top: the module takes 8 ms to load, and its list of certificates half of that.
  const { rootCertificates } = await import('node:tls')
  return [...rootCertificates, ...own]
}

/** In MB. All authorities that there are fill a quarter of one. */
const largestBundle = 8

async function readCertificates(file: string, setting: string): Promise<string> {
  const fail = (what: string, cause?: unknown): OperatorError =>
    new OperatorError(failureCodes.certificateFileUnreadable, `The certificate file ${file} ${what}`, {
      hint: `Check the path given by ${setting}: a readable file in PEM form, with BEGIN CERTIFICATE in it.`,
      cause,
    })
  const text = readBoundedText(file, largestBundle)
  if (isUnread(text)) throw fail(`cannot be read: ${text.reason}`, text.cause)
  const { X509Certificate } = await import('node:crypto')
  const blocks = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END [^-]*-----/g) ?? []
  // Node leaves out in silence what it cannot read, and then trusts nobody by it.
  if (blocks.length === 0) throw fail('holds no certificate')
  for (const block of blocks) {
    try {
      new X509Certificate(block)
    } catch (cause) {
      throw fail('holds a certificate that cannot be read', cause)
    }
  }
  return text
}
