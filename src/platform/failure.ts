// Turns faults and unusable answers into PlatformErrors: one sentence each, with what to check.
import { parseUrl } from '@svcsync/core/model/url.ts'
import { failureCodes, PlatformError, type PlatformFailure } from '@svcsync/errors/index.ts'
import { isLoopback } from './client-options.ts'
import type { Fault } from './fault.ts'
import type { HttpReply } from './in-flight.ts'

export interface RequestName {
  readonly method: string
  readonly path: string
  /** The full address. Only its host is shown. */
  readonly url: string
  /** The setting that holds its beginning. */
  readonly setting: 'baseUrl' | 'authUrl'
}

/** Without a proxy, the system speaks of the name and port of the address. */
function proxyOf(peer: Fault['peer'], { hostname, port, protocol }: URL): string | undefined {
  if (peer === undefined) return undefined
  if (peer.port === undefined) return peer.host.toLowerCase() === hostname ? undefined : peer.host
  const own = port === '' ? { 'https:': 443, 'http:': 80 }[protocol] : Number(port)
  return peer.port === own ? undefined : `${peer.host}:${peer.port}`
}

export function faultError({ fault, sent, code, peer }: Fault, asked: RequestName): PlatformError {
  const { method, path, setting } = asked
  const host = new URL(asked.url).host
  const cause = code === undefined ? '' : ` (${code})`
  const failure = { kind: sent ? 'lost' : 'unreachable', method, path } as const
  const make = (name: keyof typeof failureCodes, message: string, hint?: string) =>
    new PlatformError(failureCodes[name], message, failure, { hint })
  const proxy = proxyOf(peer, new URL(asked.url))
  if (proxy !== undefined && (fault === 'name' || fault === 'refused'))
    return make(
      fault === 'name' ? 'nameNotFound' : 'unreachable',
      `The proxy ${proxy}, on the way to ${host}, ${fault === 'name' ? 'was not found' : 'cannot be reached'}${cause}`,
      'Check the proxy variables, such as https_proxy.',
    )
  switch (fault) {
    case 'name':
      return make(
        'nameNotFound',
        `The host ${host} was not found${cause}`,
        `Check ${setting}, DNS and the proxy variables.`,
      )
    case 'refused':
      return make(
        'unreachable',
        `${host} cannot be reached${cause}`,
        code === 'ECONNREFUSED' && isLoopback(new URL(asked.url).hostname)
          ? `Nothing listens there: check ${setting}; to use the emulator, start it: ` +
              `\`svcsync emulator --tenant tenant.yaml${atPort(asked.url)}\`.`
          : `Check ${setting}, the network and the proxy variables.`,
      )
    case 'tls':
      return make(
        'tlsFailed',
        `No trusted connection to ${host}${cause}`,
        code?.startsWith('ERR_SSL_')
          ? `Check that ${setting} names a port that speaks https.`
          : 'If its certificate comes from an own authority, name its file by --ca-file or NODE_EXTRA_CA_CERTS.',
      )
    case 'proxy':
      return make(
        'proxyFailed',
        `The proxy opened no way to ${host}`,
        'Check the proxy variables and what the proxy permits.',
      )
    case 'timeout':
      return make(
        'timedOut',
        `${method} ${path} got no answer in time`,
        'Try again later, or with a lower --concurrency.',
      )
    case 'interrupted':
      return make(
        'interrupted',
        `${method} ${path} was interrupted${sent ? ' while it was under way' : ' before it was sent'}`,
      )
    case 'no-answer':
      return make(
        'notHttp',
        `${host} answered ${method} ${path} with something other than HTTP${cause}`,
        `Check the port and protocol in ${setting}, and the proxies on the way to the platform.`,
      )
    case 'reset':
      return make(
        'connectionLost',
        `The connection to ${host} broke during ${method} ${path}${cause}`,
        `If it breaks every time, check the port and protocol in ${setting}.`,
      )
  }
}

/** Without it, the embedded platform takes any free port. */
function atPort(url: string): string {
  const { port } = new URL(url)
  return port === '' ? '' : ` --port ${port}`
}

export function redirectError(reply: HttpReply, asked: RequestName): PlatformError {
  const { method, path, setting } = asked
  const target = reply.location !== null && parseUrl(reply.location, asked.url)?.host
  return new PlatformError(
    failureCodes.redirected,
    `${method} ${path} was redirected${target ? ` to ${target}` : ''}, which svcsync does not follow`,
    { kind: 'status', method, path, status: reply.status },
    { hint: `Check ${setting}: it must be the address that answers itself, without a login page in front.` },
  )
}

export function unreadableError(reply: HttpReply, { method, path }: RequestName): PlatformError {
  const failure = { kind: 'unreadable', method, path, status: reply.status } as const
  if (reply.flaw === 'broken')
    return new PlatformError(failureCodes.cutShort, `The answer to ${method} ${path} was cut short`, failure)
  if (reply.flaw === 'too-large') return tooLargeError(`The answer to ${method} ${path}`, failure)
  const found = isWebPage(reply)
    ? 'a web page'
    : reply.flaw === 'not-utf8'
      ? 'not in UTF-8'
      : reply.text.trim() === ''
        ? 'empty'
        : 'no JSON object'
  return new PlatformError(failureCodes.notJson, `The answer to ${method} ${path} is ${found}`, failure, {
    hint: 'Check baseUrl: a login page or a proxy may be answering instead of the platform.',
  })
}

export function tooLargeError(answer: string, failure: PlatformFailure): PlatformError {
  return new PlatformError(failureCodes.tooLarge, `${answer} is larger than the limit`, failure, {
    hint:
      'No list of the platform is that large: something else may be answering. ' +
      'If it is right, raise `settings.maxAnswerMb` in the project file.',
  })
}

export function isWebPage(reply: HttpReply): boolean {
  return reply.contentType?.includes('html') === true || /^\s*<(?:!doctype|html)/i.test(reply.text)
}
