// The limits of functions, and the script that measures the sources.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { purposeOf, readSources } from '../../scripts/house/read-sources.ts'

/** Files with functions beyond a limit, at most ten, each with its reason. */
const excused: Readonly<Record<string, readonly string[]>> = {
  noExcessiveCognitiveComplexity: [],
  noExcessiveLinesPerFunction: [
    // A life is one story: each step stands on the state that the one before left.
    'test/e2e/pull-requests.test.ts',
    'test/e2e/whole-life.test.ts',
    // Its tests share one project, one platform and one document of each version.
    'test/e2e/wire-names.test.ts',
    // The same tests run on each forge, with the forge of that run.
    'test/forge/post-comment.test.ts',
    // The project, its platform and its runs share what was opened, until all is closed.
    'test/harness/workspace.ts',
    // The items of one manifest have to hold together, and are put together in one place.
    'test/laws/arbitraries.ts',
    // A document is made in one pass, whose random numbers have one order.
    'test/openapi/foreign-document.ts',
  ],
}

interface BiomeSettings {
  readonly overrides: readonly {
    readonly includes: readonly string[]
    readonly linter: { readonly rules: { readonly complexity?: Readonly<Record<string, unknown>> } }
  }[]
}

it.each(Object.entries(excused))('no further file is excused from %s', (rule, files) => {
  const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8')) as BiomeSettings
  const without = overrides.filter(({ linter }) => linter.rules.complexity?.[rule] === 'off')
  expect(without.flatMap(({ includes }) => includes)).toEqual(files)
  // One that is gone leaves room for another.
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

it('at most ten files are excused', () => {
  expect(new Set(Object.values(excused).flat()).size).toBeLessThanOrEqual(10)
})

it('names that are exported and imported are found in all the forms that the sources have', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-house-'))
  mkdirSync(join(folder, 'room'))
  const own =
    'export const [a, b] = [1, 2]\nexport async function c() {}\n' +
    'export interface D {}\nexport type E = 1\nconst f = 1\n'
  writeFileSync(join(folder, 'room/own.ts'), own)
  const other = [
    "import { a as x, type D } from './room/own.ts'",
    "export { c } from './room/own.ts'",
    "const { b } = await import('./room/own.ts')",
    "export type {\n  D,\n  E as G,\n} from './room/own.ts'",
    "type F = import('./room/own.ts').E",
    "import { readFileSync } from 'node:fs'",
  ]
  writeFileSync(join(folder, 'other.ts'), other.join('\n'))
  const [importing, exporting] = readSources(folder)
  expect(exporting?.exports.map(({ name, isType }) => `${name}${isType ? ' (type)' : ''}`)).toEqual([
    ...['a', 'b', 'c', 'D (type)', 'E (type)'],
  ])
  expect(importing?.exports).toEqual([])
  expect([...(importing?.imports ?? [])].map(([from, names]) => [from, [...names].sort()])).toEqual([
    ['room/own.ts', ['D', 'E', 'a', 'b', 'c']],
  ])
  rmSync(folder, { recursive: true })
})

it('each source begins with a sentence about what it does', () => {
  const without = readSources('src').filter((source) => !/^\S.* .*\S\.$/.test(purposeOf(source)))
  expect(without.map(({ path }) => path)).toEqual([])
  expect(purposeOf({ text: "import 'node:fs'\n// Later.\n" })).toBe('')
})
