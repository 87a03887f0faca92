// Which proxy the environment names for an address: http_proxy, https_proxy and no_proxy, in either case of letters.

type Env = Readonly<Record<string, string | undefined>>

/** Hosts that no proxy can reach for us: the emulator runs on the loopback. */
const nearHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Undefined: none. */
export function proxyFor(url: URL, env: Env): string | undefined {
  const httpProxy = variable(env, 'http_proxy')
  const proxy = url.protocol === 'https:' ? (variable(env, 'https_proxy') ?? httpProxy) : httpProxy
  if (proxy === undefined || nearHosts.has(url.hostname)) return undefined
  const excepted = variable(env, 'no_proxy')?.split(/[\s,]+/) ?? []
  if (excepted.some((entry) => covers(entry.toLowerCase(), url))) return undefined
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
}

/** An entry is `*`, or a host with all hosts below it, with or without a leading dot or `*.`, and maybe with a port. */
function covers(entry: string, url: URL): boolean {
  if (entry === '*') return true
  const [, name = '', port] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? []
  if (name === '') return false
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false
  return url.hostname === name || url.hostname.endsWith(`.${name}`)
}

function variable(env: Env, name: string): string | undefined {
  const value = env[name] ?? env[name.toUpperCase()]
  return value === undefined || value === '' ? undefined : value
}
