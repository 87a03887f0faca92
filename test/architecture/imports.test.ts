// The direction of imports within a package, and what each package may touch. The compiler and the linter hold packages
// apart.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../src')

/**
 * The rooms within a room, from the bottom up: each may import those before it. Rooms in one list do not know each
 * other.
 */
const within: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [['model'], ['assemble'], ['compare'], ['access'], ['guards'], ['plan'], ['saved']],
  runs: [['open'], ['plan'], ['saved', 'export', 'doctor', 'access', 'import', 'edit']],
  render: [['text'], ['blocks'], ['printers'], ['problems'], ['changes'], ['plan'], ['report'], ['html']],
}

interface SourceFile {
  readonly file: string
  readonly room: string
  readonly text: string
  readonly imports: readonly string[]
}

const importsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, from]) => from as string)

const files: readonly SourceFile[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const text = readFileSync(join(root, name), 'utf8')
    return {
      file: name.replaceAll('\\', '/'),
      room: name.includes('/') ? (name.split('/')[0] as string) : '',
      text,
      imports: importsIn(text),
    }
  })

const named = '@svcsync/'
const isOurs = (specifier: string): boolean => specifier.startsWith('.') || specifier.startsWith(named)
const target = (from: SourceFile, specifier: string): string =>
  specifier.startsWith(named)
    ? specifier.slice(named.length)
    : relative(root, resolve(root, dirname(from.file), specifier)).replaceAll('\\', '/')

describe('imports', () => {
  it('let printers know blocks, and nothing of plans or reports', () => {
    const known = /^(?:render\/(?:blocks|printers|text)\/|core\/model\/text-width|errors\/)/
    const breaches = files
      .filter(({ file }) => file.startsWith('render/printers/'))
      .flatMap((source) => source.imports.filter((each) => each.startsWith('.')).map((each) => target(source, each)))
      .filter((path) => !known.test(path))
    expect(breaches).toEqual([])
  })

  it('let nobody but the command line see rendered text: what decides reads data', () => {
    const readers = files.filter(
      ({ room, imports }) => !['render', 'cli', ''].includes(room) && imports.some((each) => each.includes('/render/')),
    )
    expect(readers.map(({ file }) => file)).toEqual([])
  })

  it.each(Object.keys(within))('go one way within %s', (room) => {
    const order = within[room] as readonly (readonly string[])[]
    const levelOf = (path: string) => order.findIndex((level) => level.includes(path.split('/')[1] as string))
    const inside = files.filter((source) => source.room === room)
    expect(inside.filter(({ file }) => levelOf(file) < 0).map(({ file }) => file)).toEqual([])
    const breaches = inside.flatMap((source) =>
      source.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => target(source, specifier))
        .filter((path) => path.split('/')[0] === room && path.split('/')[1] !== source.file.split('/')[1])
        .filter((path) => levelOf(path) >= levelOf(source.file))
        .map((path) => `${source.file} imports ${path}`),
    )
    expect(breaches).toEqual([])
  })

  it('have no cycle', () => {
    // Types are gone when it runs: a handler takes those of the table that loads it.
    const graph = new Map(
      files.map((source) => {
        const loaded = importsIn(source.text.replace(/^import type [^']*'[^']+'$/gm, ''))
        return [source.file, loaded.filter(isOurs).map((from) => target(source, from))]
      }),
    )
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
        return
      }
      if (done.has(file)) return
      for (const next of graph.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of graph.keys()) visit(file, [])
    expect(cycles).toEqual([])
  })
})

describe('the core', () => {
  const core = files.filter(({ room }) => room === 'core' || room === 'kinds')
  it.each([
    ['node modules', /from 'node:/],
    ['a clock', /\bDate\.now|\bnew Date\(\)|performance\./],
    ['randomness', /Math\.random|randomUUID/],
    ['async', /\basync\b|\bawait\b/],
  ])('holds no %s', (_what, pattern) => {
    expect(core.filter(({ text }) => pattern.test(withoutComments(text))).map(({ file }) => file)).toEqual([])
  })
})

describe('the source', () => {
  it('prints and exits only in cli', () => {
    const pattern = /\bconsole\.(log|error|warn|info)|process\.exit|process\.std(out|err)\.write/
    expect(
      files.filter(({ room, text }) => room !== 'cli' && pattern.test(withoutComments(text))).map(({ file }) => file),
    ).toEqual([])
  })

  it('throws typed errors, and knows no any', () => {
    const pattern = /throw new (Type|Range)?Error\(|\bas any\b|: any(?=\s*(?:[,;)=|>\]}]|$))|@ts-ignore/
    expect(files.filter(({ text }) => pattern.test(withoutComments(text))).map(({ file }) => file)).toEqual([])
  })

  it('reads addresses by parseUrl: URL.canParse fails for ü on Node 20 and 22 after some thousand calls', () => {
    expect(files.filter(({ text }) => withoutComments(text).includes('canParse')).map(({ file }) => file)).toEqual([])
  })

  it('keeps files short', () => {
    const long = files.filter(({ text, file }) => text.split('\n').length > 400 && !file.includes('generated'))
    expect(long.map(({ file }) => file)).toEqual([])
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1')
}
