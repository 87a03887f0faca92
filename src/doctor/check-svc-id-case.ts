// Whether the platform tells svcIds apart that differ in case only, and whether the target says the same.
import type { Check } from '../core/plan/doctor-report.ts'
import { check, notChecked } from './make-check.ts'

export interface CaseSeen {
  readonly asked: string
  /** An account was read under its svcId in the other case. */
  readonly isFound: boolean
}

export function checkSvcIdCase(seen: CaseSeen | undefined, target: 'ignore-case' | 'case-sensitive'): Check {
  if (seen === undefined)
    return notChecked('svcid-case', 'No user or group was listed whose svcId could be asked for in another case.')
  const exact = target === 'case-sensitive'
  const how = `\`${seen.asked}\` is ${seen.isFound ? 'the account that is listed in other letters' : 'not found, and is listed in other letters'}`
  if (seen.isFound && exact) {
    return check(
      'svcid-case',
      'warning',
      `The platform takes svcIds in any case, and the target says \`svcIdCase: exact\`: ${how}.`,
      {
        todo: 'Take `svcIdCase` out of the target, or one account may be declared twice.',
      },
    )
  }
  if (!seen.isFound && !exact) {
    return check('svcid-case', 'warning', `The platform tells svcIds apart by case, and the target does not: ${how}.`, {
      todo: 'Write `svcIdCase: exact` into the target, or different accounts pass for one.',
    })
  }
  return check('svcid-case', 'ok', `The target says about the case of svcIds what the platform does: ${how}.`)
}
