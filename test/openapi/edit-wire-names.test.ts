// Writing names into the project file: every other byte stays, and what cannot be added to is refused.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { escapeReferences } from '../../src/core/model/yaml-text.ts'
import { editWireNames } from '../../src/openapi/edit-wire-names.ts'

/** No half of a pair: files hold none. */
const isText = (name: string) => !/[\ud800-\udfff]/u.test(name)

const names = { svcId: 'crmId', 'Svc App': 'CRM App' }

it.each([
  [
    'without wireNames',
    'targets:\n  prod: # ours\n    baseUrl: https://a.example.com # here\n' +
      '    databases: { main: 1 }\n\n  test:\n    baseUrl: b\n',
    'targets:\n  prod: # ours\n    baseUrl: https://a.example.com # here\n    wireNames:\n' +
      '      svcId: crmId\n      Svc App: CRM App\n    databases: { main: 1 }\n\n  test:\n    baseUrl: b\n',
  ],
  [
    'with some, of which one is another',
    'targets:\n  prod:\n    wireNames: # of the installation\n      # the login\n' +
      '      svcId: "otherId" # was so\n      dbb: oracle\n    databases:\n      main: 1\n',
    'targets:\n  prod:\n    wireNames: # of the installation\n      # the login\n' +
      '      svcId: "crmId" # was so\n      dbb: oracle\n      Svc App: CRM App\n    databases:\n      main: 1\n',
  ],
  [
    'in braces',
    'targets:\n  prod:\n    wireNames: { dbb: oracle } # some\n',
    'targets:\n  prod:\n    wireNames: { dbb: oracle, svcId: crmId, Svc App: CRM App } # some\n',
  ],
  ['in empty braces', 'targets: { }\n', undefined],
  [
    'nothing in it',
    'targets:\n  prod:\n    wireNames: {}\n',
    'targets:\n  prod:\n    wireNames: {svcId: crmId, Svc App: CRM App}\n',
  ],
  [
    'null',
    'targets:\n  prod:\n    wireNames:\n    a: 1',
    'targets:\n  prod:\n    wireNames:\n      svcId: crmId\n      Svc App: CRM App\n    a: 1',
  ],
  [
    'Windows lines',
    'targets:\r\n  prod:\r\n    a: 1\r\n',
    'targets:\r\n  prod:\r\n    a: 1\r\n    wireNames:\r\n      svcId: crmId\r\n      Svc App: CRM App\r\n',
  ],
  ['a target in braces', 'targets:\n  prod: { a: 1 }\n', undefined],
  ['an alias', 'x: &x { dbb: a }\ntargets:\n  prod:\n    wireNames: *x\n', undefined],
  ['another target', 'targets:\n  test:\n    a: 1\n', undefined],
])('%s', (_, before, after) => {
  expect(editWireNames(before, ['targets', 'prod'], names)).toBe(after)
})

it('quotes names that need it, and leaves references to their authors', () => {
  const before = 'targets:\n  prod:\n    wireNames:\n      dbb: ${env:DBB}\n'
  const edit = (names: Record<string, string>) => editWireNames(before, ['targets', 'prod'], names)
  expect(edit({ 'a: b': 'c: d' })).toBe(`${before}      "a: b": "c: d"\n`)
  expect(edit({ dbb: 'oracle' })).toBe(undefined)
})

it('reads back as it was written, whatever the names', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ minLength: 1, unit: 'binary' }).filter((name) => isText(name) && name !== '__proto__'),
        fc.string({ unit: 'binary' }).filter(isText),
        {
          noNullPrototype: true,
        },
      ),
      fc.constantFrom('targets:\n  prod:\n    a: 1 # x\n', 'targets:\n  prod:\n    wireNames:\n      q: r\n'),
      (wanted, before) => {
        const after = editWireNames(before, ['targets', 'prod'], wanted)
        // Signs that no YAML can hold are refused; what is written is right.
        if (after === undefined) return
        const escaped = Object.fromEntries(Object.entries(wanted).map(([name, real]) => [name, escapeReferences(real)]))
        const read = (parse(after) as { targets: { prod: { wireNames?: object } } }).targets.prod.wireNames
        expect(read ?? {}).toEqual({ ...(before.includes('q: r') && { q: 'r' }), ...escaped })
      },
    ),
  )
})
