import { SvcsyncError } from './svcsync-error.ts'

/** The one who runs the command must act: wrong options, credentials, missing files, an unusable target. */
export class OperatorError extends SvcsyncError {
  readonly actor = 'operator'
}

/** The run was refused before the first write: a guard, or a plan that is stale or meant for another target. */
export class RefusedError extends SvcsyncError {
  readonly actor = 'operator'
}
