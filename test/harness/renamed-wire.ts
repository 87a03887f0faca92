// A loopback server in front of an emulator that speaks in an installation's own names, both ways, and publishes a
// document that says which. Whoever sends a neutral name that is another one there is not understood.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, request as send } from 'undici'

type Names = ReadonlyMap<string, string>

/** Keys below which a text is a word. Said anew: the code that is tested has its own. */
const wordKeys =
  /^(?:type|level|status|license|mode|binding|authentication|connectAs|connectionType|environment|credentials|serverType)$/

export interface RenamedWire {
  readonly url: string
  /** The writes of an object: method and path. */
  readonly writes: string[]
  close(): Promise<void>
}

/** `truth`: neutral name → the installation's own. */
export async function openRenamedWire(target: string, truth: Names, document: unknown): Promise<RenamedWire> {
  const neutral: Names = new Map([...truth].map(([name, real]) => [real, name]))
  const understood = (name: string): string => neutral.get(name) ?? (truth.has(name) ? `not-understood-${name}` : name)
  const shown = (name: string): string => truth.get(name) ?? name
  const writes: string[] = []
  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { method = 'GET', url = '/', headers } = request
    if (url === '/openapi.json') return giveDocument(response, headers.authorization === undefined, document)
    const isData = url.startsWith('/api/data/')
    const asked = isData ? withNames(url, understood) : url
    const body = await bodyOf(request)
    if (method !== 'GET' && isData) writes.push(`${method} ${url.split('?')[0]}`)
    const sent = isData && body !== '' ? renamedJson(body, understood, (key) => key) : body
    const answer = await send(`${target}${asked}`, {
      method: method as Dispatcher.HttpMethod,
      headers: forwarded(headers),
      ...(sent !== '' && { body: sent }),
    })
    const text = await answer.body.text()
    const type = String(answer.headers['content-type'] ?? '')
    response.writeHead(answer.statusCode, type === '' ? {} : { 'content-type': type })
    const isJson = isData && answer.statusCode < 300 && type.includes('json')
    return response.end(isJson ? renamedJson(text, shown, understood) : text)
  }
  const server = createServer((request, response) => {
    exchange(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}

/** It wants no token: a token that is sent goes to whoever serves the document. */
function giveDocument(response: ServerResponse, isWithoutToken: boolean, document: unknown): void {
  response.writeHead(isWithoutToken ? 200 : 400, { 'content-type': 'application/json' })
  response.end(JSON.stringify(document))
}

function withNames(url: string, name: (text: string) => string): string {
  const [path, search = ''] = url.split('?')
  if (search === '') return url
  const query = [...new URLSearchParams(search)].map(([key, value]): [string, string] => [name(key), value])
  return `${path}?${new URLSearchParams(query)}`
}

function forwarded({ authorization, 'content-type': type, accept }: IncomingHttpHeaders): IncomingHttpHeaders {
  return { authorization, 'content-type': type, accept }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function renamedJson(text: string, name: (text: string) => string, toNeutral: (key: string) => string): string {
  return JSON.stringify(renamed(JSON.parse(text), name, toNeutral))
}

/** `toNeutral`: of the key as it comes out. */
function renamed(value: unknown, name: (text: string) => string, toNeutral: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, name, toNeutral))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const put = name(key)
      const isWord = typeof each === 'string' && wordKeys.test(toNeutral(put))
      return [put, isWord ? name(each) : renamed(each, name, toNeutral)]
    }),
  )
}
