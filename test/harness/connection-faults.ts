// Connections that cannot be made, by the system's codes: below what a server on the loopback can bring about.
import Pool from 'undici/lib/dispatcher/pool.js'

/**
 * `faultOf` is asked about every request of this process, and gives the code that its connection fails with. Call what
 * comes back when it is over.
 */
export function failConnections(faultOf: (method: string, path: string) => string | undefined): () => void {
  const { dispatch } = Pool.prototype
  Pool.prototype.dispatch = function (this: Pool, options, handler) {
    const code = faultOf(options.method, options.path)
    if (code === undefined) return dispatch.call(this, options, handler)
    const controller = { abort: () => undefined } as never
    queueMicrotask(() => {
      // Only a connection that is there can break.
      if (code === 'ECONNRESET') handler.onRequestStart?.(controller, {})
      handler.onResponseError?.(controller, Object.assign(new TypeError('x'), { code }))
    })
    return true
  }
  return () => {
    Pool.prototype.dispatch = dispatch
  }
}
