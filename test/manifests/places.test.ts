// Every place that can be reported is where the yaml package finds that key or value: line and column of everything
// that is declared, through anchors, aliases and merge keys, in files with several documents, CRLF, a byte order mark,
// and characters of two code units.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml'
import { placeIn } from '../../src/core/model/declaration.ts'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { load } from './manifest-fixture.ts'

type Path = readonly (string | number)[]

/** Paths to everything below a value. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path
  if (typeof value !== 'object' || value === null || value instanceof Sensitive) return
  for (const [key, part] of Object.entries(value)) {
    yield* pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key])
  }
}

/** A file as the yaml package sees it. */
class Seen {
  readonly #lines = new LineCounter()
  readonly #documents
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    this.#documents = parseAllDocuments(text, { lineCounter: this.#lines, uniqueKeys: false })
  }

  /** The items of a section in the order of documents. */
  items(section: string): readonly Node[] {
    const items: Node[] = []
    for (const { contents } of this.#documents as readonly { readonly contents: unknown }[]) {
      if (!isMap(contents)) continue
      const list = contents.items.find(({ key }) => isScalar(key) && key.value === section)?.value
      if (isSeq(list)) items.push(...(list.items as Node[]))
    }
    return items
  }

  /** The places of the key and the value at a path. */
  placesOf(item: Node, path: Path): { readonly key: string; readonly value: string } {
    let holder = this.#target(item)
    for (const [index, name] of path.entries()) {
      const [key, value] = this.#child(holder, name)
      if (index === path.length - 1) return { key: this.#place(key), value: this.#place(value ?? key) }
      holder = this.#target(value as Node)
    }
    throw new TypeError('an empty path')
  }

  /** Places of all keys of that name. */
  keysNamed(name: string): readonly string[] {
    const found = new Set<string>()
    const look = (node: unknown): void => {
      if (isSeq(node)) for (const item of node.items) look(item)
      if (!isMap(node)) return
      for (const { key, value } of node.items) {
        if (isScalar(key) && key.value === name) found.add(this.#place(key))
        look(value)
      }
    }
    for (const { contents } of this.#documents as readonly { readonly contents: unknown }[]) look(contents)
    return [...found]
  }

  #child(holder: Node, name: string | number): readonly [Node, Node | undefined] {
    if (typeof name === 'number' && isSeq(holder)) return [holder.items[name] as Node, holder.items[name] as Node]
    const pair = isMap(holder) ? this.#pair(holder, String(name)) : undefined
    if (pair === undefined) throw new TypeError(`the yaml package has no ${name}`)
    const value = pair.value as Node | null
    const isEmpty = value === null || (isScalar(value) && value.range?.[0] === value.range?.[1])
    return [pair.key as Node, isEmpty ? undefined : value]
  }

  /** An own entry wins over one that is merged in, and an earlier merge over a later one. */
  #pair(map: YAMLMap, name: string): Pair | undefined {
    const own = map.items.find(({ key }) => isScalar(key) && key.value === name)
    if (own !== undefined) return own
    for (const { key, value } of map.items) {
      if (!isScalar(key) || key.value !== '<<') continue
      const merged = this.#target(value as Node)
      for (const source of isSeq(merged) ? (merged.items as Node[]) : [merged]) {
        const target = this.#target(source)
        const found = isMap(target) ? this.#pair(target, name) : undefined
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  #target(node: Node): Node {
    if (!isAlias(node)) return node
    for (const document of this.#documents) {
      const resolved = node.resolve(document as Parameters<typeof node.resolve>[0])
      // Names of anchors are never used twice here.
      if (resolved !== undefined) return resolved
    }
    throw new TypeError(`no anchor ${node.source}`)
  }

  #place(node: Node): string {
    let at = node.range?.[0] as number
    // A block scalar begins with its header, and so it does for the yaml package; what stands before a node is not it.
    while (this.#text[at] === ' ') at++
    const { line, col } = this.#lines.linePos(at)
    return `${line}:${col}`
  }
}

const shown = ({ line, column }: { readonly line: number; readonly column: number }): string => `${line}:${column}`

/** How many places were compared. */
function expectPlaces(text: string): number {
  const seen = new Seen(text.replace(/^\ufeff/, ''))
  const { declarations, problems } = load(text)
  const counts = new Map<string, number>()
  let compared = 0
  for (const declaration of declarations) {
    const { key } = declaration.section
    const index = counts.get(key) ?? 0
    counts.set(key, index + 1)
    const item = seen.items(key)[index] as Node
    for (const path of pathsIn(declaration.item)) {
      const found = {
        key: shown(placeIn(declaration, path, 'key')),
        value: shown(placeIn(declaration, path, 'value')),
      }
      expect({ path, ...found }).toEqual({ path, ...seen.placesOf(item, path) })
      compared += 2
    }
  }
  expect(problems.map(({ code, place }) => `${code} ${place && shown(place)}`).sort()).toEqual(
    seen
      .keysNamed('nmae')
      .map((place) => `SVC1101 ${place}`)
      .sort(),
  )
  return compared
}

const letters = 'ażß漢🙂𝒜é'
const word = fc
  .array(fc.constantFrom(...letters, 'b', 'c', '7'), { minLength: 1, maxLength: 5 })
  .map((chars) => `x${chars.join('')}`)
const text = (indent: string) =>
  fc.oneof(
    word,
    word.map((each) => `"${each} \\"🙂\\""`),
    word.map((each) => `'${each} ''q'''`),
    word.map((each) => `!!str ${each}`),
    fc
      .tuple(fc.constantFrom('|', '>-', '|+', '>2', '| # 🙂 | >'), word)
      .map(([header, each]) => `${header}\n${indent}  ${each}\n\n${indent}  ${each}`),
    word.map((each) => `"${each}\n${indent}  ${each}"`),
    fc.constant('null'),
  )
const flowText = fc.oneof(
  word,
  word.map((each) => `"${each}, 🙂]"`),
  word.map((each) => `'${each}'`),
)
const note = fc.constantFrom('', '', ' # 🙂: note', ' #')
const slip = fc.constantFrom('', '', '', 'nmae')

/** Parts that later parts refer to; `n` makes names of anchors differ. */
const sections = (n: number) =>
  fc
    .record({
      a: word,
      b: word,
      first: flowText,
      title: text('    '),
      more: text('    '),
      note,
      slip,
      key: fc.constantFrom('name', '"name"', "'name'", '? name\n    '),
      gap: fc.constantFrom('', '\n', '\n    # 🙂\n'),
      at: fc.constantFrom('&', '!!map &'),
    })
    .map(({ a, b, first, title, more, note, slip, key, gap, at }) => {
      const entry = (name: string, value: string) => (name === '' ? '' : `    ${name}: ${value}\n`)
      return `users:${note}
  - ${at}one${n} { svcId: ${a}, name: &text${n} ${first}, email: "${b}"${slip === '' ? '' : `, ${slip}: x`} }${note}
  - &two${n}${note}
    svcId: ${b}
${gap}    jobTitle: ${title}
    ${key}: *text${n}${note}
${entry(slip, more)}  - <<: *one${n}
    svcId: m${b}
  - <<: [*two${n}, *one${n}]${note}
    svcId: n${b}
    phoneNumber: ${more}
  - <<: { email: ${a}, <<: *two${n} }
    svcId: o
  - *one${n}
groups:
  - svcId: ${a}
    members: &list${n} [${a}, "${b}", { svcId: &who${n} ${b}, until: 2090-01-01 }]${note}
    owners: *list${n}
${entry(slip, '[x]')}  - { svcId: &id${n} g${a}, members: [*who${n}, *id${n}], owners: *list${n} }
  - svcId: h
    members:
    - *who${n}${note}
    -   ${b}
    - svcId: ${a}
      from: 2026-01-01
`
    })
const manifest = fc
  .tuple(
    sections(1),
    sections(2),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('', '# 🙂 first\n', 'nmae: x\n', '%YAML 1.2\n---\n', '--- # 🙂\n'),
    fc.constantFrom('---\n', '...\n---\n', '--- # 🙂\n\n'),
  )
  .map(
    ([first, second, lineBreak, mark, head, between]) =>
      mark + `${head}${first}${between}${second}`.replaceAll('\n', lineBreak),
  )

describe('places', () => {
  it('are those of the yaml package, for everything that is declared and whatever is reported', () => {
    let compared = 0
    fc.assert(
      fc.property(manifest, (each) => {
        compared += expectPlaces(each)
      }),
      { numRuns: 60 },
    )
    expect(compared).toBeGreaterThan(40 * 100)
  })
})
