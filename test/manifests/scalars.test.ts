// Plain scalars take the type of their field.
import { describe, expect, it } from 'vitest'
import { brief, itemsOf, load } from './manifest-fixture.ts'

const textOf = (written: string) => itemsOf(load(`constants: [{ name: a, common: ${written} }]`)).constants?.[0]

describe('a text field', () => {
  it.each([
    '0755',
    'no',
    'NO',
    'yes',
    'on',
    '1e3',
    '12345678901234567890',
    '0x1F',
    '1.10',
    '.5',
    'true',
    'False',
    '2026-01-01',
    '1_000',
    '12:30',
    '.inf',
    '<<',
    '=',
  ])('keeps %s as it is written', (written) => {
    expect(textOf(written)).toEqual({ name: 'a', common: written })
  })

  it.each(['"null"', "'~'", '!!str null', '! null'])('takes %s for text', (written) => {
    expect(textOf(written)).toEqual({ name: 'a', common: written.replace(/^!\S* |["']/g, '').replace(/["']$/, '') })
  })

  it.each(['null', '~', 'Null', 'NULL', ''])('takes %s for null', (written) => {
    const yaml = `users:\n  - svcId: a\n    name: ${written}`
    expect(itemsOf(load(yaml)).users).toEqual([{ svcId: 'a', name: null }])
  })
})

describe('a number field', () => {
  it.each([
    ['4', 4],
    ['+4', 4],
    ['0004', 4],
    ['0o17', 15],
    ['0x1F', 31],
    ['!!int 4', 4],
  ])('reads %s', (written, value) => {
    expect(itemsOf(load(`constants: [{ name: a, groupId: ${written} }]`)).constants).toEqual([
      { name: 'a', groupId: value },
    ])
  })

  it('takes a variable, quoted or not', () => {
    const yaml =
      'constants: [{ name: a, groupId: "${var:g}" }]\n---\nconstants:\n' +
      '  - { name: b, groupId: null }\n  - name: c\n    groupId: ${var:g}'
    expect(itemsOf(load(yaml, { variables: { g: '7' } })).constants).toEqual([
      { name: 'a', groupId: 7 },
      { name: 'b', groupId: null },
      { name: 'c', groupId: 7 },
    ])
    expect(brief(load('constants: [{ name: a, groupId: "${env:G}" }]', { env: { G: '7' } }).problems)).toEqual([
      'SVC1204 1:34 `groupId` cannot come from the environment',
    ])
  })
})

describe('names and ids', () => {
  it('keep the text of a number', () => {
    const yaml = 'database: 0012\nprocesses: [{ process: 007, constants: [{ name: 1 }] }]'
    const { declarations, problems } = load(yaml)
    expect(problems).toEqual([])
    expect(
      declarations.map(({ database, item, parent }) => [database, item.process ?? item.name, parent?.kind.name]),
    ).toEqual([
      ['0012', '007', undefined],
      ['0012', '1', 'process'],
    ])
  })
})
