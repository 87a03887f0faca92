// Files of policies: keys in their order, and every expression, text and comment as it was.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatText } from '../../src/format/format-text.ts'
import { kinds } from '../../src/kinds/index.ts'
import { manifestShapeOf } from '../../src/manifests/manifest-shape.ts'
import { policiesShapeOf } from '../../src/policies/policies-schema.ts'
import { commentsOf } from './format-fixture.ts'

const policies = policiesShapeOf(kinds)
const { document } = manifestShapeOf(kinds)

function format(text: string): string {
  const result = formatText(text, document, policies)
  if ('refused' in result) throw new TypeError(result.refused)
  return result.text
}

it('has the layout of the examples', () => {
  const files = readdirSync('examples/policies', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  )
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) {
    const text = readFileSync(`examples/policies/${file}`, 'utf8')
    expect(format(text), file).toBe(text)
  }
})

it('puts keys in their order, with their comments and blocks', () => {
  const untidy = `# Ours.
policies:
- expression: | # CEL
    size(object.owners) >= 2
      && true

  # told to people
  message: >-
      A group has
      two owners
  level: warn   # for now
  for: [ group ]
  # its name
  name: two-owners
`
  expect(format(untidy)).toBe(`# Ours.
policies:
  - # its name
    name: two-owners
    for: [group]
    level: warn # for now
    expression: | # CEL
      size(object.owners) >= 2
        && true

    # told to people
    message: >-
      A group has
      two owners
`)
})

it('changes no meaning and loses no comment, in whichever order keys stand, and is done after one time', () => {
  const lines = ['name: a', 'description: "b: c"', 'for: [group, user]', 'on: change', 'level: warn', 'when: "true"']
  const blocks = [
    'expression: |\n      a\n        && b',
    "message: 'it''s'",
    'messageExpression: >-\n      "x"\n\n      + y',
  ]
  const all = [...lines, ...blocks]
  const policy = fc.shuffledSubarray(all, { minLength: 1 }).map((keys) => {
    const written = keys.flatMap((key) => [`# above ${key.split(':')[0]}`, key])
    return `  - ${written.slice(1).join('\n    ')}\n`
  })
  fc.assert(
    fc.property(fc.array(policy, { minLength: 1, maxLength: 3 }), (items) => {
      const text = `policies:\n${items.join('')}`
      const formatted = format(text)
      expect(parse(formatted)).toEqual(parse(text))
      expect(commentsOf(formatted)).toEqual(commentsOf(text))
      expect(format(formatted)).toBe(formatted)
      for (const { 0: first } of (parse(formatted) as { policies: object[] }).policies.map(Object.keys)) {
        const ranked = all.map((line) => line.split(':')[0])
        const keys = (parse(text) as { policies: object[] }).policies.map(Object.keys)
        expect(keys.some((each) => each.sort((a, b) => ranked.indexOf(a) - ranked.indexOf(b))[0] === first)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

it('knows by its keys what a text is, and lays out nothing else', () => {
  expect(format('users: [{name: A, svcId: a}]\n')).toBe('users: [{ svcId: a, name: A }]\n')
  expect(format('# nothing yet\n')).toBe('# nothing yet\n')
  expect(format('{}\n')).toBe('{}\n')
  for (const text of ['on: push\njobs:   {}\n', '- a\n-  b\n']) {
    expect(formatText(text, document, policies)).toMatchObject({ foreign: true })
  }
})
