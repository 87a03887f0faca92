// The manifest files of a project: those of all targets, and those with which one target overrides them.
import { type FoundFiles, findManifestFiles } from '../manifests/index.ts'
import type { Project } from './project.ts'

export interface ProjectFiles extends FoundFiles {
  /** Of the target: what they say takes the place of what `files` say. */
  readonly overrides: readonly string[]
  /** Of other targets. */
  readonly others: readonly string[]
}

/** A file that a target names under `overrides` is no manifest of all targets, also where it lies among them. */
export function findProjectFiles(project: Project): ProjectFiles {
  const { dir, manifests, manifestPlaces, overrides, overridesOfOthers } = project
  const found = findManifestFiles(dir, manifests, (index) => manifestPlaces[index])
  const patterns = overrides.map(({ pattern }) => pattern)
  const own = findManifestFiles(dir, patterns, (index) => overrides[index]?.place)
  // What is wrong with the patterns of another target is said when it is the target.
  const others = findManifestFiles(dir, overridesOfOthers).files.filter((file) => !own.files.includes(file))
  const apart = new Set([...own.files, ...others])
  return {
    ...found,
    files: found.files.filter((file) => !apart.has(file)),
    problems: [...found.problems, ...own.problems],
    emptyFolders: [...found.emptyFolders, ...own.emptyFolders],
    overrides: own.files,
    others,
  }
}
