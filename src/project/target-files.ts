// `targets: { from }`: targets in files of their own, among those of the project file, each with its place.
import { dirname, isAbsolute } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { OFFSETS, offsetAt, type Path } from '@svcsync/core/model/source.ts'
import { errorAt, formatPlace, type Place, type Problem } from '@svcsync/errors/index.ts'
import type { FileTree } from '@svcsync/files/file-tree.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { findManifestFiles } from '@svcsync/manifests/find-manifest-files.ts'
import { readDocument } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import type { MapShape } from '@svcsync/manifests/shape.ts'
import { hasReference } from '@svcsync/manifests/template.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'

/** A file with targets, as it was read. */
interface TargetFile {
  /** Absolute. */
  readonly path: string
  readonly source: TextSource
}

/** The project file, and where its targets are written. */
export interface ProjectText {
  readonly root: JsonObject
  readonly source: TextSource
  /** The targets outside the project file, by name. */
  readonly elsewhere: ReadonlyMap<string, Pick<ProjectText, 'root' | 'source'>>
}

/** The pattern under `from`, if there is one. */
export function targetsFrom(root: JsonObject | undefined): readonly string[] {
  const targets = root?.targets
  return isJsonObject(targets) && typeof targets.from === 'string' ? [targets.from] : []
}

interface FindOptions {
  readonly path: string
  readonly displayBase: string
  readonly tree?: FileTree | undefined
}

/** Reads the files that `from`, written at `place`, matches. Mistakes in them, or in the pattern, are reported. */
export function readTargetFiles(
  from: readonly string[],
  place: Place,
  { path, displayBase, tree }: FindOptions,
  problems: Problem[],
): readonly TargetFile[] {
  if (from.some((pattern) => hasReference(pattern) || isAbsolute(pattern) || pattern.split('/').includes('..'))) {
    const hint = 'Name files in the folder of the project, like `targets/*.yaml`.'
    problems.push(errorAt('SVC1501', '`from` names no files of the project', place, hint))
    return []
  }
  const found = findManifestFiles(dirname(path), from, () => place, { noun: 'file of targets', key: 'from' }, tree)
  problems.push(...found.problems)
  tree?.prepare?.(found.files)
  return found.files.flatMap((file) => {
    const read = readText(file, shownPath(file, displayBase), tree)
    if (isSource(read)) return [{ path: file, source: read }]
    problems.push(read)
    return []
  })
}

/** The project with all its targets: what it says under `from` gives way to what the files say. */
export function withTargetFiles(
  root: JsonObject,
  source: TextSource,
  files: readonly TargetFile[],
  shape: MapShape,
  problems: Problem[],
): ProjectText {
  const elsewhere = new Map<string, Pick<ProjectText, 'root' | 'source'>>()
  if (targetsFrom(root).length === 0) return { root, source, elsewhere }
  const at = (path: Path, of?: 'key' | 'value') => offsetAt(source, root, path, of)
  const { from: _, ...own } = root.targets as JsonObject
  const targets: Record<string, Json | undefined> = { ...own }
  for (const { path, source: within } of files) {
    const kind = { root: 'the file of targets', begins: 'the name of a target', code: 'SVC1501' } as const
    const read = readDocument(within, path, shape, kind, problems) ?? {}
    for (const [name, target] of Object.entries(read)) {
      const place = within.placeAt(offsetAt(within, read, [name], 'key'))
      const other = elsewhere.get(name)
      const first =
        other !== undefined
          ? other.source.placeAt(offsetAt(other.source, other.root, [name], 'key'))
          : Object.hasOwn(own, name) && source.placeAt(at(['targets', name], 'key'))
      if (first) problems.push(repeatedTarget(name, place, first))
      else {
        targets[name] = target
        elsewhere.set(name, { root: read, source: within })
      }
    }
  }
  // For this file, the contents of another one have the place of `from`.
  const offsets = Object.keys(targets).flatMap((name) => {
    const path = ['targets', elsewhere.has(name) ? 'from' : name]
    return [at(path, 'key'), at(path)]
  })
  const whole = Object.assign(targets, { [OFFSETS]: [at(['targets']), ...offsets] })
  return { root: { ...root, targets: whole }, source, elsewhere }
}

function repeatedTarget(name: string, place: Place, first: Place): Problem {
  return errorAt(
    'SVC1301',
    `The target \`${name}\` is declared twice, first at ${formatPlace(first)}`,
    place,
    'Keep one of the two.',
  )
}

/** The place of a value of the project, or of its key. */
export function placeIn(project: ProjectText, path: Path, of?: 'key' | 'value'): Place {
  const { root, source, rest } = findSource(project, path)
  return source.placeAt(offsetAt(source, root, rest, of))
}

/** In which file a value is written, and its path there. */
export function findSource({ root, source, elsewhere }: ProjectText, path: Path) {
  const [first, name] = path
  const other = first === 'targets' && name !== undefined ? elsewhere.get(String(name)) : undefined
  return other === undefined ? { root, source, rest: path } : { ...other, rest: path.slice(1) }
}
