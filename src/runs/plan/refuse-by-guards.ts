// Stops a run that a guard refuses, with everything that has to be allowed for it to go on.
import type { Verdict } from '../../core/guards/guard.ts'
import { refusals } from '../../core/guards/judge-guards.ts'
import { shellOption } from '../../core/guards/shell-option.ts'
import { RefusedError } from '../../errors/index.ts'

/** Throws a RefusedError where any verdict refuses: all reasons together, and the options that allow them. */
export function refuseByGuards(verdicts: readonly Verdict[]): void {
  const refused = refusals(verdicts)
  if (refused.length === 0) return
  const options = [...new Set(refused.flatMap(({ allow }) => (allow === undefined ? [] : [shellOption(allow)])))]
  const guards = [...new Set(refused.map(({ guard }) => guard))]
  throw new RefusedError('SVC2070', `Refused by ${guards.join(', ')}: nothing was written`, {
    reasons: refused.map(({ guard, sentence }) => `${guard}: ${sentence}`),
    ...(options.length > 0 && { hint: 'If all of this is meant, run again with', options: options.join(' ') }),
  })
}
