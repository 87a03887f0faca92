// TLS: nothing is sent to a server whose certificate is not trusted or has another name, direct or through a proxy.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createAuthority, type Issued } from '../harness/certificates.ts'
import { failureOf, type TestClientOptions, testClient } from './platform-fixture.ts'

const dir = mkdtempSync(join(tmpdir(), 'svcsync-tls-'))
const ours = createAuthority('Our authority')
const theirs = createAuthority('Their authority')
const file = (name: string, text: string): string => {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}
const caFile = file('ca.pem', ours.cert)
const read = { method: 'GET', path: '/x' } as const
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function listen(
  server: ReturnType<typeof createHttpServer> | ReturnType<typeof createHttpsServer>,
): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** A platform over TLS, and what reached it. */
async function platform(issued: Issued) {
  const requests: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url}`)
    response.end(request.url?.endsWith('/token') ? '{"access_token":"t0ken"}' : '{"ok":true}')
  }
  const port = await listen(createHttpsServer(issued, answer))
  return { port, requests }
}

/** A proxy that leads every name to the one port. */
async function proxy(port: number, issued?: Issued) {
  const heard: string[] = []
  const server = issued === undefined ? createHttpServer() : createHttpsServer(issued)
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  const own = await listen(server)
  return { url: `${issued === undefined ? 'http' : 'https'}://127.0.0.1:${own}`, heard }
}

const ask = (port: number, options: TestClientOptions, host = '127.0.0.1') => {
  const { client } = testClient({ baseUrl: `https://${host}:${port}`, retry: { attempts: 1 }, ...options })
  closing.push(() => void client.close())
  return client.send(read)
}

describe('a platform over TLS', () => {
  it('is trusted by the authority of --ca-file', async () => {
    const { port, requests } = await platform(ours.issue(['127.0.0.1']))
    expect(await ask(port, { caFile })).toEqual({ ok: true })
    expect(requests).toEqual(['POST /api/oauth2/token', 'GET /api/data/v6.0/x'])
  })

  it('is trusted by the file of NODE_EXTRA_CA_CERTS beside another --ca-file', async () => {
    const { port } = await platform(theirs.issue(['127.0.0.1']))
    const env = { NODE_EXTRA_CA_CERTS: file('extra.pem', theirs.cert) }
    expect(await ask(port, { caFile, env })).toEqual({ ok: true })
  })

  const refused: readonly (readonly [string, () => Issued, TestClientOptions, string])[] = [
    ['of an unknown authority', () => theirs.issue(['127.0.0.1']), {}, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['of another authority', () => theirs.issue(['127.0.0.1']), { caFile }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['for another name', () => ours.issue(['other.example.com']), { caFile }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that ended', () => ours.issue(['127.0.0.1'], { expired: true }), { caFile }, 'CERT_HAS_EXPIRED'],
  ]
  it.each(refused)('with a certificate %s is sent nothing', async (_, issue, options, code) => {
    const { port, requests } = await platform(issue())
    const error = await failureOf(ask(port, options))
    expect(error).toMatchObject({ code: 'SVC3003', kind: 'unreachable' })
    expect((error as Error).message).toContain(code)
    expect(requests).toEqual([])
  })

  it('is verified also where the environment tells Node not to', async () => {
    const { port, requests } = await platform(theirs.issue(['127.0.0.1']))
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await failureOf(ask(port, {}))).toMatchObject({ code: 'SVC3003' })
      const way = await proxy(port)
      expect(await failureOf(ask(443, { env: { https_proxy: way.url } }, 'svc.example.com'))).toMatchObject({
        code: 'SVC3003',
      })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
    expect(requests).toEqual([])
  })

  it('is not looked for with a file that holds no certificate', async () => {
    const { port, requests } = await platform(ours.issue(['127.0.0.1']))
    for (const text of [
      '',
      'not a certificate',
      '-----BEGIN PRIVATE KEY-----\nMEECAQAw\n-----END PRIVATE KEY-----\n',
      // Its first characters: which ones come later is chance.
      ours.cert.replace(/\n.{20}/, `\n${'%'.repeat(20)}`),
    ]) {
      const error = await failureOf(ask(port, { caFile: file('none.pem', text) }))
      expect(error).toMatchObject({ code: 'SVC3052' })
    }
    expect(requests).toEqual([])
  })
})

describe('a platform over TLS behind a proxy', () => {
  const host = 'svc.example.com'

  it('is trusted by --ca-file, and the proxy sees neither token nor secret', async () => {
    const { port, requests } = await platform(ours.issue([host]))
    const way = await proxy(port)
    expect(await ask(443, { caFile, env: { https_proxy: way.url } }, host)).toEqual({ ok: true })
    expect(requests).toHaveLength(2)
    expect(way.heard.join()).toMatch(/^CONNECT svc\.example\.com:443 /)
    expect(way.heard.join()).not.toMatch(/authorization|t0ken|s3cret/i)
  })

  it('is reached through a proxy that is over TLS itself, with its password', async () => {
    const { port } = await platform(ours.issue([host]))
    const way = await proxy(port, ours.issue(['127.0.0.1']))
    const https_proxy = way.url.replace('://', '://an%20na:p%40ss@')
    expect(await ask(443, { caFile, env: { https_proxy } }, host)).toEqual({ ok: true })
    const sent = `Basic ${Buffer.from('an na:p@ss').toString('base64')}`
    expect(way.heard.join()).toContain(JSON.stringify(sent))
  })

  it.each([
    ['of another authority', () => theirs.issue([host]), { caFile }],
    ['of an unknown authority', () => ours.issue([host]), {}],
    ['for another name', () => ours.issue(['127.0.0.1', 'localhost']), { caFile }],
  ] as const)('with a certificate %s is sent nothing', async (_, issue, options) => {
    const { port, requests } = await platform(issue())
    const way = await proxy(port)
    const error = await failureOf(ask(443, { ...options, env: { https_proxy: way.url } }, host))
    expect(error).toMatchObject({ code: 'SVC3003', kind: 'unreachable' })
    expect(requests).toEqual([])
  })

  it('is not asked for through a proxy that is not trusted', async () => {
    const { port, requests } = await platform(ours.issue([host]))
    const way = await proxy(port, theirs.issue(['127.0.0.1']))
    const https_proxy = way.url.replace('://', '://anna:passw0rd@')
    const error = await failureOf(ask(443, { caFile, env: { https_proxy } }, host))
    expect(error).toMatchObject({ kind: 'unreachable' })
    expect(way.heard).toEqual([])
    expect(requests).toEqual([])
  })
})

describe('a proxy address', () => {
  it.each(['http://anna:passw0rd@', 'http://anna:passw0rd@host:99999', 'socks5://anna:passw0rd@host:1080'])(
    'that cannot be used is an error without its password: %s',
    async (https_proxy) => {
      const error = (await failureOf(ask(443, { env: { https_proxy } }, 'svc.example.com'))) as Error
      expect(error).toMatchObject({ code: 'SVC3056' })
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(
        'passw0rd',
      )
    },
  )
})
