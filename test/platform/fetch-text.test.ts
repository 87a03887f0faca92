// Texts of the web: fetched once, without a token, from where the user allows it, and with advice where that fails.
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { OperatorError } from '../../src/errors/index.ts'
import { fetchText } from '../../src/platform/fetch-text.ts'
import { failureOf } from './platform-fixture.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})
const options = { caFile: undefined, env: {}, version: '1.2.3', mostBytes: 2_000_000, isAllowed: () => true }

async function start(handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('asks once, as nobody in particular, and gives the text', async () => {
  const seen: [string | undefined, IncomingHttpHeaders][] = []
  const url = await start(({ url, headers }, response) => {
    seen.push([url, headers])
    response.end('{"openapi":"3"}')
  })
  expect(await fetchText(`${url}/doc.json?a=b`, options)).toBe('{"openapi":"3"}')
  const headers = { accept: expect.stringContaining('application/yaml'), 'user-agent': 'svcsync/1.2.3' }
  expect(seen).toEqual([['/doc.json?a=b', expect.objectContaining(headers)]])
  expect(seen[0]?.[1].authorization).toBeUndefined()
})

const [answered, unanswered] = [/^svcsync fetches it without a token: /, /^Check the address, or save/]

it.each([
  ['127\\.0\\.0\\.1:\\d+ answers with the status 404', answered, (_, response) => response.writeHead(404).end()],
  [
    '.* was redirected to o\\.test, which .*',
    answered,
    (_, response) => response.writeHead(300, { location: 'https://o.test/x' }).end(),
  ],
  ['it is larger than 2 MB', unanswered, (_, response) => response.end('x'.repeat(2_000_001))],
  ['the answer is cut short, or no text in UTF-8', unanswered, (_, response) => response.end(Buffer.from([0xff]))],
  ['The connection to 127\\.0\\.0\\.1:\\d+ broke .*', unanswered, (request) => request.socket.destroy()],
] as const satisfies readonly (readonly [string, RegExp, RequestListener])[])('%s', async (why, hint, handle) => {
  const error = (await failureOf(fetchText(`${await start(handle)}/doc.json`, options))) as OperatorError
  expect(error.message).toMatch(new RegExp(`^The document cannot be fetched: ${why}$`))
  expect(error.hint).toMatch(hint)
})

it.each([
  ['https://u@svc.test/x', 'is no address without credentials and fragment'],
  ['https://:key@svc.test/x', 'is no address without credentials and fragment'],
  ['https://svc.test/x#key', 'is no address without credentials and fragment'],
  ['svc.test', 'is no address without credentials and fragment'],
  ['http://svc.test/x', 'is not https'],
  ['https://svc.test:8443/x', 'has a host that SVCSYNC_ALLOW_HOSTS does not name'],
])('%s is asked for nothing: it %s', async (address, why) => {
  const error = (await failureOf(fetchText(address, { ...options, isAllowed: () => false }))) as OperatorError
  expect(error.message).toBe(`svcsync does not fetch the document: the address ${why}`)
  expect(error.hint).toMatch(/^Write it like `https:/)
})

it('asks where the host is allowed, or the host with its port', async () => {
  const { host } = new URL(await start((_, response) => response.end('text')))
  for (const allowed of [host, '127.0.0.1'])
    expect(await fetchText(`http://${host}/`, { ...options, isAllowed: (each) => each === allowed })).toBe('text')
})
