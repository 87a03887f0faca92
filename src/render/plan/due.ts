// What a plan of what is due leaves: a sentence that names it, and how to apply it.
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { enumerate } from '../problems/problem-sentences.ts'
import { asCalled } from '../text/as-called.ts'
import { formatCount } from '../text/counts.ts'

const shown = 10

/** Empty: the plan is of all that is declared, or nothing is left. `quote`: how addresses and commands are written. */
export function sayNotDue({ due }: PlanDocument, quote: (text: string) => string = (text) => text): string {
  const { pending = [] } = due ?? {}
  if (pending.length === 0) return ''
  const rest = pending.length - shown
  const names = pending.slice(0, rest > 1 ? shown : undefined).map(quote)
  const list = enumerate(rest > 1 ? [...names, `${rest} more`] : names)
  const is = pending.length === 1 ? 'is' : 'are'
  const all = quote(asCalled('svcsync apply'))
  return `${formatCount(pending.length, 'object')} would change besides, and ${is} left: ${list}. ${all} without --due applies all.`
}
