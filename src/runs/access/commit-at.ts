// The commit that a question about the past means: one that is named, or the last one up to a day.
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { runGit } from '@svcsync/git/run-git.ts'
import type { ReadProject } from '../open/open-project.ts'

/** `ref`: as git knows it. Throws an OperatorError for a day before the first commit. */
export function commitAt(at: string, { project }: Pick<ReadProject, 'project'>): { readonly ref: string } {
  const endMs = /^\d{4}-\d{2}-\d{2}$/.test(at) ? boundMs(at, true, project.settings.timeZone) : undefined
  if (endMs === undefined) return { ref: at }
  const dir = repositoryOf(project.dir)
  const before = `--before=${new Date(endMs - 1000).toISOString()}`
  const answer = dir === undefined ? undefined : runGit(dir, ['rev-list', '-1', '--first-parent', before, 'HEAD'])
  const ref = answer?.status === 0 ? answer.stdout.toString().trim() : ''
  if (ref !== '') return { ref }
  throw new OperatorError('SVC2285', `No commit of the history that is here is from ${at} or before`, {
    hint: '`git log --reverse` shows the first one. In a shallow clone, `git fetch --unshallow` brings those before.',
  })
}
