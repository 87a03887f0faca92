// The files of a project: those on the disk, or those of a commit, behind the same few questions.
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { readBounded } from './read-bounded.ts'

type TreeEntry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>

/** Paths are absolute. Methods throw errors with the `code` of the system, or errors of svcsync. */
export interface FileTree {
  list(folder: string): readonly TreeEntry[]
  /** True if anything is there; a link counts by itself. */
  exists(path: string): boolean
  /** The entry that links lead to. Undefined: nothing is there. */
  stat(path: string): Pick<TreeEntry, 'isFile' | 'isDirectory'> | undefined
  /** Without links. Throws where there is nothing. */
  realPath(path: string): string
  read(path: string, mostMegabytes: number): ReturnType<typeof readBounded>
  /** Told which files are read next, where that is quicker together. */
  readonly prepare?: (paths: readonly string[]) => void
}

/** As the system would throw it. */
export class SystemError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export const disk: FileTree = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  exists: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  stat: (path) => statSync(path, { throwIfNoEntry: false }),
  realPath: (path) => realpathSync(path),
  read: readBounded,
}
