// The end of a process that still waited for something: said, and never taken for success.
import { OperatorError } from '../errors/index.ts'

/** Undefined: no step can have been carried out yet. */
let writing: { readonly journal: string | undefined } | undefined

/** From now on steps may be carried out. `journal`: as it was named. */
export function noteWriting(journal: string | undefined): void {
  writing = { journal }
}

export class UnfinishedError extends OperatorError {
  constructor() {
    super('SVC2134', 'svcsync came to its end without a result: what it waited for can no longer come', {
      hint: whatNext(),
    })
  }
}

function whatNext(): string {
  if (writing === undefined) {
    return 'Nothing was changed on the platform. If it happens again, please report it with the command that you ran.'
  }
  const { journal } = writing
  return journal === undefined
    ? 'Steps may have been carried out, and there is no report of them. `svcsync plan` reads what is there now.'
    : `Steps may have been carried out. \`svcsync apply --resume ${journal}\` settles what was under way, and goes on.`
}
