// Looks for the project file from a folder upwards.
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const projectFileNames = ['svcsync.yaml', 'svcsync.yml'] as const

/** Absolute path of the nearest project file. Undefined: there is none up to the root. */
export function findProject(startDir: string): string | undefined {
  let dir = resolve(startDir)
  for (;;) {
    for (const name of projectFileNames) {
      const file = join(dir, name)
      if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
    }
    const parent = dirname(dir)
    if (parent === dir) return undefined
    dir = parent
  }
}
