// Which commit last touched each line of a file.

import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { relativePath } from '../files/paths.ts'
import { isShallow } from './commit-tree.ts'
import { repositoryOf } from './repository.ts'
import { runGit } from './run-git.ts'

interface LineChange {
  readonly commit: string
  /** ISO 8601, UTC: when it was committed. */
  readonly at: string
}

/**
 * By the number of the line. Nothing where git does not know: outside of a repository, of a file that is not as it was committed, and of
 * lines that are older than what was fetched.
 */
export function lineHistory(file: string): ReadonlyMap<number, LineChange> {
  const path = realpathSync(file)
  const dir = repositoryOf(dirname(path))
  if (dir === undefined) return new Map()
  const name = relativePath(dir, path)
  // The file itself is not asked about: that would run filters which the repository names.
  const committed = runGit(dir, ['cat-file', 'blob', `HEAD:${name}`])
  if (committed.status !== 0 || !isSameText(committed.stdout, readFileSync(path))) return new Map()
  const whole = !isShallow(dir)
  const blamed = runGit(dir, [
    // A commit that the repository would have passed over is one all the same.
    ...['blame', '--porcelain', '--no-textconv', '--ignore-revs-file='],
    ...[...(whole ? ['--root'] : []), 'HEAD', '--', name],
  ])
  return blamed.status === 0 ? linesIn(blamed.stdout.toString(), whole) : new Map()
}

/** Where the checkout writes other ends of lines, the lines are the same. */
function isSameText(a: Buffer, b: Buffer): boolean {
  return a.equals(b) || a.toString('latin1') === b.toString('latin1').replaceAll('\r\n', '\n')
}

function linesIn(porcelain: string, whole: boolean): ReadonlyMap<number, LineChange> {
  const commits = new Map<string, { at?: string; isBoundary?: true }>()
  const lines: (readonly [number, string])[] = []
  let here: { at?: string; isBoundary?: true } = {}
  for (const line of porcelain.split('\n')) {
    // The text of a line of the file.
    if (line.startsWith('\t')) continue
    const [, commit, number] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? []
    if (commit !== undefined) {
      here = commits.get(commit) ?? {}
      commits.set(commit, here)
      lines.push([Number(number), commit])
    } else if (line.startsWith('committer-time ')) here.at = new Date(Number(line.slice(15)) * 1000).toISOString()
    else if (line === 'boundary') here.isBoundary = true
  }
  return new Map(
    lines.flatMap(([number, commit]): [number, LineChange][] => {
      const { at, isBoundary } = commits.get(commit) ?? {}
      return at === undefined || (isBoundary && !whole) ? [] : [[number, { commit, at: at.replace('.000Z', 'Z') }]]
    }),
  )
}
