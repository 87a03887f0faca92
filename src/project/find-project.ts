// Looks for the project file from a folder upwards, and for the manifest files that it names.
import { lstatSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import type { Text } from '@svcsync/core/model/sensitive.ts'
import { OperatorError, type Place } from '@svcsync/errors/index.ts'
import { disk } from '@svcsync/files/file-tree.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { findManifestFiles } from '@svcsync/manifests/find-manifest-files.ts'
import type { Project } from './project.ts'

export const projectFileNames = ['svcsync.yaml', 'svcsync.yml'] as const

interface Ownership {
  /** The user who runs svcsync. Undefined: the system does not number owners. */
  readonly own: number | undefined
  /** The owners of the path itself, link or not, and of the path it leads to. */
  ownersOf(path: string): readonly number[]
}

const system: Ownership = {
  own: process.getuid?.(),
  ownersOf: (path) => [lstatSync(path).uid, statSync(path).uid],
}

const root = 0

/** Up to the root of the repository; outside of one, as far as the folders have one owner. */
export function findProject(startDir: string, ownership: Ownership = system): string | undefined {
  const start = resolve(startDir)
  const top = repositoryOf(start)
  for (let dir = start; ; dir = dirname(dir)) {
    for (const name of projectFileNames) {
      const file = join(dir, name)
      if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue
      refuseForeign(file, start, ownership)
      return file
    }
    const parent = dirname(dir)
    const isTop = top === undefined ? !hasSameOwner(parent, start, ownership) : dir === top
    if (isTop || parent === dir) return undefined
  }
}

function hasSameOwner(dir: string, other: string, { own, ownersOf }: Ownership): boolean {
  return own === undefined || ownersOf(dir).at(-1) === ownersOf(other).at(-1)
}

/** A job in a container often runs as somebody else than the one who owns the folder: that one is trusted with it. */
function refuseForeign(file: string, start: string, { own, ownersOf }: Ownership): void {
  if (own === undefined) return
  const trusted = new Set([own, root, ...ownersOf(start)])
  if (ownersOf(file).every((owner) => trusted.has(owner))) return
  throw new OperatorError('SVC2150', `The project file ${file} belongs to another user`, {
    hint: 'It decides where the credentials go. If you trust it, name it with --project.',
  })
}

/** A file that a target names under `overrides` is no manifest of all targets, also where it lies among them. */
export function findProjectFiles(project: Project, tree = disk) {
  const { dir, manifests, manifestPlaces, overrides, overridesOfOthers } = project
  const find = (patterns: readonly Text[], placeOf?: (index: number) => Place | undefined) =>
    findManifestFiles(dir, patterns, placeOf, undefined, tree)
  const found = find(manifests, (index) => manifestPlaces[index])
  const patterns = overrides.map(({ pattern }) => pattern)
  const own = find(patterns, (index) => overrides[index]?.place)
  // Mistakes in the patterns of another target are reported when that target is chosen.
  const others = find(overridesOfOthers).files.filter((file) => !own.files.includes(file))
  const apart = new Set([...own.files, ...others])
  const reviews = reviewsFolder(project)
  return {
    ...found,
    // A review of access says what people can do, and declares nothing.
    files: found.files.filter((file) => !apart.has(file) && !liesWithin(reviews, file)),
    problems: [...found.problems, ...own.problems],
    emptyFolders: [...found.emptyFolders, ...own.emptyFolders],
    overrides: own.files,
    others,
    // Some may be of this target, too.
    elsewhere: find(project.manifestsOfOthers).files,
  }
}

export function reviewsFolder({ dir }: Pick<Project, 'dir'>): string {
  return join(dir, 'access-reviews')
}
