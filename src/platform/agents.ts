// Sends requests to an address: directly or through a proxy, trusting the usual certificates or more.
import { X509Certificate } from 'node:crypto'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { failureCodes, OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'

export type Env = Readonly<Record<string, string | undefined>>

interface AgentOptions {
  readonly caFile: string | undefined
  readonly env: Env
  /** So many to each host: as many as there may be requests in flight. */
  readonly connections: number
}

/** A host that drops packets in silence is given up after this long: nothing was sent to it. */
const connectTimeoutMs = 10_000

/** The header of an answer, and each of those that come before it. */
const maxHeaderSize = 64 * 1024

/** Hosts that no proxy can reach for us: the emulator runs on the loopback. */
const nearHosts = ['localhost', '127.0.0.1', '[::1]']

export function createAgents(options: AgentOptions) {
  const made = new Map<string, Dispatcher>()
  const underWay = new Map<string, Promise<Dispatcher>>()
  return {
    /** One that was made before, so that requests do not wait for a promise each. */
    ready: (origin: string): Dispatcher | undefined => made.get(origin),
    /** Rejects with an OperatorError when a certificate file cannot be read, or the proxy not be used. */
    make(origin: string): Promise<Dispatcher> {
      return getOrInsert(underWay, origin, async () => {
        const agent = await makeAgent(new URL(origin), options)
        made.set(origin, agent)
        return agent
      })
    },
    close(): void {
      for (const agent of made.values()) void agent.destroy()
    },
  }
}

async function makeAgent(url: URL, { caFile, env, connections }: AgentOptions): Promise<Dispatcher> {
  const ca = caFile === undefined ? {} : { ca: await trusted(caFile, env) }
  // Said outright: NODE_TLS_REJECT_UNAUTHORIZED must not send a secret to whoever answers.
  const connect = { rejectUnauthorized: true, timeout: connectTimeoutMs, ...ca }
  // The time of each request is kept by whoever sends it.
  const times = { headersTimeout: 0, bodyTimeout: 0 }
  const limits = { connections, maxHeaderSize, ...times }
  const isTls = url.protocol === 'https:'
  const proxy = (isTls ? variable(env, 'https_proxy') : undefined) ?? variable(env, 'http_proxy')
  if (proxy === undefined || nearHosts.includes(url.hostname)) {
    return new Pool(url.origin, { ...limits, connect })
  }
  const { address, token } = proxyAddress(proxy)
  // All of it: what opens tunnels is not whole without its index.
  const { default: undici } = await import('undici')
  const excepted = variable(env, 'no_proxy') ?? ''
  return new undici.EnvHttpProxyAgent({
    ...limits,
    connect,
    httpProxy: address,
    httpsProxy: address,
    noProxy: /(?:^|[\s,])\*(?:[\s,]|$)/.test(excepted) ? '*' : excepted,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: proxyClient,
    ...(token !== undefined && { token }),
  })
}

/** undici names the proxy as the TLS server, and Node 26 takes no IP address for a name. */
function proxyClient(origin: URL, options: object): Dispatcher {
  const { connect } = options as Pool.Options
  if (typeof connect !== 'function') return new Pool(origin, options)
  return new Pool(origin, { ...options, connect: ({ servername: _, ...target }, done) => connect(target, done) })
}

function variable(env: Env, name: string): string | undefined {
  const value = env[name] ?? env[name.toUpperCase()]
  return value === undefined || value === '' ? undefined : value
}

/** Without its login, which goes into a header of its own. */
function proxyAddress(proxy: string): { readonly address: string; readonly token: string | undefined } {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
  const address = parseUrl(text)
  const isWeb = address?.protocol === 'http:' || address?.protocol === 'https:'
  const login = isWeb ? decoded(`${address.username}:${address.password}`) : undefined
  if (address === undefined || login === undefined) {
    // The message does not repeat it, since it may contain a password.
    throw new OperatorError(failureCodes.proxyUnusable, 'The address of the proxy cannot be used', {
      hint:
        'Write https_proxy or http_proxy as http://host:port, ' +
        'or http://user:password@host:port with signs percent-encoded.',
    })
  }
  const token = login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
  return { address: address.origin, token }
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
