// Names at the edge: both ways, and only where they are the interface's own words.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import { segment } from '../../src/core/model/url.ts'
import { wireShapesOf } from '../../src/core/model/wire-shape.ts'
import { kinds } from '../../src/kinds/index.ts'
import { encodeQuery } from '../../src/platform/client.ts'
import { createWireNames } from '../../src/platform/wire-names.ts'

const table = { svcId: 'realId', DbB: 'RealBase', dbb: 'realBase', SvcSelf: 'RealSelf', SvcGroup: 'RealGroup' }
const shapes = wireShapesOf(kinds)
const connection = '/db/7/admin/connections/8c1b'
const group = '/admin/group'

describe('createWireNames', () => {
  const names = createWireNames(table, shapes)

  it('is nothing at all for an empty table', () => {
    expect(createWireNames({}, shapes)).toBeUndefined()
    expect(createWireNames({ svcId: 'svcId' }, shapes)).toBeUndefined()
  })

  it('renames keys at every depth, and words where the kind of the object has them', () => {
    const neutral = { type: 'DbB', dbb: { common: { user: 'DbB' } }, rest: { test: { authentication: 'SvcSelf' } } }
    const wire = {
      type: 'RealBase',
      realBase: { common: { user: 'DbB' } },
      rest: { test: { authentication: 'RealSelf' } },
    }
    expect(names?.outbound(connection, neutral)).toEqual(wire)
    expect(names?.inbound(connection, wire)).toEqual(neutral)
    const told = { members: [{ realId: 'DbB', type: 'RealGroup' }] }
    expect(names?.inbound(group, told)).toEqual({ members: [{ svcId: 'DbB', type: 'SvcGroup' }] })
  })

  it('leaves what people named alone', () => {
    const groups = { groups: [{ realId: 'RealBase', name: 'RealGroup', email: 'DbB' }] }
    const read = { groups: [{ svcId: 'RealBase', name: 'RealGroup', email: 'DbB' }] }
    expect(names?.inbound('/admin/groups', groups)).toEqual(read)
    expect(names?.outbound(group, { members: ['SvcGroup', 'DbB'] })).toEqual({ members: ['SvcGroup', 'DbB'] })
  })

  it('leaves what svcsync does not know alone, with all that is below it', () => {
    const own = { DbB: 'DbB', type: 'SvcGroup', realBase: [{ svcId: 'SvcSelf', type: 'DbB' }] }
    const body = { name: 'x', ...own }
    expect(names?.outbound('/admin/user', body)).toEqual(body)
    expect(names?.inbound('/admin/user', body)).toEqual(body)
    const inEnvironment = { rest: { common: { authentication: 'SvcSelf', ...own } } }
    const sent = { rest: { common: { authentication: 'RealSelf', ...own } } }
    expect(names?.outbound(connection, inEnvironment)).toEqual(sent)
  })

  it('renames keys and nothing else where no kind asks', () => {
    expect(names?.outbound('/tasks', { svcId: 'x', type: 'DbB' })).toEqual({ realId: 'x', type: 'DbB' })
  })

  it('renames query parameters, not what they look for', () => {
    expect(names?.query({ svcId: 'DbB', page: 1 })).toEqual({ realId: 'DbB', page: 1 })
  })

  it('keeps a key that is called __proto__ a key', () => {
    const hostile = JSON.parse('{"__proto__":{"svcId":1}}') as Json
    expect(JSON.stringify(names?.outbound('/tasks', hostile))).toBe('{"__proto__":{"realId":1}}')
    expect(JSON.stringify(names?.outbound('/admin/user', hostile))).toBe('{"__proto__":{"svcId":1}}')
  })

  it('gives back what it took, for any JSON in neutral names', () => {
    const key = fc.constantFrom('svcId', 'dbb', 'type', 'name', 'rest', 'common', 'authentication', 'x')
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
      fc.property(tree, fc.constantFrom(connection, group, '/tasks'), (json, path) => {
        expect(names?.inbound(path, names.outbound(path, json))).toEqual(json)
      }),
    )
  })

  it('refuses a table that cannot be read backwards', () => {
    expect(() => createWireNames({ DbB: 'Same', MailServer: 'Same' }, shapes)).toThrow('the same name')
    expect(() => createWireNames({ DbB: '' }, shapes)).toThrow('empty name')
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
