// Bytes that are no UTF-8, characters that YAML does not allow, and tabs: refused at their place.
import { describe, expect, it } from 'vitest'
import { brief, itemsOf, load } from './manifest-fixture.ts'

const yaml = 'users:\n  - svcId: żółw\n'
const little = Buffer.from(yaml, 'utf16le')
const big = Buffer.from(yaml, 'utf16le').swap16()
const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

describe('other encodings are refused', () => {
  it.each([
    ['UTF-16, little end first, with its mark', bytes([0xff, 0xfe], [...little]), '1:1 The file is UTF-16'],
    ['UTF-16, little end first', little, '1:1 The file is UTF-16'],
    ['UTF-16, big end first, with its mark', bytes([0xfe, 0xff], [...big]), '1:1 The file is UTF-16'],
    ['UTF-16, big end first', big, '1:1 The file is UTF-16'],
    ['UTF-16 that begins with what is no ASCII', Buffer.from('ł: 1\n', 'utf16le'), '1:4 The file contains a NUL'],
    ['UTF-32, big end first', bytes([0, 0, 0xfe, 0xff], [0, 0, 0, 0x75]), '1:1 The file is UTF-32'],
    ['Latin-1', Buffer.from('users:\n  - svcId: zürich\n', 'latin1'), '2:13 The byte 0xFC'],
    ['Windows-1250', bytes('a: ok\nb: ', [0xbf, 0xf3, 0xb3, 0x77], '\n'), '2:4 The byte 0xBF'],
    ['half a character at the end', bytes('users: [] # ', [0xc5]), '1:13 The byte 0xC5'],
    ['a character in more bytes than it needs', bytes('a: ', [0xc0, 0xaf]), '1:4 The byte 0xC0'],
    ['half of a pair of UTF-16 in UTF-8', bytes('a: ', [0xed, 0xa0, 0x80]), '1:4 The byte 0xED'],
    ['a NUL after a mark', bytes([0xef, 0xbb, 0xbf], 'a: \u0000'), '1:4 The file contains a NUL'],
  ])('%s', (_, content, expected) => {
    const [problem, ...more] = load(content).problems
    expect(more).toEqual([])
    expect(brief(problem === undefined ? [] : [problem])[0]).toContain(`SVC1002 ${expected}`)
  })
})

describe('characters that YAML does not allow are refused where they stand', () => {
  it.each([1, 7, 8, 0x0b, 0x0c, 0x0e, 0x1b, 0x1f, 0x7f, 0xfffe, 0xffff])('%i', (code) => {
    // In quotes YAML takes all that JSON takes.
    const quoted = code < 0x20 ? ['name: "x¦x"', "name: 'x¦x'"] : []
    for (const text of ['name: x¦x', 'name: |\n      x¦x', ...quoted]) {
      const { problems } = load(`users:\n  - svcId: a\n    ${text.replace('¦', String.fromCharCode(code))}\n`)
      expect([text, problems.map((each) => each.code)]).toEqual([text, ['SVC1003']])
      expect([3, 4]).toContain(problems[0]?.place?.line)
    }
  })

  it('but others that are odd are texts', () => {
    const odd = '\u00a0\u2028\u200f\ud7ff\ue000\u{10ffff}'
    expect(itemsOf(load(`users: [{ svcId: a, name: "${odd}" }]`)).users).toEqual([{ svcId: 'a', name: odd }])
  })
})

describe('tabs', () => {
  it.each(['users:\n\t- svcId: a\n', 'users:\n  - svcId: a\n\tname: b\n', 'users:\n  - svcId: a\n  \t  name: b\n'])(
    'do not indent: %j',
    (text) => {
      const { problems } = load(text)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems[0]).toMatchObject({ code: 'SVC1003' })
    },
  )

  it('separate what stands in one line', () => {
    const text = 'users:\t# x\n  - svcId:\ta\t# y\n    name:\t"a\tb"\n'
    expect(itemsOf(load(text)).users).toEqual([{ svcId: 'a', name: 'a\tb' }])
  })
})
