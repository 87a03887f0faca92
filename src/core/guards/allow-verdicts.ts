// What is allowed to verdicts that were given before: those of a saved plan.
import { type Allowance, allows } from './allowances.ts'
import type { Verdict } from './guard.ts'

/** Verdicts with what is allowed now besides what was allowed to the plan. */
export function allowVerdicts(verdicts: readonly Verdict[], allowances: readonly Allowance[]): readonly Verdict[] {
  return verdicts.map((verdict) => {
    const { guard, allow } = verdict
    if (verdict.verdict !== 'refused' || allow === undefined) return verdict
    const wanted = allow.slice(guard.length + 1)
    const isAllowed = allowances.some(
      (allowance) =>
        allows(allowance, guard, wanted) || (/^\d+$/.test(wanted) && allows(allowance, guard, Number(wanted))),
    )
    return isAllowed ? { ...verdict, verdict: 'allowed' } : verdict
  })
}
