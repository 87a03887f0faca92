// Exceptions that are about nothing, as far as the manifests tell: what is not declared cannot differ.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import type { Desired } from '../model/desired.ts'
import { type Exception, isAccessException, showException } from '../model/exception.ts'
import { valueAt } from '../model/json.ts'
import { suggestion } from '../model/near-misses.ts'

export function findIdleExceptions(
  desired: readonly Desired[],
  exceptions: readonly Exception[],
  nowMs: number,
): Problem[] {
  const byAddress = new Map(desired.map((object) => [object.address, object]))
  return exceptions.flatMap((each): Problem[] => {
    const warning = { severity: 'warning', place: each.place } as const
    if (each.untilMs <= nowMs) {
      const message = `The exception of ${inCode(showException(each))} is over since ${each.until}`
      return [{ ...warning, code: 'SVC1343', message, hint: 'Remove it, or renew it: what it named is drift again.' }]
    }
    if (isAccessException(each) || each.path === undefined) return []
    const object = byAddress.get(each.address)
    if (object === undefined) {
      const message = `The exception leaves nothing alone: no manifest declares ${inCode(each.address)}`
      const hint = suggestion(each.address, byAddress.keys()) ?? 'Correct the address, or remove the exception.'
      return [{ ...warning, code: 'SVC1347', message, place: each.placeOf('address'), hint }]
    }
    const isDeclared =
      each.entry === undefined
        ? valueAt(object.spec, each.path.split('.')) !== undefined
        : object.collections[each.path] !== undefined
    if (isDeclared) return []
    const what = `${inCode(each.path)} of ${inCode(each.address)}`
    const message = `The exception leaves nothing alone: no manifest declares ${what}`
    const hint = 'svcsync does not manage it: remove the exception.'
    return [{ ...warning, code: 'SVC1347', message, place: each.placeOf('path'), hint }]
  })
}
