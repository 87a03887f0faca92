// Loads manifests from texts, in a folder that is thrown away.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Problem } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { codeFrame } from '../../src/manifests/code-frame.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { type LoadOptions, loadManifests } from '../../src/manifests/load-manifests.ts'

type LoadResult = ReturnType<typeof loadManifests>

export type Files = Readonly<Record<string, string | Uint8Array>>

/** Writes the files, runs `use` in their folder, and removes it. */
export function inFolder<T>(files: Files, use: (dir: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-manifests-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), content)
    }
    return use(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

type Settings = Partial<Pick<LoadOptions, 'env' | 'variables'>>

/** Loads every manifest among the files; a text alone is `m.yaml`. */
export function load(files: string | Uint8Array | Files, settings: Settings = {}): LoadResult {
  const named = typeof files === 'string' || files instanceof Uint8Array ? { 'm.yaml': files } : files
  return inFolder(named, (dir) =>
    loadManifests({
      files: findManifestFiles(dir, ['.']).files,
      kinds,
      variables: {},
      env: {},
      projectDir: dir,
      displayBase: dir,
      ...settings,
    }),
  )
}

/** `SVC1101 3:5 message` for each, with the file where it is not `m.yaml`. */
export function brief(problems: readonly Problem[]): string[] {
  return problems.map(({ code, severity, place, message }) => {
    const file = place === undefined || place.file === 'm.yaml' ? '' : `${place.file}:`
    const at = place === undefined ? '' : `${file}${place.line}:${place.column} `
    return `${severity === 'warning' ? 'warning ' : ''}${code} ${at}${message}`
  })
}

/** Everything that a person sees of the problems. */
export function shownText({ problems, sources }: Pick<LoadResult, 'problems' | 'sources'>): string {
  return problems
    .map((problem) => `${brief([problem])[0]}\n${codeFrame(problem, sources) ?? ''}\n${problem.hint ?? ''}`)
    .join('\n')
}

/** The items by section key, as plain data. */
export function itemsOf(result: LoadResult): Record<string, unknown[]> {
  const items: Record<string, unknown[]> = {}
  for (const { section, item } of result.declarations) {
    items[section.key] ??= []
    items[section.key]?.push(JSON.parse(JSON.stringify(item)))
  }
  return items
}
