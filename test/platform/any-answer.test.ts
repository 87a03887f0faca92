// Answers of which svcsync knows nothing: as they came, piece by piece where somebody takes them.
import { deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { failureOf, startServer, type TestClientOptions, type TestServer, testClient } from './platform-fixture.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})
type Handle = Parameters<typeof startServer>[0]
async function start(handle: Handle, options: TestClientOptions = {}) {
  server = await startServer(handle)
  const { client } = testClient({ baseUrl: server.url, retry: { attempts: 1 }, ...options })
  return { client, requests: server.requests }
}
const get = { method: 'GET', path: '/x' } as const

it('gives what came, in neutral names where it is JSON', async () => {
  const answers = ['{"realId":"a"}', 'no json', Buffer.from([0xff, 0x00])]
  const { client, requests } = await start((_, response) => response.writeHead(201).end(answers.shift()), {
    wireNames: { svcId: 'realId' },
  })
  expect(await client.call(get)).toMatchObject({ status: 201, json: { svcId: 'a' } })
  expect(await client.call({ ...get, version: 'beta' })).toMatchObject({ json: undefined })
  expect((await client.call(get)).bytes).toEqual(Buffer.from([0xff, 0x00]))
  expect(requests.map(({ url }) => url)).toEqual(['/api/data/v6.0/x', '/api/data/beta/x', '/api/data/v6.0/x'])
})

it.each([
  ['a web page', 200, 'text/html', '<html>', 'SVC3020'],
  ['a refusal', 400, 'application/json', '{"type":"Bad","description":"No"}', 'SVC3030'],
  ['a redirect', 302, 'text/plain', '', 'SVC3022'],
])('does not take %s for an answer', async (_what, status, type, body, code) => {
  const { client } = await start((_, response) => response.writeHead(status, { 'content-type': type }).end(body))
  expect(await failureOf(client.call(get))).toMatchObject({ status, code })
})

it('hands a body on as it comes, also a page, also packed, and longer than any other answer may be', async () => {
  const taken: string[] = []
  const into = () => (bytes: Buffer) => void taken.push(bytes.toString())
  const bodies = [
    ['', '<html>x'],
    ['gzip', gzipSync('packed')],
    ['', 'z'.repeat(99)],
  ] as const
  let call = 0
  const handle: Handle = (request, response) => {
    expect(request.headers['accept-encoding']).toBe('identity')
    const [encoding, body] = bodies[call++] ?? ['', '']
    if (encoding !== '') response.setHeader('content-encoding', encoding)
    response.setHeader('content-type', 'text/html').end(body)
  }
  const { client } = await start(handle, { maxAnswerBytes: 50 })
  for (const _ of bodies) expect(await client.call({ ...get, into })).toMatchObject({ status: 200, json: undefined })
  expect(taken.join('|')).toBe(`<html>x|packed|${'z'.repeat(99)}`)
})

it('ends a call with what the taker throws, and gives it no refusal', async () => {
  const full = new RangeError('disk full')
  const { client } = await start((request, response) =>
    response.writeHead(request.url?.endsWith('/no') ? 400 : 200).end('x'),
  )
  const into = () => () => {
    throw full
  }
  expect(await failureOf(client.call({ ...get, into }))).toBe(full)
  const early = () => {
    throw full
  }
  expect(await failureOf(client.call({ ...get, into: early }))).toBe(full)
  expect(await failureOf(client.call({ ...get, path: '/no', into: early }))).toMatchObject({ status: 400 })
})

it('lets the connection go where what it brings cannot be taken, and the answer has no end', async () => {
  let isClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve
  })
  const { client } = await start((_, response) => response.on('close', isClosed).writeHead(200).write('x'))
  const into = () => () => {
    throw new RangeError('disk full')
  }
  expect(await failureOf(client.call({ ...get, into }))).toBeInstanceOf(RangeError)
  await closed
})

it('sends a file as the part of a form, with its length', async () => {
  const seen: string[] = []
  const { client } = await start((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      seen.push(String(Number(request.headers['content-length']) === body.length), body.toString('latin1'))
      response.end('{}')
    })
  })
  await client.authorise([])
  const { bytesSent } = client.stats()
  await client.call({ method: 'POST', path: '/x', file: Buffer.from([1, 2, 255]) })
  expect(seen[0]).toBe('true')
  expect(seen[1]).toMatch(
    /^--(svcsync-\S+)\r\ncontent-disposition: form-data; name="file".*\r\n\r\n\x01\x02\xff\r\n--\1--\r\n$/s,
  )
  expect(client.stats().bytesSent - bytesSent).toBe(seen[1]?.length)
})

it.each([
  ['larger than the limit', 'x'.repeat(51), undefined],
  ['larger than the limit', gzipSync('x'.repeat(51)), 'gzip'],
  ['cut short', deflateSync('x'), 'gzip'],
  ['cut short', gzipSync('x'), 'zip'],
  ['empty', gzipSync(' '), 'x-gzip'],
  ['not in UTF-8', Buffer.from([0xff]), undefined],
  ['a web page', '<!doctype html>', undefined],
  ['no JSON object', '\ufeff[]', ' Identity '],
] as const)('that is read as an object is %s', async (expected, body, encoding) => {
  const headers = { ...(encoding && { 'content-encoding': encoding }) }
  const { client } = await start((_, response) => response.writeHead(200, headers).end(body), { maxAnswerBytes: 50 })
  expect(await failureOf(client.send(get))).toMatchObject({
    message: expect.stringMatching(`^The answer to GET /x (is|was) ${expected}$`),
  })
})

it.each([
  ['/elsewhere', / was redirected to 127\.0\.0\.1:\d+, which/],
  ['mailto:a@b', / was redirected, which/],
  ['http://:x', / was redirected, which/],
  [undefined, / was redirected, which/],
])('of a redirect to %s tells where to', async (location, expected) => {
  const { client } = await start((_, response) => response.writeHead(302, { ...(location && { location }) }).end())
  expect(await failureOf(client.send(get))).toMatchObject({ message: expect.stringMatching(expected), status: 302 })
})

it('previews a request in the names of the installation', () => {
  const { client } = testClient({ wireNames: { svcId: 'realId' } })
  const asked = { method: 'POST', path: '/admin/groups', query: { svcId: 'a' } } as const
  const url = 'https://platform.test/api/data/beta/admin/groups?realId=a'
  const sent = client.preview({ ...asked, version: 'beta', body: { svcId: 'b' } })
  expect(sent).toEqual({ method: 'POST', url, body: { realId: 'b' } })
  expect(client.preview(asked)).toEqual({ method: 'POST', url: url.replace('beta', 'v6.0'), body: undefined })
})
