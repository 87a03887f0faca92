// The project file as written: parsed and checked by its schema, before svcsync reads a target.
import { resolve } from 'node:path'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { offsetAt } from '@svcsync/core/model/source.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import type { LoadOptions } from '@svcsync/manifests/load-manifests.ts'
import { readDocument } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import { type MappingShape, type MapShape, mappingShapeOf, mapShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { projectSchemaOf, targetsSchemaOf } from './project-schema.ts'
import { checkWaves } from './select-targets.ts'
import { type ProjectText, readTargetFiles, targetsFrom, withTargetFiles } from './target-files.ts'

export interface ParsedProject {
  readonly path: string
  /** Undefined: nothing can be made of the file. */
  readonly root: JsonObject | undefined
  /** Undefined: it cannot be read. */
  readonly source: TextSource | undefined
  /** The targets in files of their own, see ProjectText. */
  readonly elsewhere: ProjectText['elsewhere']
  readonly targetFiles: ReturnType<typeof readTargetFiles>
  /** The files of `targets.from`. */
  readonly from: readonly string[]
  readonly problems: readonly Problem[]
  readonly kinds: readonly Kind[]
}

/** The same kinds have the same project file: who opens several projects works it out once. */
const known = new WeakMap<readonly Kind[], { readonly project: MappingShape; readonly targets: MapShape }>()

/** By file as shown in places. */
export function sourcesOf({ source, targetFiles }: Pick<ParsedProject, 'source' | 'targetFiles'>) {
  const all = [...(source === undefined ? [] : [source]), ...targetFiles.map((each) => each.source)]
  return new Map(all.map((each) => [each.file, each]))
}

/** `previous`: given again where the file says the same. */
export function parseProject(
  file: string,
  { kinds, displayBase, tree }: Pick<LoadOptions, 'kinds' | 'displayBase' | 'tree'>,
  previous?: ParsedProject,
): ParsedProject {
  const path = resolve(file)
  const source = readText(path, shownPath(path, displayBase), tree)
  const nothing = { root: undefined, source: undefined, elsewhere: new Map(), targetFiles: [], from: [] }
  if (!isSource(source)) {
    const missing: Problem =
      source.code === 'SVC1001'
        ? { ...source, code: 'SVC1502', place: undefined, hint: 'Check the path: it is the project file.' }
        : source
    return { path, ...nothing, problems: [missing], kinds }
  }
  const find = { path, displayBase, tree }
  const isSame = previous?.path === path && previous.kinds === kinds && isAsRead(previous.source, source)
  if (isSame && hasSameTargets(previous, find)) return previous
  const problems: Problem[] = []
  const kind = { root: 'the project file', begins: '`version: 1`', code: 'SVC1501' } as const
  const shapes = getOrInsert(known, kinds, () => ({
    project: mappingShapeOf(projectSchemaOf(kinds), []),
    targets: mapShapeOf(targetsSchemaOf(kinds)),
  }))
  const read = readDocument(source, path, shapes.project, kind, problems)
  if (read === undefined) return { path, ...nothing, source, problems, kinds }
  const from = targetsFrom(read)
  const place = source.placeAt(offsetAt(source, read, ['targets', 'from']))
  const targetFiles = readTargetFiles(from, place, find, problems)
  const { root, elsewhere } = withTargetFiles(read, source, targetFiles, shapes.targets, problems)
  // A target that cannot be read may be the one that a wave is for.
  if (problems.every(({ severity }) => severity !== 'error')) checkWaves(root, source, problems)
  return { path, root, source, elsewhere, targetFiles, from, problems, kinds }
}

function isAsRead(before: TextSource | undefined, now: TextSource): boolean {
  return before?.file === now.file && before.text === now.text
}

/** True if the files of targets are unchanged. */
function hasSameTargets({ from, targetFiles }: ParsedProject, find: Parameters<typeof readTargetFiles>[2]): boolean {
  const problems: Problem[] = []
  const now = readTargetFiles(from, { file: '', line: 1, column: 1 }, find, problems)
  const isSame = ({ path, source }: ParsedProject['targetFiles'][number], index: number): boolean =>
    now[index]?.path === path && isAsRead(source, now[index].source)
  return problems.length === 0 && now.length === targetFiles.length && targetFiles.every(isSame)
}
