// What a validation found, for pipelines. Loaded where one of these formats is asked for.

import { cwd } from 'node:process'
import { relativePath } from '@svcsync/files/paths.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { rebasePath, rebaseProblems } from '@svcsync/render/problems/problem-places.ts'
import { firstProblems, mostForMachines } from '@svcsync/render/problems/problem-sentences.ts'
import {
  renderProblemsAzure,
  renderProblemsGithub,
  renderProblemsGitlab,
} from '@svcsync/render/problems/render-problems-for-services.ts'
import { renderProblemsJunit } from '@svcsync/render/problems/render-problems-junit.ts'
import { renderProblemsSarif } from '@svcsync/render/problems/render-problems-sarif.ts'
import { renderProblemsJson } from '@svcsync/render/report/render-json.ts'
import type { Validation } from '@svcsync/runs/open/validate-run.ts'
import type { problemFormats } from '../../program/options.ts'
import { version } from '../../version.ts'

/** In the form that a service reads. */
export function validationAs(format: Exclude<(typeof problemFormats)[number], 'text'>, validation: Validation): string {
  const { problems, sources } = validation
  if (format === 'json') return renderProblemsJson(problems, validation.targets)
  const folder = folderInRepository()
  const rebased = rebaseProblems(firstProblems(problems, mostForMachines), folder)
  const files = [...sources.keys()].map((file) => rebasePath(file, folder))
  // The project file is the first that was read.
  const projectFile = files[0] ?? rebasePath('svcsync.yaml', folder)
  switch (format) {
    case 'github':
      return renderProblemsGithub(rebased)
    case 'gitlab':
      return renderProblemsGitlab(rebased, { projectFile })
    case 'azure':
      return renderProblemsAzure(rebased)
    case 'sarif':
      return renderProblemsSarif(rebased, { version, projectFile })
    case 'junit':
      return renderProblemsJunit(rebased, { projectFile, files })
  }
}

/** The working folder as seen from the repository that holds it, which is what services count paths from. */
export function folderInRepository(): string {
  const top = repositoryOf(cwd())
  return top === undefined ? '' : relativePath(top, cwd())
}
