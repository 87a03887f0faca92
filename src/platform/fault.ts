// Names how an exchange failed below HTTP, from error codes alone: their texts differ by version.
export interface Fault {
  readonly fault: 'refused' | 'name' | 'tls' | 'proxy' | 'reset' | 'timeout' | 'interrupted' | 'no-answer'
  /** False only when it is certain that nothing of the request left. */
  readonly sent: boolean
  /** The system's own code, e.g. `ECONNRESET`. */
  readonly code: string | undefined
  /** Where no connection could be made: behind a proxy, that is the proxy. */
  readonly peer?: { readonly host: string; readonly port?: number } | undefined
}

interface FaultContext {
  /** Why we gave up ourselves; `no-answer`: what came is no answer. */
  readonly stopped: 'timeout' | 'interrupted' | 'no-answer' | undefined
  /** The request was being written, so that it may have left. */
  readonly sent: boolean
  /** Something had come in answer. */
  readonly begun: boolean
}

/** Failures of the handshake. A connection that is not trusted carries no request. */
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_CA$|EPROTO$)/

export function faultOf(error: unknown, { stopped, sent, begun }: FaultContext): Fault {
  if (stopped !== undefined) return { fault: stopped, sent, code: undefined }
  const { code: found, syscall, peer } = innermost(error)
  // Codes of the library's own say nothing to those who read them.
  const code = found?.startsWith('UND_') ? undefined : found
  if (sent && begun) return { fault: 'no-answer', sent, code }
  if (sent) return { fault: 'reset', sent, code: code ?? 'ECONNRESET' }
  if (found === 'UND_ERR_ABORTED') return { fault: 'proxy', sent, code: undefined }
  if (found === 'UND_ERR_CONNECT_TIMEOUT') return { fault: 'refused', sent, code: 'ETIMEDOUT' }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || syscall === 'getaddrinfo')
    return { fault: 'name', sent, code, peer }
  return { fault: code !== undefined && tlsCode.test(code) ? 'tls' : 'refused', sent, code, peer }
}

export function isFault(outcome: object): outcome is Fault {
  return 'fault' in outcome
}

/** A host with several addresses gives an error that holds one for each. */
function innermost(error: unknown): { code: string | undefined; syscall: unknown; peer: Fault['peer'] } {
  const first = (detail(error, 'errors') as readonly unknown[] | undefined)?.[0]
  // For an untrusted proxy, the cause has the reason.
  const cause = detail(error, 'code') === 'UND_ERR_PRX_TLS' ? detail(error, 'cause') : undefined
  const inner = cause ?? first ?? error
  const code = detail(inner, 'code')
  const [host, port] = [detail(inner, 'hostname') ?? detail(inner, 'address'), detail(inner, 'port')]
  const peer = typeof host === 'string' ? { host, ...(typeof port === 'number' && { port }) } : undefined
  return { code: typeof code === 'string' ? code : undefined, syscall: detail(inner, 'syscall'), peer }
}

function detail(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined
}
