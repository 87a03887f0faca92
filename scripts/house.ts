// Measures the maintainability of the sources: `npm run house`. `-- --files core/access` lists files with what each
// does; `-- --folder DIR` measures another checkout; `-- --json` is for programs.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { groupBy } from '../src/core/model/group-by.ts'
import { purposeOf, readSources, type SourceFile } from './house/read-sources.ts'

const { values } = parseArgs({
  options: { files: { type: 'string' }, folder: { type: 'string' }, json: { type: 'boolean' } },
})
const root = resolve(values.folder ?? '.')

/** The limits that Biome allows: a function above one of them is counted. */
const limits = { complexity: 20, lines: 80 }

interface Measured {
  readonly file: string
  readonly line: number
  readonly value: number
}

/** Functions as Biome counts them, the worst first: with the lowest limit, it reports each with its value. */
function functionsBy(rule: 'complexity' | 'lines'): readonly Measured[] {
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-house-'))
  const rules =
    rule === 'complexity'
      ? { noExcessiveCognitiveComplexity: { level: 'error', options: { maxAllowedComplexity: 1 } } }
      : { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: 1 } } }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ linter: { rules: { complexity: rules } } }))
  const only = `--only=complexity/${Object.keys(rules)[0]}`
  const args = [
    'biome',
    'lint',
    join(root, 'src'),
    only,
    `--config-path=${folder}`,
    '--max-diagnostics=none',
    '--reporter=json',
  ]
  const text = outputOf('npx', args)
  rmSync(folder, { recursive: true })
  const { diagnostics } = JSON.parse(text) as { readonly diagnostics: readonly Diagnostic[] }
  return diagnostics
    .map(({ message, location }) => ({
      file: location.path.slice(location.path.lastIndexOf('src/')),
      line: location.start.line,
      value: Number(/\d+/.exec(message)?.[0]),
    }))
    .sort((a, b) => b.value - a.value)
}

interface Diagnostic {
  readonly message: string
  readonly location: { readonly path: string; readonly start: { readonly line: number } }
}

/** It ends with 1 where it has found something. */
function outputOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 })
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

function measure() {
  const sources = readSources(join(root, 'src'))
  const [byComplexity, byLines] = [functionsBy('complexity'), functionsBy('lines')]
  const complex = byComplexity.filter(({ value }) => value > limits.complexity)
  const long = byLines.filter(({ value }) => value > limits.lines)
  const exported = sources.flatMap((source) => source.exports.map((each) => ({ ...each, source })))
  const importers = ({ name, source }: (typeof exported)[number]): number =>
    sources.filter(({ imports }) => imports.get(source.path)?.has(name)).length
  const counted = exported.map((each) => ({ ...each, importers: importers(each) }))
  const worst = <T extends { readonly value: number }>(all: readonly T[]): T | undefined =>
    [...all].sort((a, b) => b.value - a.value)[0]
  const where = (all: readonly { readonly file: string; readonly value: number }[]): string => {
    const found = worst(all)
    return found === undefined ? '0' : `${found.value} (${found.file})`
  }
  const byFile = (value: (source: SourceFile) => number) =>
    sources.map((source) => ({ file: `src/${source.path}`, value: value(source) }))
  return {
    rows: [
      ['lines of the sources', String(sum(sources))],
      ['files', String(sources.length)],
      ['exported names', String(counted.length)],
      ['of them types', String(counted.filter(({ isType }) => isType).length)],
      ['names with one importer', String(counted.filter((each) => each.importers === 1).length)],
      [`functions over ${limits.lines} lines`, String(long.length)],
      ['longest function, in lines', where(byLines)],
      [`functions over a cognitive complexity of ${limits.complexity}`, String(complex.length)],
      ['greatest cognitive complexity', where(byComplexity)],
      ['longest line', where(byFile(({ text }) => Math.max(...text.split('\n').map(({ length }) => length))))],
      ['most imports in a file', where(byFile(({ imports }) => imports.size))],
    ] as const,
    packages: groupBy(sources, ({ path }) => (path.includes('/') ? (path.split('/')[0] as string) : 'index.ts')),
    beyond: { complexity: complex, lines: long },
  }
}

function sum(sources: readonly SourceFile[]): number {
  return sources.reduce((all, { text }) => all + text.split('\n').length - 1, 0)
}

function print(): void {
  const { rows, packages, beyond } = measure()
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ ...Object.fromEntries(rows), beyond }, null, 2)}\n`)
    return
  }
  const lines = [...packages].map(([name, sources]) => [name, sum(sources)] as const).sort((a, b) => b[1] - a[1])
  const table = [['measure', 'value'], ['---', '---'], ...rows].map((row) => `| ${row.join(' | ')} |`)
  process.stdout.write(
    `${table.join('\n')}\n\nLines: ${lines.map(([name, count]) => `${name} ${count}`).join(', ')}.\n`,
  )
}

if (values.files === undefined) print()
else {
  const own = readSources(join(root, 'src')).filter(({ path }) => path.startsWith(values.files ?? ''))
  process.stdout.write(own.map((source) => `${source.path}: ${purposeOf(source)}\n`).join(''))
}
