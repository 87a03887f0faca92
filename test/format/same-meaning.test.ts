// The last line of defence notices every change of what a text says, and none of how it is laid out.
import { expect, it } from 'vitest'
import { meansTheSame } from '../../src/format/same-meaning.ts'
import { isParsed, parseYaml } from '../../src/manifests/parse-yaml.ts'
import { TextSource } from '../../src/manifests/text-source.ts'

function parsed(text: string) {
  const events = parseYaml(new TextSource('', text))
  expect(isParsed(events), text).toBe(true)
  return { text, events: isParsed(events) ? events : [] }
}

it.each([
  ['an order of keys', 'a: 1\nb: {c: 2, d: 3}\n', 'b: {d: 3, c: 2}\na: 1\n'],
  ['a form of lists', 'a: [b, c]\n', 'a:\n  - b\n  - c\n'],
  ['a place of comments', '# x\na: 1 # y\nb: 2\n', 'a: 1\n# y\nb: 2\n# x'],
  ['an indentation of texts', 'a: |\n b # c\n', 'a: |\n    b # c\n'],
  ['blanks behind comments', 'a: 1 # x  \n', 'a: 1 # x'],
])('takes %s for nothing', (_, a, b) => {
  expect(meansTheSame(parsed(a), parsed(b))).toBe(true)
  expect(meansTheSame(parsed(b), parsed(a))).toBe(true)
})

it.each([
  ['a value', 'a: b\n', 'a: c\n'],
  ['a key', 'a: b\n', 'c: b\n'],
  ['an order of items', 'a: [b, c]\n', 'a: [c, b]\n'],
  ['a repeated item', 'a: [b]\n', 'a: [b, b]\n'],
  ['an empty list', 'a: []\n', 'a: {}\n'],
  ['nothing', 'a:\n', 'a: ""\n'],
  ['quotes', 'a: 1\n', 'a: "1"\n'],
  ['a level', 'a: {b: {}, c: {}}\n', 'a: {b: {c: {}}}\n'],
  ['an anchor', 'a: &x 1\n', 'a: &y 1\n'],
  ['an anchor that vanishes', 'a: &x 1\n', 'a: 1\n'],
  ['an alias that is a text', 'a: &x 1\nb: *x\n', 'a: &x 1\nb: "*x"\n'],
  ['what an alias means', 'a: &x 1\nb: &x 1\nc: *x\n', 'b: &x 1\na: &x 1\nc: *x\n'],
  ['a tag', 'a: !x 1\n', 'a: 1\n'],
  ['a directive', '%YAML 1.2\n---\na: 1\n', 'a: 1\n'],
  ['a document', 'a: 1\n---\nb: 2\n', 'a: 1\nb: 2\n'],
  ['an empty document', 'a: 1\n', 'a: 1\n---\n'],
  ['the end of a text', 'a: |\n  b\n', 'a: |-\n  b\n'],
  ['a lost comment', 'a: 1 # x\n', 'a: 1\n'],
  ['a lost comment without words', 'a: 1 #\n', 'a: 1\n'],
  ['a comment that is there twice', '# x\na: 1\n', '# x\na: 1 # x\n'],
  ['a comment in brackets', 'a: [b, # x\n  c]\n', 'a: [b, c]\n'],
  ['a comment behind the header of a text', 'a: | # x\n  b\n', 'a: |\n  b\n'],
  ['a comment behind a text with a mark', 'a: "#b" # x\n', 'a: "#b"\n'],
  ['a comment behind an anchor with a mark', 'a: &x#y 1 # z\n', 'a: &x#y 1\n'],
  ['words of a comment', '# x\na: 1\n', '# y\na: 1\n'],
])('notices %s', (_, a, b) => {
  expect(meansTheSame(parsed(a), parsed(b))).toBe(false)
  expect(meansTheSame(parsed(b), parsed(a))).toBe(false)
})
