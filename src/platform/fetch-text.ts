// Fetches a text: over https or from the loopback, without a token, once, up to a size.
import { parseUrl } from '@svcsync/core/model/url.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import type { Env } from './agents.ts'
import { isPrivate } from './client-options.ts'
import { faultError, redirectError } from './failure.ts'
import { isFault } from './fault.ts'
import { Transport } from './transport.ts'

interface FetchOptions {
  readonly caFile: string | undefined
  readonly env: Env
  readonly version: string
  readonly mostBytes: number
  readonly isAllowed: (host: string) => boolean
}

const timeoutMs = 60_000

/** Rejects with an OperatorError. The address is not repeated in it: it may carry a key. */
export async function fetchText(address: string, options: FetchOptions): Promise<string> {
  const { caFile, env, version, mostBytes, isAllowed } = options
  const url = parseUrl(address)
  if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '') {
    throw refused('is no address without credentials and fragment')
  }
  if (!isPrivate(url)) throw refused('is not https')
  if (!isAllowed(url.hostname) && !isAllowed(url.host))
    throw refused('has a host that SVCSYNC_ALLOW_HOSTS does not name')
  const transport = new Transport({ caFile, env, signal: undefined, maxAnswerBytes: mostBytes, connections: 1 })
  const asked = { method: 'GET', path: url.pathname, url: url.href, setting: 'baseUrl' } as const
  try {
    const headers = {
      accept: 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5',
      'user-agent': `svcsync/${version}`,
    }
    const reply = await transport.exchange({ url: url.href, method: 'GET', headers, timeoutMs })
    if (isFault(reply)) throw failed(faultError(reply, asked).message, false)
    if (reply.status >= 300 && reply.status < 400) throw failed(redirectError(reply, asked).message, true)
    if (reply.status >= 400) throw failed(`${url.host} answers with the status ${reply.status}`, true)
    if (reply.flaw === 'too-large') throw failed(`it is larger than ${mostBytes / 1_000_000} MB`, false)
    if (reply.flaw !== undefined) throw failed('the answer is cut short, or no text in UTF-8', false)
    return reply.text
  } finally {
    transport.close()
  }
}

function refused(why: string): OperatorError {
  return new OperatorError('SVC2171', `svcsync does not fetch the document: the address ${why}`, {
    hint: 'Write it like `https://svc.example.com/swagger.json`, or save the document and name the file.',
  })
}

function failed(why: string, isAnswered: boolean): OperatorError {
  return new OperatorError('SVC2171', `The document cannot be fetched: ${why}`, {
    hint: isAnswered
      ? 'svcsync fetches it without a token: if that is refused, save it with a browser and name the file.'
      : 'Check the address, or save the document with a browser and name the file.',
  })
}
