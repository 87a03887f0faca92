import { SvcsyncError } from './svcsync-error.ts'

/** Something that svcsync itself promised does not hold: a defect of ours. */
export class InternalError extends SvcsyncError {
  readonly actor = 'svcsync'

  constructor(message: string, cause?: unknown) {
    super('SVC9000', message, {
      cause,
      hint: 'This is a defect in svcsync: please report it with the command that you ran.',
    })
  }
}
