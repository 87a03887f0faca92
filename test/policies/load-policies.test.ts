// All errors in a file of policies are found at once when it is read, and shown at their places.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { offsetInScalar } from '../../src/policies/load-policies.ts'
import { policiesOf, policyOf, shortly } from './policy-fixture.ts'

it('finds everything at once, each at its place', () => {
  const { policies, problems } = policiesOf(`policies:
  - name: Two
    for: [group, usr]
    expression: object.ownres.size() >= 2
    message: A
  - name: two
    for: [group, user]
    expresion: 'true'
    expression: |
      true &&
        object.owners.exists(o, o.svcid == "x")
    message: A
  - name: three
    for: [group]
    expression: "object.name.matches(\\"a\\") && \\"x\\" +"
    message: B
    when: >
      kind ==
      3
  - name: three
    for: [group]
    expression: 'object.name != ''x'' && action == "x"'
    message: B
  - { name: four, for: [group], expression: "object.name.matches('(?=a)')", message: B }
  - { name: five, for: [group], expression: size(object.name), message: B, messageExpression: 1 }
  - { name: six, for: [], expression: "true", level: error }
`)
  expect(policies).toEqual([])
  expect(shortly(problems)).toEqual([
    'p.yaml:2:11 SVC1104 `Two` cannot be the name of a policy',
    'p.yaml:3:18 SVC1104 An entry of `for` cannot be `usr`',
    'p.yaml:4:24 SVC1803 `expression` cannot be used: there is no field `ownres`',
    'p.yaml:8:5 SVC1101 `expresion` is not a key of `policies`',
    'p.yaml:11:16 SVC1803 `expression` cannot be used: there is no field `owners`, for `user`',
    'p.yaml:11:35 SVC1803 `expression` cannot be used: there is no field `svcid`, for `group`',
    'p.yaml:15:55 SVC1803 `expression` cannot be used: it ends where more is wanted',
    'p.yaml:18:7 SVC1803 `when` cannot be used: there is no `string == int`',
    'p.yaml:20:11 SVC1301 There are two policies `three`',
    'p.yaml:22:42 SVC1803 `expression` cannot be used: there is no variable `action`',
    'p.yaml:24:66 SVC1803 `expression` cannot be used: ' +
      'the pattern cannot be used: invalid or unsupported Perl syntax: `(?=`',
    'p.yaml:25:45 SVC1803 `expression` cannot be used: it gives `int`, but true or false is needed',
    'p.yaml:25:95 SVC1803 `messageExpression` cannot be used: it gives `int`, but a text is needed',
    'p.yaml:26:5 SVC1103 The key `message` is missing in this entry of `policies`',
    'p.yaml:26:23 SVC1105 `for` needs at least 1 entry',
    'p.yaml:26:54 SVC1104 `level` cannot be `error`',
  ])
})

it.each([
  ['an empty file', '', 'p.yaml:1:1 SVC1003 A policy file is empty'],
  [
    'two documents',
    'policies: []\n---\npolicies: []\n',
    'p.yaml:3:1 SVC1003 A policy file is one document, and another one begins here',
  ],
  ['a list', '- a\n', 'p.yaml:1:1 SVC1102 A policy file must be a mapping, but is a list'],
  ['broken YAML', 'policies: [\n', undefined],
])('refuses %s', (_what, text, expected) => {
  const { problems } = policiesOf(text)
  expect(problems).toHaveLength(1)
  if (expected !== undefined) expect(shortly(problems)).toEqual([expected])
})

it('looks through anchors and tags, and points at the whole where an alias or an escape stands in between', () => {
  const { problems } = policiesOf(`policies:
  - { name: a, for: [group], message: m, expression: &x object.nam == "" }
  - { name: b, for: [group], message: m, expression: *x }
  - { name: c, for: [group], message: m, expression: !!str 'object.nam == ""' }
  - { name: d, for: [group], message: m, expression: "object.\\x6eam == ''" }
`)
  expect(shortly(problems).map((line) => line.slice(0, line.indexOf(' ')))).toEqual([
    'p.yaml:2:64',
    'p.yaml:3:54',
    'p.yaml:4:68',
    'p.yaml:5:54',
  ])
})

