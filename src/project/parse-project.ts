// The project file as it is written: parsed and checked by its schema, before any target is looked at.

import { resolve } from 'node:path'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import type { LoadOptions } from '@svcsync/manifests/load-manifests.ts'
import { readDocument } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import { type MappingShape, mappingShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { projectSchemaOf } from './project-schema.ts'
import { checkWaves } from './waves.ts'

export interface ParsedProject {
  readonly path: string
  /** Undefined: nothing can be made of the file. */
  readonly root: JsonObject | undefined
  /** Undefined: it cannot be read. */
  readonly source: TextSource | undefined
  readonly problems: readonly Problem[]
  readonly kinds: readonly Kind[]
}

/** The same kinds have the same project file: who opens several projects works it out once. */
const known = new WeakMap<readonly Kind[], MappingShape>()

/** `previous`: given again where the file says the same. */
export function parseProject(
  file: string,
  { kinds, displayBase, tree }: Pick<LoadOptions, 'kinds' | 'displayBase' | 'tree'>,
  previous?: ParsedProject,
): ParsedProject {
  const path = resolve(file)
  const source = readText(path, shownPath(path, displayBase), tree)
  if (!isSource(source)) {
    const missing: Problem =
      source.code === 'SVC1001'
        ? { ...source, code: 'SVC1502', place: undefined, hint: 'Check the path: it is the project file.' }
        : source
    return { path, root: undefined, source: undefined, problems: [missing], kinds }
  }
  const isSame =
    previous?.path === path &&
    previous.kinds === kinds &&
    previous.source?.file === source.file &&
    previous.source.text === source.text
  if (isSame) return previous
  const problems: Problem[] = []
  const kind = { root: 'the project file', begins: '`version: 1`', code: 'SVC1501' } as const
  const root = readDocument(
    source,
    path,
    getOrInsert(known, kinds, () => mappingShapeOf(projectSchemaOf(kinds), [])),
    kind,
    problems,
  )
  if (root !== undefined) checkWaves(root, source, problems)
  return { path, root, source, problems, kinds }
}
