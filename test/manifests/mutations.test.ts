// No slip in a manifest is taken for something else: each gives a problem where it stands, or provably changes nothing.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { JsonObject } from '../../src/core/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles, type LoadResult } from '../../src/manifests/index.ts'
import { load } from './manifest-fixture.ts'
import { doubled, type Mutant, misspelt, nulled, retyped, unquoted, withoutRequired } from './mutations.ts'

const settings = { env: new Proxy({}, { get: () => 'set' }), variables: { erpServer: 'sql' } }

/** A manifest with the item where its kind stands. */
function around(kindName: string, item: JsonObject): JsonObject {
  const kind = kinds.find(({ name }) => name === kindName)
  const { key, within } = kind?.sections[0] ?? { key: '' }
  if (within === undefined) return { [key]: [item] }
  const outer = kinds.find(({ name }) => name === within)
  return around(within, { ...outer?.samples.minimal, [key]: [item] })
}

const manifests: readonly (readonly [name: string, text: string])[] = [
  ...findManifestFiles('examples/quickstart', ['manifests']).files.map(
    (file) => [basename(file), readFileSync(file, 'utf8')] as const,
  ),
  ...kinds.flatMap(({ name, samples }) =>
    (['full', 'changed'] as const).map(
      (which) => [`${which} ${name}`, stringify(around(name, samples[which]))] as const,
    ),
  ),
]

/** Loads all texts at once, each as a file of its own. */
function loadEach(texts: readonly string[]): { problems: LoadResult['problems']; items: string }[] {
  const fileOf = (index: number) => `m${String(index).padStart(5, '0')}.yaml`
  const { declarations, problems } = load(
    Object.fromEntries(texts.map((text, index) => [fileOf(index), text])),
    settings,
  )
  const results = texts.map(() => ({ problems: [] as LoadResult['problems'][number][], items: [] as string[] }))
  const indexOf = (file: string) => Number(file.slice(1, 6))
  for (const problem of problems) results[indexOf(problem.place?.file ?? '')]?.problems.push(problem)
  for (const { source, section, item, database, parent } of declarations) {
    results[indexOf(source.file)]?.items.push(JSON.stringify([section.key, item, database, parent?.item]))
  }
  return results.map((each) => ({ problems: each.problems, items: each.items.join('\n') }))
}

/**
 * `constants` is a key of a process and of the top: moved out by as many levels as there are between, it is a valid
 * manifest of global constants, which nobody can tell from one that is meant. The plan shows them as such.
 */
function isOtherwiseValid({ text, line }: { readonly text: string; readonly line: number }): boolean {
  return text.split('\n')[line - 1] === 'constants:'
}

/**
 * A parser cannot know which of two lines is indented wrongly: it stops at the first one that does not fit. That is the
 * line itself, the one before it, one of the next two that stood beside it, or the first that stood further out.
 */
function whereNoticed(lines: readonly string[], line: number): { from: number; to: number } {
  const indentOf = (text: string) => text.search(/\S/)
  const content = lines.flatMap((text, index) => (/^\s*(?:#|$)/.test(text) ? [] : [index + 1]))
  const indent = indentOf(lines[line - 1] ?? '')
  const beside = content.filter((other) => other > line && indentOf(lines[other - 1] ?? '') <= indent)
  const further = beside.find((other) => indentOf(lines[other - 1] ?? '') < indent) ?? lines.length
  return { from: content.findLast((other) => other < line) ?? 1, to: Math.max(beside[1] ?? lines.length, further) }
}

function expectProblems(mutants: readonly Mutant[]): void {
  expect(mutants.length).toBeGreaterThan(0)
  const loaded = loadEach(mutants.map(({ text }) => text))
  const missed = mutants.filter(({ place, code }, index) => {
    const here = loaded[index]?.problems.filter(
      (each) => each.place?.line === place.line && each.place.column === place.column,
    )
    return !here?.some((each) => code === undefined || each.code === code)
  })
  expect(missed.map(({ name, text, place }) => `${name} (${place.line}:${place.column})\n${text}`)).toEqual([])
}

describe.each(manifests)('%s', (_, text) => {
  it('is valid', () => expect(loadEach([text])[0]?.problems).toEqual([]))
  it('lacks no required key unnoticed', () => expectProblems(withoutRequired(text, kinds)))
  it('has no key misspelt unnoticed', () => expectProblems(misspelt(text, kinds)))
  it('has no key twice unnoticed', () => expectProblems(doubled(text, kinds)))
  it('has no value of another type unnoticed', () => expectProblems(retyped(text, kinds)))
  it('has no null unnoticed where nothing can be cleared', () => expectProblems(nulled(text, kinds)))

  it('means the same where numbers and flags stand in text fields without quotes', () => {
    const pairs = unquoted(text, kinds)
    const [plain, quoted] = [0, 1].map((which) => loadEach(pairs.map((pair) => pair[which] ?? '')))
    expect(plain).toEqual(quoted)
    expect(plain?.flatMap(({ problems }) => problems)).toEqual([])
  })

  it('is not indented wrongly unnoticed', () => {
    const lines = text.split('\n')
    const mutants = lines.flatMap((line, index) => {
      const change = (replaced: string) => [...lines.slice(0, index), replaced, ...lines.slice(index + 1)].join('\n')
      const indent = /^ */.exec(line)?.[0].length ?? 0
      return [1, 2, -1, -2, -4]
        .filter((by) => indent + by >= 0)
        .map((by) => ({ by, line: index + 1, text: change(' '.repeat(indent + by) + line.trimStart()) }))
    })
    const before = loadEach([text])[0]?.items
    const loaded = loadEach(mutants.map((each) => each.text))
    const missed = mutants.filter((mutant, index) => {
      const { problems, items } = loaded[index] ?? { problems: [], items: '' }
      if (problems.length === 0) return items !== before && !isOtherwiseValid(mutant)
      const { from, to } = whereNoticed(lines, mutant.line)
      return !problems.some(({ place }) => place !== undefined && from <= place.line && place.line <= to)
    })
    expect(missed.map(({ by, line, text: mutated }) => `${by} in line ${line}\n${mutated}`)).toEqual([])
  })
})
