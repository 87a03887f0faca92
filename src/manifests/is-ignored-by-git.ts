// Whether git leaves a file out of the repository that it lies in: such a file is nobody's to put into a manifest.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'

/** So that nothing is run but git itself, whatever the repository configures, and whoever owns it. */
const harmless = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.directory=*'].flatMap((each) => [
  '-c',
  each,
])

/** A file that git tracks is none that it ignores. False where there is no repository, or no git. `path`: absolute, real. */
export function isIgnoredByGit(path: string): boolean {
  const dir = dirname(path)
  if (!liesInRepository(dir)) return false
  // Few projects refer to files: all others are spared the loading.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  const args = [...harmless, '-C', dir, 'check-ignore', '--quiet', '--', path]
  return spawnSync('git', args, { env, stdio: 'ignore', timeout: 10_000, windowsHide: true }).status === 0
}

function liesInRepository(folder: string): boolean {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return true
    if (dirname(dir) === dir) return false
  }
}
