// A credential that was written into a manifest by mistake is pointed at and never repeated.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Schema } from '../../src/core/model/schema.ts'
import { kinds } from '../../src/kinds/index.ts'
import { codeFrame } from '../../src/manifests/code-frame.ts'
import { isCredentialName } from '../../src/manifests/credentials.ts'
import { brief, load, shownText } from './manifest-fixture.ts'

const canary = 'hunter2canary'
const connection = (settings: string) =>
  `connections:\n  - name: a\n    type: SQL\n    sql:\n      common:\n${settings}`
const at = '        '

it('takes a whole reference only', () => {
  for (const value of ['x', '"x${env:A}"', '"${var:a}"', '"${env:A}${env:A}"', '"$${env:A}"', '${foo}', '12', 'true']) {
    const { problems } = load(connection(`${at}password: ${value}`), { env: { A: 'a' }, variables: { a: 'b' } })
    expect(brief(problems)).toEqual(['SVC1106 6:19 `password` holds a credential, and accepts only a whole reference'])
  }
})

it.each([
  ['plain', `${at}password: ${canary}`],
  ['quoted', `${at}password: "${canary}"`],
  ['in part a reference', `${at}password: "${canary}\${env:A}"`],
  ['a block', `${at}clientSecret: |\n${at}  ${canary}\n${at}  ${canary}`],
  ['over lines', `${at}password: "${canary}\n${at}  ${canary}"`],
  ['a list', `${at}password:\n${at}  - ${canary}\n${at}  - ${canary}`],
  ['a mapping', `${at}password: { value: ${canary} }`],
  ['twice', `${at}password: "\${env:A}"\n${at}password: ${canary}`],
  ['misspelt', `${at}pasword: ${canary}`],
  ['misplaced', `${at}server: x\n    password: ${canary}`],
  ['at the top', `${at}server: x\npassword: ${canary}`],
  ['in a part of the wrong type', `${at}- server: x\n${at}  password: ${canary}`],
  ['under an unknown key', `${at}login:\n${at}  user: x\n${at}  clientSecret: '${canary}'`],
  ['in flow style', `${at}  { server: !x y, password: ${canary} }`],
  ['in an anchor', `${at}password: &p ${canary}\n${at}clientSecret: *p`],
  ['with a tag', `${at}password: !vault ${canary}`],
  ['beside a slip', `${at}sever: x\n${at}password: ${canary}\n${at}serve: y`],
  ['in a comment', `${at}sever: x\n${at}# password: ${canary}`],
  ['in an address', `${at}sever: https://user:${canary}@example.com`],
  ['in a file that does not parse', `${at}password: ${canary}\n${at}server: [`],
  ['quoted in a file that does not parse', `${at}server: [\n${at}  "password": "${canary}" }`],
  ['in a block of a file that does not parse', `${at}password: |\n${at}  line\n${at}  ${canary}\n${at}server: [`],
  ['unclosed', `${at}password: "${canary}`],
  ['like an alias', `${at}password: *${canary}`],
  ['like a tag', `${at}password: !${canary}`],
  ['like a tag with its value', `${at}password: !${canary} ${canary}`],
  ['like a tag of the standard', `${at}password: !!${canary}`],
  ['like an anchor', `${at}password: &${canary}`],
  ['like a comment', `${at}password: #${canary}`],
  ['like a tag of a list', `${at}password: !${canary} [x]`],
])('is not shown: %s', (_, settings) => {
  const result = load(connection(settings), { env: { A: 'a' } })
  expect(result.problems.length).toBeGreaterThan(0)
  expect(shownText(result)).not.toContain('canary')
})

it.each([
  ['beside the keys that are read', `x-login: &login\n  password: ${canary}\nusers:\n  - svcId: a\n`, 3],
  [
    'in settings that svcsync passes on',
    `${connection(`${at}server: x\n${at}extra:\n${at}  apiToken: ${canary}\n`)}`,
    9,
  ],
])('is not shown in a file in which nothing is wrong, where another one contradicts it: %s', (_, text, line) => {
  const { problems, sources } = load(text)
  expect(problems).toEqual([])
  const [source] = [...sources.values()]
  const place = { file: source?.file ?? '', line, column: 1 }
  const frame = codeFrame({ code: 'SVC1301', severity: 'error', message: 'x', place }, sources)
  expect(frame).toContain(': ***')
  expect(frame).not.toContain('canary')
})

it('is not shown in any combination of slips', () => {
  const name = fc.constantFrom('password', 'clientSecret', 'pasword', 'client_secret', '"password"')
  const value = fc.constantFrom(
    canary,
    `"${canary}"`,
    `'${canary}'`,
    `|\n${at}  ${canary}`,
    `[${canary}]`,
    `{ a: ${canary} }`,
    `>-\n${at}  a\n${at}  ${canary}`,
  )
  const other = fc.constantFrom(
    'server: x',
    'sever: x',
    'server: [',
    'server: {',
    'user: !x y',
    'user: *z',
    '- a',
    'user: "',
    '? a',
    '',
    '# note',
  )
  const settings = fc.array(
    fc.oneof(
      fc.tuple(name, value).map(([k, v]) => `${k}: ${v}`),
      other,
    ),
    { minLength: 1, maxLength: 5 },
  )
  fc.assert(
    fc.property(settings, (lines) => {
      const result = load(connection(lines.map((line) => `${at}${line}`).join('\n')))
      expect(shownText(result)).not.toContain('canary')
    }),
    { numRuns: 700 },
  )
})

it('has a name in every kind that is known for credentials, since files are masked by names', () => {
  const unknown: string[] = []
  const look = (schema: Schema, name: string): void => {
    if (schema.type === 'string' && schema.secret && !isCredentialName(name)) unknown.push(name)
    if (schema.type === 'object') for (const [key, each] of Object.entries(schema.properties)) look(each, key)
    if (schema.type === 'array') look(schema.items, name)
  }
  for (const { sections } of kinds) for (const { schema, key } of sections) look(schema, key)
  expect(unknown).toEqual([])
})

it('stays out of everything when it is resolved', () => {
  const yaml = connection(`${at}password: "\${env:P}"\n${at}user: "\${env:P}"\n${at}server: "\${env:P}"\n${at}sever: x`)
  const result = load(yaml, { env: { P: canary } })
  expect(JSON.stringify([result.declarations.map(({ item }) => item), result.problems])).not.toContain('canary')
})
