// Random manifests as careless people write them. Each comment names what it stands above or behind.
import fc from 'fast-check'

interface Style {
  readonly step: number
  readonly flushLists: boolean
  readonly blanks: number
  readonly comments: boolean
}

/** A value in the lines in which it is written; the first stands behind its key or dash. */
type Written = (indent: number, style: Style) => readonly string[]
interface Field {
  readonly key: string
  readonly value: Written
  readonly above: boolean
  readonly behind: boolean
}

const pad = (indent: number) => ' '.repeat(indent)
const inline =
  (text: string): Written =>
  () => [text]

const word = fc.stringMatching(/^[a-zż漢][a-z0-9ż漢@._-]{0,9}$/u)
const odd = fc.constantFrom(
  '0755',
  'no',
  '~',
  '',
  '"q \\" x#y"',
  "'it''s: x'",
  'http://x:1/y',
  'a - b',
  '"${x}"',
  '1e3',
)
const text: fc.Arbitrary<Written> = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(word, odd).map(inline) },
  fc.tuple(fc.constantFrom('|', '>-', '|+', '|2', '>2-'), word, word).map(
    ([header, a, b]): Written =>
      (indent, style) => {
        const inner = pad(indent + (header.includes('2') ? 2 : style.step))
        const more = header.includes('+') ? [''] : []
        return [header, `${inner}${a}`, '', `${inner}  ${b}`, `${inner}${b}`, ...more]
      },
  ),
  fc.tuple(word, word).map(
    ([a, b]): Written =>
      (indent) => [`"${a}`, '', `${pad(indent + 1)}${b}"`],
  ),
  fc.tuple(word, word).map(
    ([a, b]): Written =>
      (indent) => [a, `${pad(indent + 3)}${b}`],
  ),
)

const account = fc.oneof(
  word,
  word.map((name) => `"${name}"`),
)
const accounts: fc.Arbitrary<Written> = fc
  .tuple(fc.array(account, { maxLength: 12 }), fc.constantFrom('flow', 'wide', 'block'))
  .map(
    ([names, form]): Written =>
      (indent, style) => {
        if (form === 'flow' || names.length === 0) return [`[${names.join(',')}]`]
        if (form === 'wide') {
          return [
            '[',
            ...names.map((name) => `${pad(indent + 1)}${name},${style.comments ? ` # behind ${name}` : ''}`),
            `${pad(indent + 1)}]`,
          ]
        }
        const inner = pad(style.flushLists ? indent : indent + style.step)
        return [
          '',
          ...names.flatMap((name) => [...(style.comments ? [`${inner}# above ${name}`] : []), `${inner}-  ${name}`]),
        ]
      },
  )

const levels: fc.Arbitrary<Written> = fc
  .shuffledSubarray(['Administrator', 'Modify', 'ReadOnly', 'Start'])
  .chain((names) =>
    fc.tuple(...names.map(() => accounts)).map(
      (lists): Written =>
        (indent, style) =>
          names.length === 0
            ? ['{ }']
            : [
                '',
                ...names.flatMap((name, index) =>
                  entry(`${name}`, (lists[index] as Written)(indent + style.step, style), indent + style.step),
                ),
              ],
    ),
  )

function entry(key: string, [first = '', ...more]: readonly string[], indent: number): readonly string[] {
  return [`${pad(indent)}${key}:${first === '' ? '' : '  '}${first}`, ...more]
}

const field = (key: string, value: fc.Arbitrary<Written>): fc.Arbitrary<Field> =>
  fc.record({ key: fc.constantFrom(key, `"${key}"`), value, above: fc.boolean(), behind: fc.boolean() })

const item = (...fields: readonly fc.Arbitrary<Field>[]): fc.Arbitrary<readonly Field[]> =>
  fc.tuple(...fields).chain(([identity, ...others]) =>
    fc.shuffledSubarray(others).chain((some) => {
      const all = [identity as Field, ...some]
      return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })
    }),
  )

const sections = {
  users: item(field('svcId', word.map(inline)), field('name', text), field('jobTitle', text), field('email', text)),
  groups: item(
    field('svcId', word.map(inline)),
    field('members', accounts),
    field('owners', accounts),
    field('manage', fc.constant(inline('{owners: additive, members: exclusive}'))),
    field('naem', text),
  ),
  constants: item(
    field('name', word.map(inline)),
    field('common', text),
    field('test', text),
    field('prod', fc.constantFrom('{inherit: false,value: p}', '{ value: "" }', '{inherit: true}').map(inline)),
    field('groupId', fc.constant(inline('4'))),
  ),
  processes: item(
    field('process', word.map(inline)),
    field('application', word.map(inline)),
    field('privileges', levels),
  ),
}

function printItem(fields: readonly Field[], indent: number, style: Style): string[] {
  const inner = indent + 2
  const lines = fields.flatMap(({ key, value, above, behind }, index) => {
    const written = [...entry(key, value(inner, style), inner)]
    if (!style.comments) return written
    // Behind a value of several lines is a matter of taste, and behind a text it would be part of it.
    if (behind && written.length === 1) written[0] += `   # behind ${key.replaceAll('"', '')}`
    return above && index > 0 ? [`${pad(inner)}# above ${key.replaceAll('"', '')}`, ...written] : written
  })
  const identity = fields.find(({ key }) => /svcId|process/.test(key)) ?? fields.find(({ key }) => key.includes('name'))
  const about = style.comments ? [`${pad(indent)}# item ${identity?.value(0, style)[0]}`] : []
  return [...about, `${pad(indent)}- ${(lines[0] as string).slice(inner)}`, ...lines.slice(1)]
}

const style: fc.Arbitrary<Style> = fc.record({
  step: fc.integer({ min: 1, max: 5 }),
  flushLists: fc.boolean(),
  blanks: fc.integer({ min: 0, max: 2 }),
  comments: fc.boolean(),
})

const section = fc
  .constantFrom(...(Object.keys(sections) as (keyof typeof sections)[]))
  .chain((key) => fc.array(sections[key], { maxLength: 3 }).map((items) => ({ key, items })))

const document = fc
  .tuple(fc.uniqueArray(section, { selector: ({ key }) => key, maxLength: 4 }), style)
  .map(([parts, style]) =>
    parts.flatMap(({ key, items }) => {
      const indent = style.flushLists ? 0 : style.step
      const blanks = Array.from({ length: style.blanks }, () => '')
      const body = items.flatMap((fields) => [...blanks, ...printItem(fields, indent, style)])
      const head = style.comments ? [`# above ${key}`] : []
      return [...head, items.length === 0 ? `${key}: []` : `${key}:`, ...body, ...blanks]
    }),
  )

/** Valid YAML; problems of other kinds may be in it. */
export const arbitraryManifest: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(document, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '# first\n\n', '---\n'),
  )
  .map(([documents, lineBreak, head]) =>
    `${head}${documents.map((lines) => lines.join('\n')).join('\n---\n')}\n`.replaceAll('\n', lineBreak),
  )
