// Which proxy an address goes through: what people set in their environment, and expect from every tool.
import dns from 'node:dns'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { failureOf, testClient } from './platform-fixture.ts'

const proxy = 'http://proxy.test:3128'
const lookedUp: string[] = []
const notFound = Object.assign(new TypeError('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })

beforeAll(() => {
  const lookup = (host: string, _options: unknown, done: (error: Error) => void): void => {
    lookedUp.push(host)
    done(notFound)
  }
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as never)
})
afterAll(() => vi.restoreAllMocks())

/** Whose name is asked for, to connect to it. Nobody is found. */
async function firstHost(baseUrl: string, env: Record<string, string>): Promise<string | undefined> {
  lookedUp.length = 0
  const { client } = testClient({ baseUrl, env, retry: { attempts: 1 }, allowInsecureHttp: true })
  await failureOf(client.send({ method: 'GET', path: '/x' }))
  await client.close()
  return lookedUp[0]
}

describe('a proxy', () => {
  it.each([
    ['https://platform.test', { https_proxy: proxy }],
    ['https://platform.test', { HTTPS_PROXY: proxy }],
    ['https://platform.test', { http_proxy: proxy }],
    ['http://platform.test', { HTTP_PROXY: proxy, https_proxy: 'http://other.test' }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: 'other.test, form.test' }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: 'platform.test:8443' }],
    ['https://notplatform.test', { https_proxy: proxy, no_proxy: 'platform.test' }],
  ])('is used for %s with %o', async (url, env) => {
    expect(await firstHost(url, env as unknown as Record<string, string>)).toBe('proxy.test')
  })

  it.each([
    ['https://platform.test', {}],
    ['https://platform.test', { https_proxy: '' }],
    ['http://platform.test', { https_proxy: proxy }],
    ['http://127.0.0.1:1', { http_proxy: proxy }],
    ['http://localhost:1', { http_proxy: proxy }],
    ['http://[::1]:1', { http_proxy: proxy }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: '*' }],
    ['https://platform.test', { https_proxy: proxy, NO_PROXY: 'a.test,PLATFORM.test' }],
    ['https://a.platform.test', { https_proxy: proxy, no_proxy: 'platform.test' }],
    ['https://a.platform.test', { https_proxy: proxy, no_proxy: '.platform.test' }],
    ['https://a.platform.test', { https_proxy: proxy, no_proxy: '*.platform.test' }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: 'platform.test:443' }],
    ['https://platform.test:8443', { https_proxy: proxy, no_proxy: 'platform.test:8443' }],
  ])('is left out for %s with %o', async (url, env) => {
    expect(await firstHost(url, env as unknown as Record<string, string>)).not.toBe('proxy.test')
  })

  it('may be given without a scheme', async () => {
    expect(await firstHost('https://platform.test', { https_proxy: 'proxy.test:3128' })).toBe('proxy.test')
  })
})
