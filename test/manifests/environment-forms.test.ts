// Environments in their short and their long form: two ways to write the same thing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeIn } from '../../src/core/model/declaration.ts'
import { brief, itemsOf, load } from './manifest-fixture.ts'

const names = ['dev', 'test', 'prod'] as const
/** The value of one environment: none, inheritance, or a value. */
const said = fc.option(fc.option(fc.stringMatching(/^[a-z0-9 ]{0,5}$/), { nil: null }), { nil: undefined })
const environments = fc.record({ dev: said, test: said, prod: said })
type Said = string | null | undefined

/** Each environment in JSON, which is YAML; `long` says which of them are written at length. */
function written(
  values: Readonly<Record<string, Said>>,
  at: (name: string, value: string | null) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, at(name, values[name] as string | null)]])),
  )
}

const lengths = fc.record({ dev: fc.boolean(), test: fc.boolean(), prod: fc.boolean() })

describe('the long form', () => {
  it('of a constant declares what the short form does', () => {
    fc.assert(
      fc.property(environments, lengths, fc.boolean(), (values, long, saysFalse) => {
        const short = { name: 'a', common: 'c', ...written(values, (_, value) => value) }
        const mixed = {
          name: 'a',
          common: long.dev ? { value: 'c' } : 'c',
          ...written(values, (name, value) =>
            !long[name as 'dev']
              ? value
              : value === null
                ? { inherit: true }
                : { value, ...(saysFalse && { inherit: false }) },
          ),
        }
        const items = [short, mixed].map((item) => load(JSON.stringify({ constants: [item] })))
        expect(items.map(({ problems }) => problems)).toEqual([[], []])
        const [a, b] = items.map((result) => JSON.stringify(itemsOf(result)))
        expect(b).toBe(a)
      }),
      { numRuns: 60 },
    )
  })

  it('of a connection declares what the short form does', () => {
    fc.assert(
      fc.property(environments, lengths, (values, long) => {
        const settings = (value: string) => (value === '' ? {} : { server: value, database: 'd' })
        const short = written(values, (_, value) => (value === null ? null : settings(value)))
        const mixed = written(values, (name, value) =>
          !long[name as 'dev']
            ? value === null
              ? null
              : settings(value)
            : value === null
              ? { inherit: true }
              : { ...settings(value), inherit: false },
        )
        const [a, b] = [short, mixed].map((sql) => {
          const result = load(JSON.stringify({ connections: [{ name: 'a', type: 'SQL', sql }] }))
          return JSON.stringify([itemsOf(result), result.problems])
        })
        expect(b).toBe(a)
      }),
      { numRuns: 60 },
    )
  })

  it('takes references, and keeps the places of settings that follow `inherit`', () => {
    const yaml = `constants:
  - name: a
    test: { value: "\${env:URL}" }
    prod: { inherit: "\${var:follow}" }
connections:
  - name: b
    type: SQL
    sql:
      test:
        server: s
        inherit: false
        database: d
`
    const loaded = load(yaml, { env: { URL: 'u' }, variables: { follow: 'true' } })
    expect(loaded.problems).toEqual([])
    expect(itemsOf(loaded).constants).toEqual([{ name: 'a', test: { reference: '${env:URL}' }, prod: null }])
    const [, connection] = loaded.declarations
    expect(connection && placeIn(connection, ['sql', 'test', 'database'], 'key')).toMatchObject({ line: 12, column: 9 })
    expect(connection && placeIn(connection, ['sql', 'test', 'server'])).toMatchObject({ line: 10, column: 17 })
  })
})

const constant = (test: string) => `constants: [{ name: a, test: ${test} }]`
const connection = (test: string) => `connections: [{ name: a, type: SQL, sql: { test: ${test} } }]`

describe('a long form that says no whole thing', () => {
  it.each([
    [constant('{ inherit: true, value: x }'), 'SVC1313 1:32 `test` inherits, and has a value of its own'],
    [connection('{ inherit: true, server: s }'), 'SVC1313 1:52 `test` inherits, and has settings of its own'],
    [constant('{ inherit: false }'), 'SVC1103 1:30 `test` does not inherit, and its `value` is missing'],
    [constant('{}'), 'SVC1103 1:30 `test` has neither `value` nor `inherit: true`'],
    [constant('{ value: null }'), 'SVC1107 1:39 `value` cannot be null'],
    [constant('{ inherit: yes }'), 'SVC1102 1:41 `inherit` must be `true` or `false`, but is the text `yes`'],
    [constant('{ valeu: x }'), 'SVC1103 1:30 `test` has neither', 'SVC1101 1:32 `valeu` is not a key of `test`'],
    [constant('[x]'), 'SVC1102 1:30 `test` must be a text or a mapping, but is a list'],
    [constant('x, test: { value: y }'), 'SVC1004 1:33 `test` appears twice in one mapping'],
    ['constants: [{ name: a, common: {} }]', 'SVC1103 1:32 The key `value` is missing'],
    [
      'constants: [{ name: a, common: { value: c, inherit: true } }]',
      'SVC1101 1:44 `inherit` is not a key of `common`',
    ],
  ])('%s is refused', (yaml, ...expected) => {
    const found = brief(load(yaml).problems)
    expect(found).toHaveLength(expected.length)
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text)
  })

  it('names both places of a contradiction', () => {
    const [problem] = load(connection('{ server: s, inherit: true }')).problems
    expect(problem?.place).toMatchObject({ column: 63 })
    expect(problem?.related).toMatchObject([{ place: { column: 52 } }])
  })
})
