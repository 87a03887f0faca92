// Sources with what they export, and what they import of each other.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export interface SourceFile {
  /** From `src`. */
  readonly path: string
  readonly text: string
  readonly exports: readonly { readonly name: string; readonly isType: boolean }[]
  /** Names, by the path of the source that they are imported from; of packages none. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>
}

/** Generated files are left out: nobody reads them. */
export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.includes('generated/'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      return { path, text, exports: exportsIn(text), imports: importsIn(text, path) }
    })
}

/** The first sentence of the comment at its head; empty: there is none. */
export function purposeOf({ text }: Pick<SourceFile, 'text'>): string {
  const [, head = ''] = /^(?:#!.*\n)?((?:\/\/.*\n)+)/.exec(text) ?? []
  const said = head
    .replaceAll(/^\/\/ ?/gm, '')
    .replaceAll('\n', ' ')
    .trim()
  return /^.*?\.(?= |$)/.exec(said)?.[0] ?? said
}

/** Where they are declared: a re-export is no further name to know. */
function exportsIn(text: string): SourceFile['exports'] {
  const own =
    /^export (?:declare )?(?:abstract |async )?(function\*?|const|let|class|enum|interface|type) (\w+|\{[^}]*\}(?!\s*from\b)|\[[^\]]*\])/gm
  return [...text.matchAll(own)].flatMap(([, sort = '', name = '']) =>
    (name.match(/\w+(?=\s*(?:,|\}|\]|$))/g) ?? []).map((each) => ({
      name: each,
      isType: sort === 'interface' || sort === 'type',
    })),
  )
}

function importsIn(text: string, path: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const add = (from: string, names: string): void => {
    const target = from.startsWith('.') ? posix.join(posix.dirname(path), from) : from.slice('@svcsync/'.length)
    const known = found.get(target) ?? new Set()
    for (const each of names.split(',')) {
      const name = each
        .replace(/\btype\s/, '')
        .trim()
        .split(/\s+as\s+|:/)[0]
        ?.trim()
      if (name) known.add(name)
    }
    found.set(target, known)
  }
  const forms = [
    /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'((?:\.|@svcsync\/)[^']+)'/g,
    /\{([^}]*)\}\s*=\s*await import\(\s*'((?:\.|@svcsync\/)[^']+)'\s*\)/g,
  ]
  for (const form of forms) for (const [, names = '', from = ''] of text.matchAll(form)) add(from, names)
  for (const [, from = '', name = ''] of text.matchAll(
    /\(await import\(\s*'((?:\.|@svcsync\/)[^']+)'\s*\)\)\s*\.(\w+)/g,
  ))
    add(from, name)
  for (const [, from = '', name = ''] of text.matchAll(/\bimport\('((?:\.|@svcsync\/)[^']+)'\)\.(\w+)/g))
    add(from, name)
  return found
}
