// From Node 22 on, node keeps the code that it compiled for the next run: in a folder to which nobody else can write.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import process from 'node:process'

interface KeepsCode {
  readonly enableCompileCache?: (folder: string) => unknown
}

/** Only in a safe folder: whoever could write there would run code with the user's credentials. */
export function keepCompiledCode({ HOME = '', XDG_CACHE_HOME = '' }: NodeJS.ProcessEnv): void {
  const { enableCompileCache } = module as KeepsCode
  const user = process.getuid?.()
  if (enableCompileCache === undefined || user === undefined) return
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache')
  if (!isAbsolute(caches)) return
  try {
    const folder = realpathSync(ownFolder(caches))
    if (isOfOneUser(folder, user)) enableCompileCache(folder)
  } catch {
    // There is no home, or it takes no files.
  }
}

/** Only what is missing in a home that is there is made. */
function ownFolder(caches: string): string {
  const own = join(caches, 'svcsync')
  const folder = join(own, 'code')
  for (const each of [caches, own, folder]) {
    try {
      mkdirSync(each, { mode: 0o700 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return folder
}

/** Mode 0700, and no folder above it in which somebody but root could put another in its place. `folder`: real. */
function isOfOneUser(folder: string, user: number): boolean {
  const { uid, mode } = lstatSync(folder)
  if (uid !== user || (mode & 0o077) !== 0) return false
  for (let inner = folder, above = dirname(folder); above !== inner; inner = above, above = dirname(above)) {
    const { uid: owner, mode: open } = lstatSync(above)
    const isSticky = (open & 0o1000) !== 0
    if ((owner !== user && owner !== 0) || ((open & 0o022) !== 0 && !isSticky)) return false
  }
  return true
}
