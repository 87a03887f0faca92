// Names how an exchange failed below HTTP, from error codes alone: their texts differ by version.

export interface Fault {
  readonly fault: 'refused' | 'name' | 'tls' | 'proxy' | 'reset' | 'timeout' | 'interrupted' | 'no-answer'
  /** False only when it is certain that nothing of the request left. */
  readonly sent: boolean
  /** The system's own code, e.g. `ECONNRESET`. */
  readonly code: string | undefined
}

export interface FaultContext {
  /** Why we gave up ourselves; `connecting`: no connection came about in time; `no-answer`: what came is no answer. */
  readonly stopped: 'timeout' | 'interrupted' | 'connecting' | 'no-answer' | undefined
  /** The connection was made, TLS included, so that the request may have left. */
  readonly isOpen: boolean
  /** A proxy answered the wish for a tunnel with a refusal. */
  readonly proxyRefused: boolean
}

/** Failures of the handshake. A connection that is not trusted carries no request. */
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_CA$|EPROTO$)/

export function faultOf(error: unknown, { stopped, isOpen, proxyRefused }: FaultContext): Fault {
  if (stopped === 'connecting') return { fault: 'refused', sent: false, code: 'ETIMEDOUT' }
  if (stopped !== undefined) return { fault: stopped, sent: isOpen, code: undefined }
  if (proxyRefused) return { fault: 'proxy', sent: false, code: undefined }
  const { code, syscall } = innermost(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || syscall === 'getaddrinfo') {
    return { fault: 'name', sent: false, code }
  }
  // The same codes can come from an open connection, so only the ones of connecting count as "nothing sent".
  if (code === 'ECONNREFUSED' || syscall === 'connect') return { fault: 'refused', sent: false, code }
  if (code !== undefined && tlsCode.test(code)) return { fault: 'tls', sent: false, code }
  if (code?.startsWith('HPE_')) return { fault: 'no-answer', sent: true, code }
  // Also one that breaks while it is made counts as sent: better one look too many than a write done twice.
  return { fault: 'reset', sent: true, code }
}

export function isFault(outcome: object): outcome is Fault {
  return 'fault' in outcome
}

/** A host with several addresses gives an error that holds one for each. */
function innermost(error: unknown): { code: string | undefined; syscall: string | undefined } {
  const first = (detail(error, 'errors') as readonly unknown[] | undefined)?.[0]
  const inner = typeof first === 'object' && first !== null ? first : error
  const code = detail(inner, 'code')
  const syscall = detail(inner, 'syscall')
  return {
    code: typeof code === 'string' ? code : undefined,
    syscall: typeof syscall === 'string' ? syscall : undefined,
  }
}

function detail(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined
}
