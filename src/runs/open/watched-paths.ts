// Lists the paths that a validation depends on: a change of them may change the result.
import { dirname, extname, resolve } from 'node:path'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import type { exactCommit } from '@svcsync/ledger/exact-commit.ts'
import { fixedPart } from '@svcsync/manifests/find-by-glob.ts'
import { baselineFile, exceptionsFile } from '@svcsync/project/exceptions.ts'
import { usualPolicyFolder } from '@svcsync/project/load-project.ts'
import type { ReadProject } from './open-project.ts'
import type { Validation } from './validate-run.ts'

interface WatchedPaths {
  /** Absolute, sorted: files, and folders with everything below them. Some of them may not be there yet. */
  readonly paths: readonly string[]
  /** Files below the folders that count, by the end of their names. Undefined: all do. */
  readonly extensions: ReadonlySet<string> | undefined
}

/** `before`: an earlier validation, whose paths still count if the project file is unusable. */
export function watchedPaths(
  {
    parsed,
    opened,
  }: Pick<Validation, 'parsed'> & { readonly opened: readonly Pick<ReadProject, 'project' | 'manifests'>[] },
  before?: WatchedPaths,
): WatchedPaths {
  const paths = new Set([parsed.path])
  if (opened.length === 0) {
    for (const path of before?.paths ?? []) paths.add(path)
    return { paths: [...paths].sort(), extensions: before?.extensions }
  }
  const extensions = new Set(['.yaml', '.yml'])
  for (const { project, manifests } of opened) {
    const patterns = [
      ...project.manifests,
      ...parsed.from,
      ...[...project.overrides, ...project.policies].map(({ pattern }) => pattern),
    ]
    for (const pattern of patterns) {
      const path = resolve(project.dir, plainText(pattern))
      const fixed = fixedPart(path)
      paths.add(fixed)
      if (fixed !== path) extensions.add(extname(path).toLowerCase())
    }
    if (parsed.root?.policies === undefined) paths.add(resolve(dirname(parsed.path), usualPolicyFolder))
    const referred = manifests.files.flatMap(({ lookups }) => lookups.files())
    for (const path of [exceptionsFile(project), baselineFile(project), ...referred]) paths.add(path)
  }
  // A pattern without an ending takes any file.
  const any = extensions.has('') || [...extensions].some((each) => /[*?[\]{}()!]/.test(each))
  return { paths: [...paths].sort(), extensions: any ? undefined : extensions }
}

/** The files that must be as committed for the project to equal that commit. */
export function filesOf(
  opened: Pick<ReadProject, 'project' | 'parsed' | 'manifests' | 'policyFiles' | 'exceptions'>,
): Parameters<typeof exactCommit>[1] {
  const { project, parsed, manifests, policyFiles, exceptions } = opened
  const excepted = [exceptions.file, exceptions.baseline].flatMap((read) => read?.path ?? [])
  // Mounted folders hold secrets, which no commit has.
  const isMounted = (path: string) => project.settings.readFilesFrom.some((folder) => liesWithin(folder, path))
  const referred = manifests.files.flatMap(({ lookups }) => lookups.files())
  const { paths, extensions } = watchedPaths({ parsed, opened: [opened] })
  return {
    files: [
      project.file,
      ...parsed.targetFiles.map(({ path }) => path),
      ...manifests.files.map(({ path }) => path),
      ...policyFiles,
      ...excepted,
      ...referred,
    ].filter((path) => !isMounted(path)),
    roots: paths.filter((path) => !isMounted(path)),
    extensions,
  }
}
