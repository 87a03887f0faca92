// Documents that are no such thing, or that were made to do harm: each ends in a result or a typed error, in bounded
// time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { alignNames } from '../../src/openapi/align-names.ts'
import { loadDocument } from '../../src/openapi/load-document.ts'
import { readInterface } from '../../src/openapi/read-interface.ts'
import { expectQuick } from '../harness/any-speed.ts'

const dir = mkdtempSync(join(tmpdir(), 'svcsync-openapi-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const load = (source: string, env: Record<string, string> = {}) =>
  loadDocument(source, { caFile: undefined, env, version: 'test' })

function file(text: string): string {
  const path = join(dir, 'document')
  writeFileSync(path, text)
  return path
}

/** The alignment by an answer of these users. */
function aligned(user: JsonObject, schemas: JsonObject = {}) {
  const document = {
    openapi: '3.0.0',
    paths: {
      '/admin/user': { get: { responses: { 200: { content: { 'application/json': { schema: user } } } } } },
    },
    components: { schemas },
  }
  const ours = readInterface(interfaceDocument('6.0'), '6.0')
  return alignNames(ours, readInterface(document as JsonObject, '6.0'))
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('schemas', () => {
  it.each([
    ['that contain themselves', ref('A'), { A: { allOf: [ref('A'), ref('A')], properties: { a: ref('A') } } }],
    ['that refer in a circle', ref('A'), { A: ref('B'), B: ref('A') }],
    ['that lead nowhere', { $ref: '#/components/nothing' }, {}],
    ['that lead outside', { $ref: 'https://example.com/a.json#/x' }, {}],
    ['that are no schemas', { properties: [], allOf: {}, oneOf: [1, null], enum: 'x', required: 3, type: {} }, {}],
    ['with odd names', { properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{},"":{}}') }, {}],
  ])('%s', (_, user, schemas) => {
    expect(aligned(user as JsonObject, schemas as unknown as JsonObject).names).toEqual([])
  })

  it('that double forty times', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `S${n}`,
        { allOf: [ref(`S${n + 1}`), ref(`S${n + 1}`)], properties: { [`p${n}`]: ref(`S${n + 1}`) } },
      ]),
    )
    expect(aligned(ref('S0'), schemas as unknown as JsonObject).names).toEqual([])
  })

  it.each([
    ['new names', (n: number) => `p${n}`],
    ['names that go on with every word of a product', (n: number) => `p${n}${['2013', '2016', '2019'][n % 3]}`],
  ])('that contain themselves everywhere under 750 %s', (_, nameOf) => {
    const ours = interfaceDocument('6.0') as { readonly paths: Record<string, Record<string, JsonObject>> }
    const content = { 'application/json': { schema: ref('A') } }
    const everywhere = { requestBody: { content }, responses: { 200: { content } } }
    const paths = Object.entries(ours.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, each]) => [method, { ...each, ...everywhere }])),
    ])
    const properties = Object.fromEntries(Array.from({ length: 750 }, (_, n) => [nameOf(n), ref('A')]))
    const components = { schemas: { A: { type: 'object', properties } } }
    const document = JSON.stringify({ openapi: '3.0.0', paths: Object.fromEntries(paths), components })
    expectQuick(() => {
      const theirs = readInterface(JSON.parse(document), '6.0')
      expect(alignNames(readInterface(ours as never, '6.0'), theirs).names).toEqual([])
    })
  })
})

describe('files', () => {
  it.each([
    ['empty', '', 'SVC2173'],
    ['a list', '[]', 'SVC2173'],
    ['another version', '{"openapi":"4.0.0"}', 'SVC2173'],
    ['no text', '\u0000\u0001{', 'SVC2173'],
    ['too large', ' '.repeat(17 * 1024 * 1024), 'SVC2170'],
    [
      'aliases that multiply',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
        .split('')
        .map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]`)
        .join('\n')}\nopenapi: 3.0.0\n`,
      'SVC2172',
    ],
  ])('%s', async (_, text, code) => {
    await expect(load(file(text))).rejects.toMatchObject({ code })
  })

  it('a folder, and what is not there', async () => {
    await expect(load(dir)).rejects.toMatchObject({ code: 'SVC2170' })
    await expect(load(join(dir, 'nothing.json'))).rejects.toMatchObject({ code: 'SVC2170' })
  })
})

describe('addresses', () => {
  async function asked(answer: RequestListener, env: Record<string, string> = {}, path = '/openapi.json') {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers))
      answer(request, response)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    try {
      const outcome = await load(url, env).catch((error: { code: string; message: string; hint: string }) => {
        return `${error.code} ${error.message} ${error.hint}`
      })
      return { outcome, seen }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('is asked once, and without credentials', async () => {
    const document = { openapi: '3.1.0', paths: {} }
    const { outcome, seen } = await asked((_, response) => response.end(JSON.stringify(document)))
    expect(outcome).toEqual(document)
    expect(seen).toHaveLength(1)
    expect(seen[0]).not.toMatch(/authorization|cookie/i)
  })

  it.each<[string, RequestListener, string]>([
    ['a page', (_, response) => response.end('<!doctype html><p>a: [</p>'), 'SVC2172'],
    ['a refusal', (_, response) => response.writeHead(401).end(), 'SVC2171'],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'https://elsewhere.example.com/' }).end(),
      'SVC2171',
    ],
    ['a broken connection', (request) => request.socket.destroy(), 'SVC2171'],
    [
      'an answer without end',
      (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
          response.once('drain', more)
        }
        more()
      },
      'SVC2171',
    ],
  ])('%s', async (_, answer, code) => {
    const { outcome, seen } = await asked(answer, {}, '/openapi.json?key=s3cret')
    expect(outcome).toContain(code)
    expect(outcome).not.toContain('s3cret')
    expect(seen).toHaveLength(1)
  })

  it('that may not be asked are not', async () => {
    const { outcome, seen } = await asked((_, response) => response.end('{}'), { SVCSYNC_ALLOW_HOSTS: '*.example.com' })
    expect(outcome).toContain('SVCSYNC_ALLOW_HOSTS')
    expect(seen).toEqual([])
    for (const url of [
      'http://svc.example.com/a',
      'ftp://127.0.0.1/a',
      'https://a:s3cret@svc.example.com/a',
      'https://',
    ]) {
      const error = (await load(url).catch((each: unknown) => each)) as { code: string; message: string }
      expect(error).toMatchObject({ code: 'SVC2171' })
      expect(error.message).not.toContain('s3cret')
    }
  })
})
