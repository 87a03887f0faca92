// The limits of functions, and the script that measures the sources.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSources } from '../../scripts/house/read-sources.ts'

/** Files with functions beyond a limit, when the limits came. They may only become fewer, and in the end ten, each with a reason. */
const mostExcused = { noExcessiveCognitiveComplexity: 6, noExcessiveLinesPerFunction: 8 }

interface BiomeSettings {
  readonly overrides: readonly {
    readonly includes: readonly string[]
    readonly linter: { readonly rules: { readonly complexity?: Readonly<Record<string, unknown>> } }
  }[]
}

it.each(Object.entries(mostExcused))('no further file is excused from %s', (rule, most) => {
  const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8')) as BiomeSettings
  const excused = overrides.filter(({ linter }) => linter.rules.complexity?.[rule] === 'off')
  const files = excused.flatMap(({ includes }) => includes)
  expect(files.length).toBeLessThanOrEqual(most)
  // One that is gone leaves room for another.
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

it('names that are exported and imported are found in all the forms that the sources have', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-house-'))
  mkdirSync(join(folder, 'room'))
  const own = `export const [a, b] = [1, 2]\nexport async function c() {}\nexport interface D {}\nexport type E = 1\nconst f = 1\n`
  writeFileSync(join(folder, 'room/own.ts'), own)
  const other = [
    "import { a as x, type D } from './room/own.ts'",
    "export { c } from './room/own.ts'",
    "const { b } = await import('./room/own.ts')",
    "type F = import('./room/own.ts').E",
    "import { readFileSync } from 'node:fs'",
  ]
  writeFileSync(join(folder, 'other.ts'), other.join('\n'))
  const [importing, exporting] = readSources(folder)
  expect(exporting?.exports.map(({ name, isType }) => `${name}${isType ? ' (type)' : ''}`)).toEqual([
    ...['a', 'b', 'c', 'D (type)', 'E (type)'],
  ])
  expect([...(importing?.imports ?? [])].map(([from, names]) => [from, [...names].sort()])).toEqual([
    ['room/own.ts', ['D', 'E', 'a', 'b', 'c']],
  ])
  rmSync(folder, { recursive: true })
})
