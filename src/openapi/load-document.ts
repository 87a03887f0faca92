// Reads an OpenAPI document from a file or an address: JSON or YAML, up to a size.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { allowedBy } from '@svcsync/manifests/resolver.ts'
import { fetchText } from '@svcsync/platform/fetch-text.ts'
import { LineCounter, parseDocument } from 'yaml'

interface LoadOptions {
  readonly caFile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The version of svcsync, which it tells the server. */
  readonly version: string
}

/** In MB: documents of large interfaces have two or three. */
const largest = 16

const addressPattern = /^[a-z][\w+.-]+:\/\//i

/** The parts of an address that can hold no key. */
export function shownSource(source: string): string {
  if (!addressPattern.test(source)) return source
  const url = parseUrl(source)
  return url === undefined || url.host === '' ? 'The document' : `${url.protocol}//${url.host}${url.pathname}`
}

/** Rejects with an OperatorError. `source`: a path, or an address. */
export async function loadDocument(source: string, { caFile, env, version }: LoadOptions): Promise<JsonObject> {
  const isAddress = addressPattern.test(source)
  const text = isAddress
    ? await fetchText(source, {
        ...{ caFile, env, version },
        mostBytes: largest * 1_000_000,
        isAllowed: allowedBy(env.SVCSYNC_ALLOW_HOSTS, (host) => host.toLowerCase()),
      })
    : textOf(source)
  const shown = shownSource(source)
  const document = parsed(text, shown)
  const { openapi, swagger } = isJsonObject(document) ? document : {}
  if (isJsonObject(document) && /^3\.[01](?:\.|$)/.test(String(openapi))) return document
  const found =
    swagger !== undefined ? `Swagger ${swagger}` : openapi !== undefined ? `OpenAPI ${openapi}` : 'no OpenAPI document'
  throw new OperatorError('SVC2173', `${shown} is ${found.slice(0, 40)}`, {
    hint: 'svcsync reads OpenAPI 3.0 and 3.1. Most installations link it from the page that shows their interface.',
  })
}

function textOf(file: string): string {
  const text = readBoundedText(file, largest)
  if (!isUnread(text)) return text.replace(/^\ufeff/, '')
  throw new OperatorError('SVC2170', `The document ${file} cannot be read: ${text.reason}`, {
    hint: 'Check its path: it counts from the working folder.',
    cause: text.cause,
  })
}

/** JSON is parsed as such for its speed, and as YAML where that fails, which says where. */
function parsed(text: string, shown: string): unknown {
  try {
    return JSON.parse(text)
  } catch {}
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' })
    const [error] = document.errors
    if (error === undefined) return document.toJS({ maxAliasCount: 1000 })
    const { line, col } = lines.linePos(error.pos[0])
    throw unparsed(`${shown}:${line}:${col}: ${error.message.replace(/ at line \d+[\s\S]*$/, '')}`)
  } catch (error) {
    // Aliases that multiply without end.
    throw error instanceof OperatorError ? error : unparsed(`${shown}: ${error instanceof Error ? error.message : ''}`)
  }
}

function unparsed(where: string): OperatorError {
  return new OperatorError('SVC2172', `The document is neither JSON nor YAML. ${where}`, {
    hint: 'Name the OpenAPI document itself, not the page that shows it.',
  })
}
