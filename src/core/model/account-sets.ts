// Named sets of accounts, usable in any list of accounts.
import { inCode, type Place, type Problem } from '@svcsync/errors/index.ts'
import { declaredTwice } from './declaration.ts'
import type { Json } from './json.ts'
import { offsetAt, type Path, type Source } from './source.ts'

export interface AccountSet {
  readonly name: string
  readonly items: readonly Json[]
  readonly source: Source
  readonly place: Place
}

/** The place of the part of a set that `path` leads to. */
export function placeInSet(set: AccountSet, path: Path): Place {
  return set.source.placeAt(offsetAt(set.source, set.items, path))
}

/** A duplicate name is a problem. */
export function addSet(sets: Map<string, AccountSet>, set: AccountSet, problems: Problem[]): void {
  const earlier = sets.get(set.name)
  if (earlier === undefined) {
    sets.set(set.name, set)
    return
  }
  const message = `The set ${inCode(set.name)} is declared twice`
  problems.push(declaredTwice(message, set.place, earlier.place, 'keep one of the two.'))
}

/** `timed`: one of the two lines has bounds in time. */
export function listedTwice(svcId: string, place: Place, earlier: Place, timed: boolean): Problem {
  return {
    code: 'SVC1307',
    severity: 'error',
    message: `${inCode(svcId)} is listed twice${timed ? ', for times that overlap' : ''}`,
    place,
    hint: timed ? 'Remove one of the two, or let one end before the other begins.' : 'Remove one of the two.',
    related: [{ message: 'listed here first', place: earlier }],
  }
}
