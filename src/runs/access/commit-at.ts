// The commit that a question about the past means: one that is named, or the last one up to a day.
import { boundMs, calendarDay } from '@svcsync/core/model/time-bounds.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { commitOf } from '@svcsync/git/commit-tree.ts'
import { askGit } from '@svcsync/git/read-objects.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import type { ReadProject } from '../open/open-project.ts'

/**
 * `ref`: as git knows it. `asOfMs`: dated entries count as of then, the end of the day or the time of the commit.
 * Throws an OperatorError for a day before the first commit, one to come, and one that is none.
 */
export function commitAt(at: string, { project, assembly }: Pick<ReadProject, 'project' | 'assembly'>) {
  const dir = repositoryOf(project.dir)
  if (!/^\d+-\d+-\d+(?:[T ]|$)/.test(at)) return { ref: at, asOfMs: commitTime(dir, at) }
  const { nowMs, timeZone } = assembly.time
  // A commit may be of a day that is yet to come here.
  const latestMs = Math.max(nowMs, commitTime(dir, 'HEAD') ?? nowMs)
  const today = calendarDay(latestMs, timeZone)
  const endMs = /^\d{4}-\d{2}-\d{2}$/.test(at) ? boundMs(at, true, timeZone) : undefined
  if (endMs === undefined) {
    // A tag may look like a day that there is not.
    if (dir !== undefined && commitOf(dir, at) !== undefined) return { ref: at, asOfMs: commitTime(dir, at) }
    throw misdated(`\`--at ${at}\` is no day`, `Write a day like ${today}, or a commit, branch or tag.`)
  }
  if (at > today) throw misdated(`\`--at ${at}\` is yet to come`, `Write ${today} or a day before.`)
  // Seconds, since git reads no date of every year.
  const before = `--min-age=${Math.floor(endMs / 1000) - 1}`
  const ref = dir === undefined ? undefined : askGit(dir, ['rev-list', '-1', '--first-parent', before, 'HEAD'])
  if (ref) return { ref, asOfMs: Math.min(endMs - 1000, latestMs) }
  throw misdated(
    `No commit of the history that is here is from ${at} or before`,
    '`git log --reverse` shows the first one. In a shallow clone, `git fetch --unshallow` brings those before.',
  )
}

function commitTime(dir: string | undefined, ref: string): number | undefined {
  const commit = dir === undefined ? undefined : commitOf(dir, ref)
  if (dir === undefined || commit === undefined) return undefined
  const seconds = askGit(dir, ['log', '-1', '--no-show-signature', '--format=%ct', commit, '--'])
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const misdated = (message: string, hint: string): OperatorError => new OperatorError('SVC2285', message, { hint })
