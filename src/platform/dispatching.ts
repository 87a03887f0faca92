// Proxies and own certificate authorities: the only reason to load undici, which costs 44 ms.
import { readFile } from 'node:fs/promises'
import { failureCodes, OperatorError } from '../errors/index.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Dispatching {
  /** An undici dispatcher, made on first use. Rejects with an OperatorError when a certificate file cannot be read. */
  dispatcher(): Promise<object>
  close(): Promise<void>
}

/** Undefined when neither a proxy nor a CA file is set: then the built-in fetch is all that is needed. */
export function prepareDispatching(caFile: string | undefined, env: Env): Dispatching | undefined {
  const httpProxy = variable(env, 'http_proxy')
  const httpsProxy = variable(env, 'https_proxy') ?? httpProxy
  if (httpsProxy === undefined && caFile === undefined) return undefined

  const make = async () => {
    const ca = caFile === undefined ? undefined : await trusted(caFile, env)
    const tls = ca === undefined ? {} : { connect: { ca }, requestTls: { ca }, proxyTls: { ca } }
    const { Agent, EnvHttpProxyAgent } = await import('undici')
    if (httpsProxy === undefined) return new Agent(tls)
    return new EnvHttpProxyAgent({
      ...tls,
      ...(httpProxy === undefined ? {} : { httpProxy }),
      httpsProxy,
      // The emulator runs on the loopback, which no proxy can reach for us.
      noProxy: [variable(env, 'no_proxy'), 'localhost,127.0.0.1,[::1]'].filter(Boolean).join(','),
    })
  }
  let made: ReturnType<typeof make> | undefined
  return {
    dispatcher() {
      made ??= make()
      return made
    },
    async close() {
      await (await made?.catch(() => undefined))?.close()
    },
  }
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

function variable(env: Env, name: string): string | undefined {
  const value = env[name] ?? env[name.toUpperCase()]
  return value === undefined || value === '' ? undefined : value
}
