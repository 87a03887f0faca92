// What is due, as far as guards let it pass: an account of which one refuses something is left as it is, and holds up nobody else.
import type { Verdict } from '@svcsync/core/guards/guard.ts'
import { isAboutWhole } from '@svcsync/core/guards/guards.ts'
import { refusals } from '@svcsync/core/guards/judge-guards.ts'
import { accountsDue } from '@svcsync/core/plan/due.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { RefusedAccount } from '@svcsync/core/plan/plan-document.ts'

type Made = Omit<Plan, 'guards'>

interface DueJudging {
  readonly without: (held: ReadonlySet<string>) => Made
  readonly judge: (plan: Made) => Promise<readonly Verdict[]>
}

/** As it is where guards refuse nothing, count, mean the plan as a whole, or would leave nothing. */
export async function passedDue(plan: Made, { without, judge }: DueJudging): Promise<Made> {
  const refused = refusals(await judge(plan))
  const accounts = accountsDue(plan.changes)
  if (refused.length === 0 || accounts.length < 2 || refused.some(isAboutWhole)) return plan
  const passed = new Set<string>()
  const held: RefusedAccount[] = []
  const planOf = (more: readonly string[]): Made =>
    without(new Set(accounts.filter((key) => !passed.has(key) && !more.includes(key))))
  // By halves: most plans are refused for one of many.
  const take = async (some: readonly string[]): Promise<void> => {
    const verdicts = refusals(await judge(planOf(some)))
    if (verdicts.length === 0) for (const key of some) passed.add(key)
    else if (some.length === 1) held.push({ svcId: some[0] as string, verdicts: verdicts.map(withoutCounts) })
    else {
      const middle = Math.ceil(some.length / 2)
      await take(some.slice(0, middle))
      await take(some.slice(middle))
    }
  }
  await take(accounts)
  if (passed.size === 0) return plan
  const { since = null, pending = [] } = plan.due ?? {}
  return { ...planOf([]), due: { since, pending, refused: held } }
}

const withoutCounts = ({ guard, sentence, addresses, allow }: Verdict): RefusedAccount['verdicts'][number] => ({
  guard,
  sentence,
  addresses,
  ...(allow !== undefined && { allow }),
})
