import type { Problem } from './problem.ts'
import { SvcsyncError } from './svcsync-error.ts'

/** What the manifests or the project file say cannot be used. Carries every problem that was found, in order of place. */
export class AuthorError extends SvcsyncError {
  readonly actor = 'author'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error').length
    super('SVC1000', errors === 1 ? '1 problem in the manifests' : `${errors} problems in the manifests`)
    this.problems = problems
  }
}
