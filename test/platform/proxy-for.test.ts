// Which proxy an address goes through: what people set in their environment, and expect from every tool.
import { describe, expect, it } from 'vitest'
import { proxyFor } from '../../src/platform/proxy-for.ts'

const proxy = 'http://proxy.test:3128'
const through = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)

describe('a proxy', () => {
  it.each([
    ['https://platform.test', { https_proxy: proxy }],
    ['https://platform.test', { HTTPS_PROXY: proxy }],
    ['https://platform.test', { http_proxy: proxy }],
    ['http://platform.test', { HTTP_PROXY: proxy, https_proxy: 'http://other.test' }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: 'other.test, form.test' }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: 'platform.test:8443' }],
    ['https://notplatform.test', { https_proxy: proxy, no_proxy: 'platform.test' }],
  ])('is used for %s with %o', (url, env) => {
    expect(through(url, env as unknown as Record<string, string>)).toBe(proxy)
  })

  it.each([
    ['https://platform.test', {}],
    ['https://platform.test', { https_proxy: '' }],
    ['http://platform.test', { https_proxy: proxy }],
    ['http://127.0.0.1:8080', { http_proxy: proxy }],
    ['http://localhost', { http_proxy: proxy }],
    ['http://[::1]:8080', { http_proxy: proxy }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: '*' }],
    ['https://platform.test', { https_proxy: proxy, NO_PROXY: 'a.test,PLATFORM.test' }],
    ['https://a.platform.test', { https_proxy: proxy, no_proxy: 'platform.test' }],
    ['https://a.platform.test', { https_proxy: proxy, no_proxy: '.platform.test' }],
    ['https://a.platform.test', { https_proxy: proxy, no_proxy: '*.platform.test' }],
    ['https://platform.test', { https_proxy: proxy, no_proxy: 'platform.test:443' }],
    ['https://platform.test:8443', { https_proxy: proxy, no_proxy: 'platform.test:8443' }],
  ])('is left out for %s with %o', (url, env) => {
    expect(through(url, env as unknown as Record<string, string>)).toBeUndefined()
  })

  it('may be given without a scheme', () => {
    expect(through('https://platform.test', { https_proxy: 'proxy.test:3128' })).toBe(proxy)
  })
})
