// What a failure below HTTP is called, and whether the request may have left.
import { describe, expect, it } from 'vitest'
import { type FaultContext, faultOf } from '../../src/platform/fault.ts'

const context: FaultContext = { stopped: undefined, isOpen: false, proxyRefused: false }

describe('a fault', () => {
  it.each([
    [{ stopped: 'connecting' }, {}, { fault: 'refused', sent: false, code: 'ETIMEDOUT' }],
    [{ stopped: 'timeout' }, {}, { fault: 'timeout', sent: false }],
    [{ stopped: 'timeout', isOpen: true }, {}, { fault: 'timeout', sent: true }],
    [{ stopped: 'interrupted', isOpen: true }, {}, { fault: 'interrupted', sent: true }],
    [{ proxyRefused: true }, {}, { fault: 'proxy', sent: false }],
    [{}, { code: 'ENOTFOUND' }, { fault: 'name', sent: false }],
    [{}, { code: 'ECONNREFUSED' }, { fault: 'refused', sent: false }],
    [{}, { errors: [{ code: 'ECONNREFUSED' }] }, { fault: 'refused', sent: false }],
    [{}, { code: 'ETIMEDOUT', syscall: 'connect' }, { fault: 'refused', sent: false }],
    [{ isOpen: true }, { code: 'ETIMEDOUT' }, { fault: 'reset', sent: true }],
    [{}, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, { fault: 'tls', sent: false }],
    // Before the connection was made as well: better one look too many than a write done twice.
    [{}, { code: 'ECONNRESET' }, { fault: 'reset', sent: true }],
  ] as const)('in %o of %o is %o', (given, error, expected) => {
    expect(faultOf(error, { ...context, ...given })).toMatchObject(expected)
  })
})