it.each([
  ['size(object.owners > 0', 'it ends where `)` is wanted'],
  ['[1 2]', '`]` is expected, but there is a number'],
  ['true ? 1', 'it ends where `:` is wanted'],
  ['true && )', '`)` is not allowed here'],
  ['true object', 'an operator or the end is wanted'],
  ['object.name + 1 == ""', 'there is no `string + int`'],
  ['object.name.reverse() == ""', 'there is no function `string.reverse()`'],
  ['object.name.matches(1)', 'there is no function `string.matches(int)`'],
  ['object.name in object', 'there is no `string in object`'],
  [`${'('.repeat(200)}true${')'.repeat(200)}`, 'it is nested too deeply'],
  [Array(1300).fill('1').join('+'), 'it is too long'],
  ['"a', 'unterminated string'],
])('says of %s what is wrong', (expression, said) => {
  const [problem] = policyOf(expression).problems
  expect(problem?.code).toBe('SVC1803')
  if (said !== undefined) expect(problem?.message).toBe(`\`expression\` cannot be used: ${said}`)
  expect(problem?.message).not.toMatch(/[A-Z]{3}|overload|InLinearTime|\$/)
})

it('says what a variable or field is called that is near', () => {
  const hints = ['objct.name == ""', 'object.onwers == []', 'added.size() == 0'].map(
    (expression) => policyOf(expression).problems[0]?.hint,
  )
  expect(hints).toEqual([
    'Did you mean `object`?',
    'Did you mean `owners`?',
    '`added` is there for policies with `on: change`.',
  ])
})

it.each([
  'object.members.all(m, m.svcId.matches("^[^ ]+@example[.]com$"))',
  'object.members.exists(m, m.account == "user") ? size(object.members) > 1 : true',
  'object.members.exists_one(m, m.svcId in ["a", "b"])',
  'object.members.filter(m, m.account == "group").map(m, m.svcId).size() == 0',
  'has(object.email) && object.email != null && object.email.endsWith("@example.com")',
  'object.?email.orValue("") == "" || address.startsWith("group/")',
  'target.name != "prod" && !partial && today < "2027-01-01" // a comment',
])('takes %s', (expression) => {
  expect(shortly(policyOf(expression).problems)).toEqual([])
})

it('knows the fields that an object of the kind can have, at any depth', () => {
  expect(policyOf('object.sql.prod.server != ""', ['connection']).problems).toEqual([])
  expect(shortly(policyOf('object.sql.prod.sever != ""', ['connection']).problems)).toEqual([
    'p.yaml:1:78 SVC1803 `expression` cannot be used: there is no field `sever`',
  ])
})

it('finds any character of an expression in the file, however it is written', () => {
  const word = fc.constantFrom('a', 'bc', '"x y"', "'q'", '&&', '||', 'żółw', '😀', '\\', '(', '#', ': ', ', ')
  const blank = fc.constantFrom(' ', ' ', '\n', '  ')
  const text = fc
    .array(fc.tuple(word, blank), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.flat().join('').trim())
  const style = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED' as const)
  fc.assert(
    fc.property(text, style, (value, defaultStringType) => {
      const source = stringify({ expression: value }, { defaultStringType, defaultKeyType: 'PLAIN', lineWidth: 30 })
      const start = source.search(/(?<=^expression:\s+)\S/)
      let before = start - 1
      for (let index = 0; index < value.length; index++) {
        if (/\s/.test(value[index] as string)) continue
        const found = offsetInScalar(source, start, value, index)
        expect(source[found]).toBe(value[index])
        expect(found).toBeGreaterThan(before)
        before = found
      }
    }),
  )
})
