// The names of failures below HTTP, and the chance that the request has left.
import { describe, expect, it } from 'vitest'
import { faultError } from '../../src/platform/failure.ts'
import { faultOf } from '../../src/platform/fault.ts'

const context: Parameters<typeof faultOf>[1] = { stopped: undefined, sent: false, begun: false }

describe('a fault', () => {
  it.each([
    [{}, { code: 'UND_ERR_CONNECT_TIMEOUT' }, { fault: 'refused', sent: false, code: 'ETIMEDOUT' }],
    [{ stopped: 'timeout' }, {}, { fault: 'timeout', sent: false }],
    [{ stopped: 'timeout', sent: true }, {}, { fault: 'timeout', sent: true }],
    [{ stopped: 'interrupted', sent: true }, {}, { fault: 'interrupted', sent: true }],
    [{}, { code: 'UND_ERR_ABORTED' }, { fault: 'proxy', sent: false, code: undefined }],
    [{}, { code: 'ENOTFOUND' }, { fault: 'name', sent: false }],
    [{}, { code: 'ENOTFOUND', hostname: 'a.test' }, { fault: 'name', peer: { host: 'a.test' } }],
    [{}, { errors: [{ code: 'ECONNREFUSED', address: '::1', port: 9 }] }, { peer: { host: '::1', port: 9 } }],
    [{}, { code: 'ECONNREFUSED' }, { fault: 'refused', sent: false }],
    [{}, { errors: [{ code: 'ECONNREFUSED' }] }, { fault: 'refused', sent: false }],
    [{}, { code: 'ETIMEDOUT', syscall: 'connect' }, { fault: 'refused', sent: false }],
    [{}, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, { fault: 'tls', sent: false }],
    [{}, { code: 'UND_ERR_PRX_TLS', cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } }, { fault: 'tls', sent: false }],
    // Nothing of a request is written before its connection is made.
    [{}, { code: 'ECONNRESET' }, { fault: 'refused', sent: false }],
    [{ sent: true }, { code: 'ETIMEDOUT' }, { fault: 'reset', sent: true }],
    [{ sent: true }, { code: 'EPIPE' }, { fault: 'reset', sent: true, code: 'EPIPE' }],
    // A cause is another story, but for a proxy that is not trusted.
    [{}, { code: 'EHOSTUNREACH', cause: { code: 'ERR_TLS_X' } }, { fault: 'refused', code: 'EHOSTUNREACH' }],
    [{}, { code: 'EAI_AGAIN' }, { fault: 'name', code: 'EAI_AGAIN' }],
    [{}, { errors: [], code: 'EHOSTUNREACH', syscall: 'getaddrinfo' }, { fault: 'name', code: 'EHOSTUNREACH' }],
    [{}, { errors: [{ code: 'ECONNREFUSED' }, { code: 'ENOTFOUND' }] }, { fault: 'refused', code: 'ECONNREFUSED' }],
    [{}, { code: 7 }, { fault: 'refused', code: undefined }],
    [{ begun: true }, { code: 'ECONNREFUSED' }, { fault: 'refused', sent: false }],
    [{}, undefined, { fault: 'refused', code: undefined }],
    [{ sent: true }, { code: 'UND_ERR_SOCKET' }, { fault: 'reset', sent: true, code: 'ECONNRESET' }],
    [{ sent: true, begun: true }, { code: 'HPE_INVALID_CONSTANT' }, { fault: 'no-answer', sent: true }],
  ] as const)('in %o of %o is %o', (given, error, expected) => {
    expect(faultOf(error, { ...context, ...given })).toMatchObject(expected)
  })
})

it.each([
  ['http://localhost/x', 'tenant.yaml`'],
  ['http://localhost:4010/x', 'tenant.yaml --port 4010`'],
  ['https://svc.example.com/x', 'the network and the proxy variables'],
])('nobody at %s may be the embedded platform, which was not started', (url, hint) => {
  const asked = { method: 'GET', path: '/x', url, setting: 'baseUrl' } as const
  expect(faultError({ fault: 'refused', sent: false, code: 'ECONNREFUSED' }, asked).hint).toContain(hint)
})

it.each([
  [{ fault: 'name', peer: { host: 'proxy.test' } }, 'The proxy proxy.test, on the way to svc.test, was not found'],
  [{ fault: 'refused', peer: { host: '::1', port: 9 } }, 'The proxy ::1:9, on the way to svc.test, cannot be reached'],
  [{ fault: 'name', peer: { host: 'SVC.test' } }, 'The host svc.test was not found'],
  [{ fault: 'refused', peer: { host: '192.0.2.1', port: 443 } }, 'svc.test cannot be reached'],
] as const)('%o names the proxy, if it is there', (fault, message) => {
  const asked = { method: 'GET', path: '/x', url: 'https://svc.test/x', setting: 'baseUrl' } as const
  expect(faultError({ sent: false, code: undefined, ...fault }, asked).message).toBe(message)
})
