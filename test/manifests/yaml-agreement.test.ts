// The parser that decides what a manifest means, and the yaml package that edits manifests, must read the same: the
// same values at the same offsets, by the type of each field.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, Scalar } from 'yaml'
import type { Declaration } from '../../src/core/model/declaration.ts'
import { offsetOf, type Source } from '../../src/core/model/source.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { load } from './manifest-fixture.ts'

// Substitutions are loaded as moments and with a key, not as they are written: there is nothing to agree on.
const examples = ['examples/quickstart', 'examples/organisation']
  .flatMap((dir) => findManifestFiles(dir, ['manifests']).files)
  .filter((file) => !file.endsWith('substitutions.yaml'))

/** A value with its offsets, as [value, offset] at every level; an empty value has no offset of its own. */
type Placed = { readonly at: number | undefined; readonly value: unknown }

function fromLoaded(source: Source, value: unknown, at: number | undefined): Placed {
  const own = (index: number) => offsetOf(source, value, index)
  if (Array.isArray(value)) {
    return { at: own(0), value: value.map((item, index) => fromLoaded(source, item, own(1 + index))) }
  }
  if (typeof value !== 'object' || value === null) return { at: value === null ? undefined : at, value }
  const entries = Object.entries(value).map(([key, part], index) => [
    key,
    { key: own(1 + 2 * index), ...fromLoaded(source, part, own(2 + 2 * index)) },
  ])
  return { at: own(0), value: Object.fromEntries(entries) }
}

/** The same from the yaml package, with the types that manifest fields have: only groupId and absent are no texts. */
function fromYaml(node: unknown, field: string, source: string): Placed {
  const start = (each: unknown) => (each as Node).range?.[0]
  if (isSeq(node)) return { at: start(node), value: node.items.map((item) => fromYaml(item, field, source)) }
  if (isMap(node)) {
    // An environment at length: its value, where the mapping stands.
    const value = ['dev', 'test', 'prod'].includes(field) ? node.get('value', true) : undefined
    if (value !== undefined) return { at: start(node), value: fromYaml(value, field, source).value }
    const entries = node.items.map(({ key, value }) => {
      const name = String((key as Scalar).value)
      return [name, { key: start(key), ...fromYaml(value, name, source) }]
    })
    return { at: start(node), value: Object.fromEntries(entries) }
  }
  if (isAlias(node)) throw new TypeError('no aliases here')
  if (!isScalar(node) || node.value === null) return { at: undefined, value: null }
  const typed = field === 'groupId' || field === 'absent'
  const isPlain = node.type === Scalar.PLAIN
  return { at: start(node), value: typed || !isPlain ? node.value : node.source }
}

function expectAgreement(text: string, declarations: readonly Declaration[]): void {
  const items: Record<string, Placed[]> = {}
  for (const { section, item, source } of declarations) {
    items[section.key] ??= []
    items[section.key]?.push(fromLoaded(source, item, undefined))
  }
  const wanted: Record<string, Placed[]> = {}
  for (const document of parseAllDocuments(text, { intAsBigInt: false })) {
    if (!isMap(document.contents)) continue
    for (const { key, value } of document.contents.items) {
      if (!isSeq(value) || value.items.length === 0) continue
      const name = String((key as Scalar).value)
      wanted[name] ??= []
      wanted[name]?.push(...value.items.map((item) => fromYaml(item, name, text)))
    }
  }
  expect(items).toEqual(wanted)
}

describe('agreement with the yaml package', () => {
  it.each(examples.filter((file) => !/processes|connections/.test(file)))('on %s', (file) => {
    const text = readFileSync(file, 'utf8')
    expectAgreement(text, load(text).declarations)
  })

  it('on random manifests', () => {
    fc.assert(
      fc.property(manifest, (text) => {
        const { declarations, problems } = load(text)
        expect(problems).toEqual([])
        expectAgreement(text, declarations)
      }),
      { numRuns: 300 },
    )
  })
})

