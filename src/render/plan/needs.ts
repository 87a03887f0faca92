// Words the secrets that only an apply needs, and the changes that `--due` leaves.
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { enumerateFirst } from '../problems/problem-sentences.ts'
import { asCalled } from '../text/as-called.ts'
import { byCount, formatCount } from '../text/counts.ts'

/** One sentence; empty: everything is there. `who`: `The target prod needs`. */
export function sayNeeds(needs: readonly string[] = [], who = 'Needs'): string {
  if (needs.length === 0) return ''
  return `${who} ${enumerateFirst(needs)} to apply, which ${byCount(needs.length, 'is', 'are')} not here.`
}

/** Empty: the plan is of all that is declared, or nothing is left. */
export function sayNotDue({ due }: PlanDocument): string {
  const { pending = [] } = due ?? {}
  if (pending.length === 0) return ''
  const is = byCount(pending.length, 'is', 'are')
  return `${formatCount(pending.length, 'object')} would change besides, and ${is} left: ${enumerateFirst(pending)}. ${asCalled('svcsync apply')} without --due applies all.`
}
