// An account that one list, or one set, names twice at the same time.
import type { Place, Problem } from '../../errors/index.ts'

/** `timed`: one of the two lines has bounds in time. */
export function listedTwice(svcId: string, place: Place, earlier: Place, timed: boolean): Problem {
  return {
    code: 'SVC1307',
    severity: 'error',
    message: `\`${svcId}\` is listed twice${timed ? ', for times that overlap' : ''}`,
    place,
    hint: timed ? 'Remove one of the two, or let one end before the other begins.' : 'Remove one of the two.',
    related: [{ message: 'listed here first', place: earlier }],
  }
}
