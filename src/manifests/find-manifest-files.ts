// From files, folders and globs to the manifest files they mean.
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { globSync, isDynamicPattern } from 'tinyglobby'
import type { Place, Problem } from '../errors/index.ts'

export interface FoundFiles {
  /** Absolute, sorted, each once. */
  readonly files: readonly string[]
  readonly problems: readonly Problem[]
}

/**
 * Expands `patterns`, which are relative to `baseDir`: a file, a folder (every `*.yaml` and `*.yml` below it, without
 * hidden folders and `node_modules`), or a glob. What is missing or cannot be read is an error: a folder that cannot be
 * listed must never pass for an empty one. `placeOf` gives the place where a pattern was written.
 */
export function findManifestFiles(
  baseDir: string,
  patterns: readonly string[],
  placeOf?: (index: number) => Place | undefined,
): FoundFiles {
  const files = new Set<string>()
  const problems: Problem[] = []
  for (const [index, pattern] of patterns.entries()) {
    const fail = (severity: Problem['severity'], message: string, hint: string) =>
      problems.push({ code: 'SVC1001', severity, message, hint, place: placeOf?.(index) })
    try {
      const found = expand(baseDir, pattern)
      for (const file of found.files) files.add(file)
      if (found.files.length > 0) continue
      if (found.from === 'folder') {
        fail('warning', `The folder \`${pattern}\` holds no manifest`, 'Manifests are files that end in .yaml or .yml.')
      } else {
        fail('error', `No file matches \`${pattern}\``, 'The pattern is relative to the folder of the project file.')
      }
    } catch (error) {
      const code = String((error as { readonly code?: unknown }).code)
      const missing = code === 'ENOENT' || code === 'ENOTDIR'
      const message = missing
        ? `There is no file or folder \`${pattern}\``
        : `\`${pattern}\` cannot be read: the system says ${code}`
      fail('error', message, 'The path is relative to the folder of the project file.')
    }
  }
  return { files: [...files].sort(), problems }
}

function expand(baseDir: string, pattern: string): { files: string[]; from: 'file' | 'folder' | 'glob' } {
  const path = resolve(baseDir, pattern)
  if (isDynamicPattern(pattern) && !exists(path)) {
    const files = globSync(pattern, { cwd: baseDir, absolute: true, onlyFiles: true, expandDirectories: false })
    return { files: files.map((file) => resolve(file)), from: 'glob' }
  }
  if (!statSync(path).isDirectory()) return { files: [path], from: 'file' }
  const files: string[] = []
  collect(path, files, new Set())
  return { files, from: 'folder' }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Throws where a folder cannot be listed. A link to a folder is followed once. */
function collect(folder: string, files: string[], visited: Set<string>): void {
  const real = realpathSync(folder)
  if (visited.has(real)) return
  visited.add(real)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    const isManifest = /\.ya?ml$/i.test(entry.name)
    const linked = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry
    if (linked?.isDirectory()) collect(path, files, visited)
    else if (isManifest) files.push(path)
  }
}
