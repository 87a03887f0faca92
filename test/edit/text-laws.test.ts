// Laws of all edits of a text: the value changes as requested, by the parser of another library, and no character
// outside the edit does.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { editText, type TextEdit } from '../../src/editor/edit-text.ts'
import { lineStart, nextLine } from '../../src/editor/scan.ts'
import { readSyntax, type SyntaxNode } from '../../src/editor/syntax-tree.ts'
import { arbitraryManifest } from '../format/arbitrary-manifest.ts'
import { isThorough } from '../harness/thorough.ts'

type Value = string | null | Value[] | { [key: string]: Value }

function valuesIn(text: string): Value {
  const documents = parseAllDocuments(text, { schema: 'failsafe', uniqueKeys: false, merge: false })
  return documents.map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Value
  })
}

/** From the documents down. */
function pathTo(node: SyntaxNode, roots: readonly SyntaxNode[]): (string | number)[] {
  const { parent } = node
  if (parent === undefined) return [roots.indexOf(node)]
  const own =
    parent.type === 'list' ? parent.items.indexOf(node) : parent.pairs.find(({ value }) => value === node)?.key
  const key = typeof own === 'number' ? own : own?.type === 'scalar' ? own.value : ''
  return [...pathTo(parent, roots), key]
}

function at(value: Value, path: readonly (string | number)[]): Value {
  return path.reduce((here, key) => (here as Record<string | number, Value>)[key] as Value, value)
}

type SyntaxTree = NonNullable<ReturnType<typeof readSyntax>>

function nodesOf(tree: SyntaxTree): SyntaxNode[] {
  return [...tree.byContent.values()].flat()
}

const rootsOf = (nodes: readonly SyntaxNode[]) => nodes.filter(({ parent }) => parent === undefined)

/** Expects the text before one offset, and from another one on, to be unchanged. */
function expectSameOutside(before: string, after: string, from: number, to: number): void {
  expect(after.startsWith(before.slice(0, from))).toBe(true)
  expect(after.endsWith(before.slice(to))).toBe(true)
}

function expectOnlyAdded(before: string, after: string): void {
  let same = 0
  while (same < before.length && before[same] === after[same]) same++
  expect(after.endsWith(before.slice(same))).toBe(true)
}

function edited(text: string, edits: readonly TextEdit[]): string {
  const result = editText(text, edits)
  if ('unfit' in result) throw new TypeError(JSON.stringify(result.unfit))
  return result.text
}

const runs = { numRuns: isThorough ? 2000 : 150 }
// Blank lines behind a text that keeps them become its own when what stood below it goes: the check of the whole
// project refuses that.
const keepsBlanks = /[|>]\d?\+/
const chosen = fc.nat({ max: 1_000_000 })

const newTexts = [
  'new@example.com',
  'on',
  '0755',
  'a: b',
  "it's",
  '',
  'x'.repeat(90),
  'two\nlines\n',
  '${x}',
  '#no',
  '@at',
]

function parses(text: string): SyntaxTree {
  const tree = readSyntax(text)
  fc.pre(tree !== undefined)
  return tree as SyntaxTree
}

it('takes entries out, and nothing else', () => {
  fc.assert(
    fc.property(arbitraryManifest, fc.array(chosen, { minLength: 1, maxLength: 4 }), (text, picks) => {
      const nodes = nodesOf(parses(text))
      const items = nodes.filter(({ parent }) => parent?.type === 'list')
      fc.pre(items.length > 0 && !text.includes('${') && !keepsBlanks.test(text))
      const gone = new Set(picks.map((pick) => items[pick % items.length] as SyntaxNode))
      const after = edited(
        text,
        [...gone].map(({ content }) => ({ edit: 'remove-entry', at: content })),
      )
      const expected = valuesIn(text)
      const paths = [...gone].map((node) => pathTo(node, rootsOf(nodes)))
      // From behind, so that indexes stay; what lies in something that goes first is gone with it.
      for (const path of paths.sort((a, b) => b.length - a.length || Number(b.at(-1)) - Number(a.at(-1))))
        (at(expected, path.slice(0, -1)) as Value[]).splice(Number(path.at(-1)), 1)
      expect(valuesIn(after)).toEqual(expected)
      if (gone.size > 1) return
      const [node] = gone as unknown as [SyntaxNode]
      const first =
        node.parent?.type === 'list' && node.parent.items.length === 1 ? node.parent.parent?.start : undefined
      const earlier = first ?? Math.min(lineStart(text, node.start), node.parent?.start ?? 0)
      const from = Math.max(0, Math.min(earlier, lineStart(text, node.start)) - 2)
      expectSameOutside(text, after, from, nextLine(text, nextLine(text, node.end)))
    }),
    runs,
  )
})

