// Names at the edge: both ways, and only where they are the interface's own words.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import { segment } from '../../src/core/model/path.ts'
import { encodeQuery } from '../../src/platform/path.ts'
import { createWireNames } from '../../src/platform/wire-names.ts'

// They bring the words and the addresses that they speak of.
import '../../src/kinds/index.ts'

const table = { svcId: 'realId', DbB: 'RealBase', dbb: 'realBase', SvcSelf: 'RealSelf', SvcGroup: 'RealGroup' }

describe('createWireNames', () => {
  const names = createWireNames(table)

  it('is nothing at all for an empty table', () => {
    expect(createWireNames({})).toBeUndefined()
    expect(createWireNames({ svcId: 'svcId' })).toBeUndefined()
  })

  it('renames keys at every depth and the values of enum fields', () => {
    const neutral = { type: 'DbB', dbb: { common: [{ svcId: 'x' }] }, rest: { authentication: 'SvcSelf' } }
    const wire = { type: 'RealBase', realBase: { common: [{ realId: 'x' }] }, rest: { authentication: 'RealSelf' } }
    expect(names?.outbound(neutral)).toEqual(wire)
    expect(names?.inbound(wire)).toEqual(neutral)
  })

  it('leaves what people named alone', () => {
    const groups = { groups: [{ realId: 'RealBase', name: 'RealGroup', email: 'DbB' }] }
    expect(names?.inbound(groups)).toEqual({ groups: [{ svcId: 'RealBase', name: 'RealGroup', email: 'DbB' }] })
    expect(names?.outbound({ members: ['SvcGroup', 'DbB'] })).toEqual({ members: ['SvcGroup', 'DbB'] })
  })

  it('renames query parameters, not what they look for', () => {
    expect(names?.query({ type: 'DbB' })).toEqual({ type: 'RealBase' })
    expect(names?.query({ svcId: 'DbB', page: 1 })).toEqual({ realId: 'DbB', page: 1 })
  })

  it('keeps a key that is called __proto__ a key', () => {
    const hostile = JSON.parse('{"__proto__":{"svcId":1}}') as Json
    expect(JSON.stringify(names?.outbound(hostile))).toBe('{"__proto__":{"realId":1}}')
  })

  it('gives back what it took, for any JSON in neutral names', () => {
    const key = fc.constantFrom('svcId', 'dbb', 'type', 'name', 'authentication', 'x')
    const text = fc.constantFrom('DbB', 'SvcSelf', 'SvcGroup', 'free text')
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.array(tie('tree')),
        fc.dictionary(key, tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, (json) => {
        expect(names?.inbound(names.outbound(json))).toEqual(json)
      }),
    )
  })

  it('refuses a table that cannot be read backwards', () => {
    expect(() => createWireNames({ DbB: 'Same', MailServer: 'Same' })).toThrow('the same name')
    expect(() => createWireNames({ DbB: '' })).toThrow('empty name')
  })
})

describe('segment and encodeQuery', () => {
  it('carries every id through an address unchanged', () => {
    const id = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..')
    fc.assert(
      fc.property(id, (text) => {
        const url = new URL(`https://h/a/${segment(text)}${encodeQuery({ svcId: text })}`)
        expect(decodeURIComponent(url.pathname.slice(3))).toBe(text)
        expect(url.searchParams.get('svcId')).toBe(text)
      }),
    )
    expect(encodeQuery({ a: 'x y+ż', b: undefined, c: true })).toBe('?a=x%20y%2B%C5%BC&c=true')
  })

  it.each(['', '.', '..', '\ud800'])('refuses %j, which would address something else', (text) => {
    expect(() => segment(text)).toThrow('cannot be part of a path')
  })
})
