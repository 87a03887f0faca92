// Names how an exchange failed below HTTP, from error codes alone: their texts differ by version.

export interface Fault {
  readonly fault: 'refused' | 'name' | 'tls' | 'proxy' | 'reset' | 'timeout' | 'interrupted'
  /** False only when it is certain that nothing of the request left. */
  readonly sent: boolean
  /** The system's own code, e.g. `ECONNRESET`. */
  readonly code: string | undefined
}

/** Failures of the handshake. A connection that is not trusted carries no request. */
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_CA$|EPROTO$)/

/** `proxied`: whether a proxy may stand between. `signal` is the attempt's own, aborted with a reason. */
export function faultOf(error: unknown, signal: AbortSignal, proxied: boolean): Fault {
  if (signal.aborted) {
    return { fault: signal.reason === 'timeout' ? 'timeout' : 'interrupted', sent: true, code: undefined }
  }
  const { code, syscall } = innermost(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || syscall === 'getaddrinfo') {
    return { fault: 'name', sent: false, code }
  }
  // The same codes can come from an open connection, so only the ones of connecting count as "nothing sent".
  if (code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect') {
    return { fault: 'refused', sent: false, code }
  }
  if (code !== undefined && tlsCode.test(code)) return { fault: 'tls', sent: false, code }
  // We aborted nothing, so this is how undici says that the proxy refused to open the tunnel.
  if (proxied && code === 'UND_ERR_ABORTED') return { fault: 'proxy', sent: false, code: undefined }
  return { fault: 'reset', sent: true, code }
}

export function isFault(outcome: object): outcome is Fault {
  return 'fault' in outcome
}

/** fetch wraps the cause, and a host with several addresses wraps one cause for each. */
function innermost(error: unknown): { code: string | undefined; syscall: string | undefined } {
  let current = error
  for (let depth = 0; depth < 5; depth += 1) {
    const next = detail(current, 'cause') ?? (detail(current, 'errors') as readonly unknown[] | undefined)?.[0]
    if (typeof next !== 'object' || next === null) break
    current = next
  }
  const code = detail(current, 'code')
  const syscall = detail(current, 'syscall')
  return {
    code: typeof code === 'string' ? code : undefined,
    syscall: typeof syscall === 'string' ? syscall : undefined,
  }
}

function detail(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined
}