it('adds entries, and takes nothing away', () => {
  fc.assert(
    fc.property(arbitraryManifest, chosen, fc.constantFrom(...newTexts), fc.boolean(), (text, pick, value, wide) => {
      const nodes = nodesOf(parses(text))
      const lists = nodes.filter((node) => node.type === 'list')
      fc.pre(lists.length > 0)
      const list = lists[pick % lists.length] as Extract<SyntaxNode, { type: 'list' }>
      const entry = wide ? { svcId: value, name: 'N', members: [value, 'b'] } : value
      const add: TextEdit = { edit: 'add-entry', at: list.content, value: entry, ...(wide && { wide }) }
      const after = edited(text, [add])
      const expected = valuesIn(text)
      const escaped = value.replaceAll('${', () => '$${')
      const own = wide ? { svcId: escaped, name: 'N', members: [escaped, 'b'] } : escaped
      ;(at(expected, pathTo(list, rootsOf(nodes))) as Value[]).push(own)
      expect(valuesIn(after)).toEqual(expected)
      if (list.items.length > 0) expectOnlyAdded(text, after)
    }),
    runs,
  )
})

it('sets and takes out fields, and nothing else', () => {
  fc.assert(
    fc.property(
      arbitraryManifest,
      chosen,
      fc.constantFrom(...newTexts, null),
      fc.boolean(),
      (text, pick, value, removes) => {
        const tree = parses(text)
        const pairs = [...tree.byKey.values()].filter((pair) => pair.value.type === 'scalar')
        fc.pre(pairs.length > 0 && !text.includes('${'))
        const pair = pairs[pick % pairs.length] as (typeof pairs)[number]
        fc.pre(!removes || (pair.holder.pairs.length > 1 && !keepsBlanks.test(text)))
        const own = { at: pair.holder.content, key: pair.key.type === 'scalar' ? pair.key.value : '' }
        const after = edited(text, [removes ? { edit: 'remove-field', ...own } : { edit: 'set-field', ...own, value }])
        const expected = valuesIn(text)
        const path = pathTo(pair.value, rootsOf(nodesOf(tree)))
        const holder = at(expected, path.slice(0, -1)) as Record<string, Value>
        if (removes) delete holder[path.at(-1) as string]
        else holder[path.at(-1) as string] = value === null ? 'null' : value.replaceAll('${', () => '$${')
        expect(valuesIn(after)).toEqual(expected)
        const from = removes ? Math.max(0, lineStart(text, pair.key.start) - 2) : pair.key.end
        expectSameOutside(text, after, from, nextLine(text, nextLine(text, pair.value.end)))
      },
    ),
    runs,
  )
})

it('adds fields behind the others', () => {
  fc.assert(
    fc.property(arbitraryManifest, chosen, fc.constantFrom(...newTexts), (text, pick, value) => {
      const nodes = nodesOf(parses(text))
      const mappings = nodes.filter((node) => node.type === 'mapping')
      fc.pre(mappings.length > 0)
      const mapping = mappings[pick % mappings.length] as SyntaxNode
      const after = edited(text, [{ edit: 'set-field', at: mapping.content, key: 'added', value }])
      const expected = valuesIn(text)
      ;(at(expected, pathTo(mapping, rootsOf(nodes))) as Record<string, Value>).added = value.replaceAll(
        '${',
        () => '$${',
      )
      expect(valuesIn(after)).toEqual(expected)
      expectOnlyAdded(text, after)
    }),
    runs,
  )
})
