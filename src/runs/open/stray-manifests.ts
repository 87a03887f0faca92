// Manifests that lie beside the project file, where nothing looks for them: whoever put them there takes them for read.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { readBounded } from '@svcsync/files/read-bounded.ts'
import { findProjectFiles } from '@svcsync/project/find-project.ts'
import type { ReadProject } from './open-project.ts'

const mostFiles = 200

/** `known`: files that were read, as shown in places. */
export function strayManifests(
  { project, displayBase }: ReadProject,
  kinds: readonly Kind[],
  known: ReadonlyMap<string, unknown>,
): Problem[] {
  const found = findProjectFiles(project)
  const others = new Set([...found.others, ...found.elsewhere])
  const keys = new Set(['database', 'sets', ...kinds.flatMap(({ sections }) => sections.map(({ key }) => key))])
  const beside = namesIn(project.dir)
    .filter((name) => /^[^.].*\.ya?ml$/i.test(name))
    .map((name) => join(project.dir, name))
    .filter((path) => !known.has(shownPath(path, displayBase)) && !others.has(path))
  return beside
    .slice(0, mostFiles)
    .filter((path) => holdsSections(path, keys))
    .map((path) => ({
      code: 'SVC1001',
      severity: 'warning',
      message: `${inCode(shownPath(path, displayBase))} looks like a manifest, but is not read`,
      hint: 'Move it into a folder that `manifests` of the project file lists, or list it there.',
    }))
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch {
    return []
  }
}

/** What else has keys of the same names, such as the tenant of an emulator, has others besides. */
function holdsSections(path: string, keys: ReadonlySet<string>): boolean {
  const content = readBounded(path, 1)
  if (!Buffer.isBuffer(content)) return false
  const top = [...content.toString().matchAll(/^["']?([A-Za-z][\w-]*)["']?\s*:/gm)].map(([, key = '']) => key)
  return (
    top.some((key) => key !== 'database' && keys.has(key)) && top.every((key) => keys.has(key) || key.startsWith('x-'))
  )
}
