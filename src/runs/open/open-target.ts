// Opens a project for a run that looks at its target and not at its manifests.

import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { loadProject } from '@svcsync/project/load-project.ts'
import type { Project } from '@svcsync/project/project.ts'
import { hasErrors, type OpenOptions, projectFile, type ReadProject } from './open-project.ts'

export type OpenedTarget = Pick<ReadProject, 'project' | 'policies' | 'displayBase' | 'problems' | 'sources'>

/** Throws an OperatorError where there is no project file, and UnusableFiles where there are errors in it. */
export function openTarget(
  options: Pick<OpenOptions, 'project' | 'target' | 'concurrency' | 'addresses' | 'cwd' | 'env' | 'kinds'>,
): OpenedTarget {
  const { cwd, env, kinds, target, concurrency, addresses } = options
  const file = projectFile(options.project, cwd)
  const overrides = { concurrency, addresses }
  const read = loadProject(file, { kinds, env, needCredentials: true, target, displayBase: cwd, overrides })
  const { project, problems, sources } = read
  if (project === undefined || hasErrors(problems)) throw new UnusableFiles(problems, sources)
  return { project, problems, sources, displayBase: cwd }
}

/** Without the environment. Throws UnusableFiles only where nothing can be made of the file. */
export function loadProjectAlone(
  file: string,
  options: Pick<Parameters<typeof loadProject>[1], 'kinds' | 'target' | 'displayBase'>,
): Project {
  const { project, problems, sources } = loadProject(file, { ...options, env: {}, needCredentials: false })
  if (project === undefined) throw new UnusableFiles(problems, sources)
  return project
}
