// Allowances that let nothing pass.
import { type Allowance, idleAllowances } from '../core/guards/allowances.ts'
import type { Verdict } from '../core/guards/guard.ts'
import type { Console } from './console.ts'

/** Says which allowances let nothing pass: a slip of writing, or left over. */
export function noteIdle(allowances: readonly Allowance[], verdicts: readonly Verdict[], console: Console): void {
  for (const { allowance, hint } of idleAllowances(allowances, verdicts)) {
    console.note(
      `warning SVC2072  \`--allow ${allowance.guard}=${allowance.value}\` allows nothing in this plan. ${hint}`,
    )
  }
}