const word = fc.stringMatching(/^[a-zżźćńółęąśçéß漢字🙂][a-z0-9żźćńółęąś漢字🙂@._-]{0,12}$/u)
const odd = fc.constantFrom(
  '0755',
  'no',
  '1e3',
  'true',
  '12345678901234567890',
  '-1',
  '.5',
  '2026-01-01',
  "it's",
  'a # b',
  'a: b',
  '# x',
  '- x',
  '[x',
  '*x',
  '&x',
  '',
  ' x ',
  'x\ty',
  'ž"q"',
  '${',
  'a\\b',
)
const doubled = fc.oneof(word, odd).map((text) => JSON.stringify(text.replaceAll('${', '$')))
const single = fc.oneof(word, odd).map((text) => `'${text.replaceAll("'", "''").replaceAll('${', '$')}'`)
const plain = fc.oneof(
  word,
  fc.constantFrom('0755', 'no', '1e3', 'true', '12345678901234567890', 'a b', 'x#y', 'http://x:1/y'),
)
const inline = fc.oneof(plain, doubled, single)

/** A scalar over several lines; `indent`: of the line that its key stands in. */
const block = (indent: string) =>
  fc
    .tuple(
      fc.constantFrom('|', '>', '|-', '>-', '|+', '| # x | y'),
      fc.array(fc.oneof(word, fc.constant('')), { minLength: 1, maxLength: 3 }),
      word,
    )
    .map(
      ([header, lines, last]) =>
        `${header}\n${[...lines.slice(1), last].map((line) => (line === '' ? '' : `${indent}  ${line}`)).join('\n')}`,
    )
const folded = (indent: string) => fc.tuple(word, word).map(([a, b]) => `"${a}\n${indent}  ${b}"`)

const comment = fc.constantFrom('', '', ' # note', ' # ü: "x"')
const key = (name: string) => fc.constantFrom(name, name, `"${name}"`, `'${name}'`)
const field = (name: string, value: fc.Arbitrary<string>) => fc.tuple(key(name), value).map(([k, v]) => `${k}: ${v}`)

const user = fc
  .tuple(
    field(
      'svcId',
      fc.oneof(
        word,
        word.map((text) => `"${text}"`),
      ),
    ),
    fc.option(field('name', fc.oneof(inline, block('    '), folded('    '), fc.constant('null')))),
    fc.option(field('jobTitle', fc.oneof(inline, block('    ')))),
    fc.option(field('absent', fc.constantFrom('true', 'false'))),
    comment,
  )
  .map(([first, ...more]) => {
    const last = more.pop() as string
    const fields = more.filter((each): each is string => each !== null)
    return [`  - ${first}${last}`, ...fields.map((each) => `    ${each}`)].join('\n')
  })
const group = fc
  .tuple(
    field('svcId', word),
    fc.array(
      fc.oneof(
        word,
        doubled.filter((text) => text !== '""'),
        single.filter((text) => text !== "''"),
      ),
      { maxLength: 3 },
    ),
    fc.boolean(),
    comment,
  )
  .map(([first, members, flow, note]) =>
    flow
      ? `  - { ${first}, members: [${members.join(', ')}] }${note}`
      : [
          `  - ${first}\n    members:${members.length === 0 ? ' []' : ''}${note}`,
          ...members.map((each) => `      - ${each}`),
        ].join('\n'),
  )
const sections = fc
  .tuple(fc.array(user, { maxLength: 3 }), fc.array(group, { maxLength: 3 }), comment)
  .map(([users, groups, note]) =>
    [
      `users:${users.length === 0 ? ' []' : note}`,
      ...users,
      '',
      `groups:${groups.length === 0 ? ' []' : ''}`,
      ...groups,
    ].join('\n'),
  )
const manifest = fc
  .tuple(
    fc.array(sections, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '# first\n', '---\n'),
  )
  .map(([documents, lineBreak, head]) => `${head}${documents.join('\n---\n')}\n`.replaceAll('\n', lineBreak))
