// Files that nobody writes by hand: wrong encodings, bombs, nesting, keys that fool objects. None may crash or stall
// it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectQuick } from '../harness/any-speed.ts'
import { brief, itemsOf, load } from './manifest-fixture.ts'

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('encodings', () => {
  it.each([
    ['UTF-16', utf16('users: []'), 'SVC1002 1:1 The file is UTF-16, not UTF-8'],
    ['UTF-16 without its mark', utf16('users: []').subarray(2), 'SVC1002 1:1 The file is UTF-16, not UTF-8'],
    ['UTF-16 the other way', utf16('users: []').swap16(), 'SVC1002 1:1 The file is UTF-16, not UTF-8'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x75, 0, 0, 0]), 'SVC1002 1:1 The file is UTF-32, not UTF-8'],
    ['Latin-1', Buffer.from('users:\n  - svcId: ü', 'latin1'), 'SVC1002 2:12 The byte 0xFC is not UTF-8'],
    ['a NUL', 'users:\n  - svcId: "a\u0000"', 'SVC1002 2:14 The file contains a NUL character'],
  ])('%s', (_, bytes, expected) => expect(brief(load(bytes).problems)).toEqual([expected]))

  it('a byte order mark is no part of the text', () => {
    expect(brief(load('\ufeffuser: []').problems)).toEqual(['SVC1101 1:1 `user` is not a key of a manifest'])
  })

  it.each(['', '\n', '# nothing\n', '---\n---\n', '---\n...\n', '\ufeff'])('%j is an empty manifest', (text) => {
    expect(load(text)).toMatchObject({ declarations: [], problems: [] })
  })

  it('places count in lines of any kind of line break', () => {
    expect(brief(load('users: []\r\nx: 1\r\n').problems)).toEqual(['SVC1101 2:1 `x` is not a key of a manifest'])
  })
})

describe('aliases and merge keys', () => {
  it('stand for what they name, read by the type of the place where they stand', () => {
    const yaml =
      'groups:\n  - &g { svcId: &s 007, name: n, members: &m [a, b] }\n' +
      '  - { <<: *g, svcId: h, owners: *m }\nconstants:\n  - { name: *s }'
    const result = load(yaml)
    expect(result.problems).toEqual([])
    expect(itemsOf(result)).toEqual({
      groups: [
        { svcId: '007', name: 'n', members: ['a', 'b'] },
        { svcId: 'h', name: 'n', members: ['a', 'b'], owners: ['a', 'b'] },
      ],
      constants: [{ name: '007' }],
    })
  })

  it('take the first of several merged mappings, and own keys wherever they stand', () => {
    const yaml =
      'users:\n  - &a { svcId: a, name: A, jobTitle: a }\n  - &b { svcId: b, name: B, email: b }\n' +
      '  - { <<: [*a, *b], svcId: c }\n  - { jobTitle: own, <<: *a, svcId: d }'
    expect(itemsOf(load(yaml)).users?.slice(2)).toEqual([
      { svcId: 'c', name: 'A', jobTitle: 'a', email: 'b' },
      { svcId: 'd', jobTitle: 'own', name: 'A' },
    ])
  })

  it('mean the anchor that stands before them, in their own document', () => {
    const yaml = 'users:\n  - { svcId: &x a }\n  - { svcId: &x b, name: *x }\n---\nusers: [{ svcId: *x }]'
    const result = load(yaml)
    expect(itemsOf(result).users).toEqual([{ svcId: 'a' }, { svcId: 'b', name: 'b' }])
    expect(brief(result.problems)).toEqual(['SVC1005 5:18 No anchor `&x` precedes the alias'])
  })

  it('do not explode', () => {
    const levels = Array.from(
      { length: 30 },
      (_, n) => `  - &m${n} { svcId: g${n}, <<: [${n === 0 ? '' : `*m${n - 1}, *m${n - 1}`}] }`,
    )
    const many = `groups:\n  - &g { svcId: a, members: [${'m, '.repeat(1000)}m] }\n${'  - *g\n'.repeat(2000)}`
    for (const yaml of [`groups:\n${levels.join('\n')}`, many]) {
      expectQuick(() => {
        const codes = new Set(load(yaml).problems.map(({ code }) => code))
        expect([...codes]).toEqual(['SVC1005'])
      })
    }
  })
})

describe('mappings', () => {
  it('with tens of thousands of keys take time in proportion', () => {
    const keys = Array.from({ length: 40_000 }, (_, n) => `x${n}: 1`).join(', ')
    expectQuick(() => expect(load(`users: [{ svcId: a, ${keys} }]`).problems).toHaveLength(40_000))
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', '"__proto__"', 'prototype'])('do not know %s', (key) => {
    const { problems } = load(`users: [{ svcId: a, ${key}: b }]`)
    expect(problems.map(({ code }) => code)).toEqual(['SVC1101'])
    expect(({} as Record<string, unknown>).b).toBeUndefined()
  })
})

it('no text makes it throw, and every problem has its place in the file', () => {
  const piece = fc.constantFrom(
    'users:',
    'groups:',
    '\n',
    '  ',
    '- ',
    'svcId: a',
    'name: ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '<<: ',
    '!t ',
    '!!str ',
    '? ',
    ': ',
    '#',
    '---\n',
    '...\n',
    '%TAG ! x',
    '\t',
    '\\',
    '${',
    'env:A}',
    '~',
    '0',
    'é',
    '🙂',
    '\ud800',
    '\u0085',
    '\r',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const lines = text.split(/\r\n|\r|\n/).length
      for (const { place } of load(text).problems) {
        expect(place?.line).toBeGreaterThan(0)
        expect(place?.line).toBeLessThanOrEqual(lines)
        expect(place?.column).toBeGreaterThan(0)
      }
    }),
    { numRuns: 700 },
  )
})
