// A commit with the built program, and a tag of it, made beside what is checked out.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the commit. Throws where git refuses: where there is such a tag, for instance. */
export function tagWithDist(dir: string, tag: string, env: NodeJS.ProcessEnv): string {
  const apart = mkdtempSync(join(tmpdir(), 'svcsync-tag-'))
  // Uses its own index, so that staged changes stay.
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      env: { ...env, GIT_INDEX_FILE: join(apart, 'index') },
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  try {
    git('read-tree', 'HEAD')
    git('add', '--force', '--', 'dist')
    const commit = git('commit-tree', git('write-tree'), '-p', 'HEAD', '-m', `Hold dist, for ${tag}`)
    git('tag', '--no-sign', tag, commit)
    return commit
  } finally {
    rmSync(apart, { recursive: true })
  }
}
