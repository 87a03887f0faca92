// Puts the guards and the policies to a plan that is made.

import { findEndingExceptions } from '@svcsync/core/access/accepted-access.ts'
import { type AccessDocument, administratorsIn } from '@svcsync/core/access/describe-access.ts'
import { type Allowance, unusedAllowances } from '@svcsync/core/guards/allowances.ts'
import type { Verdict } from '@svcsync/core/guards/guard.ts'
import { isAboutWhole } from '@svcsync/core/guards/guards.ts'
import { judgeGuards, refusals } from '@svcsync/core/guards/judge-guards.ts'
import { accessExceptions } from '@svcsync/core/model/exception.ts'
import { accountsOfDue } from '@svcsync/core/plan/due.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { executableChanges } from '@svcsync/core/plan/rest-on-unread.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { judgeByPolicies, judgeStandingAccess } from '../open/with-policies.ts'
import { collectFacts } from './guard-facts.ts'

interface JudgementInput
  extends Pick<Parameters<typeof collectFacts>[0], 'observation' | 'history' | 'promotion' | 'stocks' | 'acting'> {
  readonly allowances: readonly Allowance[]
  readonly access: () => AccessDocument
  readonly standing: Parameters<typeof judgeStandingAccess>[1]
}

/** `acting`: asked only where something is taken. `problems`: warnings of policies and idle allowances. */
export async function judgePlan(
  plan: Omit<Plan, 'guards'>,
  opened: OpenedProject,
  { allowances, access, standing, ...known }: JudgementInput,
): Promise<Pick<Plan, 'guards' | 'problems'>> {
  const changes = executableChanges(plan.changes, plan.steps)
  const facts = await collectFacts({
    ...{ ...known, plan, changes, project: opened.project, manifests: opened, listed: new Map() },
    administratorsGained: () => administratorsIn(access(), opened.project.kinds),
  })
  const policies = await judgeByPolicies(opened, changes, allowances, access)
  const stands = await judgeStandingAccess(opened, standing, allowances)
  const guards = [...judgeGuards(facts, allowances), ...policies.verdicts, ...stands.verdicts]
  const idle = unusedAllowances(allowances, guards).map(
    ({ allowance, hint }): Problem => ({
      code: 'SVC2072',
      severity: 'warning',
      message: `\`--allow ${allowance.guard}=${allowance.value}\` allows nothing in this plan`,
      hint,
    }),
  )
  const exceptions = accessExceptions(opened.exceptions.exceptions)
  const { normalise, time } = opened.assembly
  const ending = exceptions.length === 0 ? [] : findEndingExceptions(access().lost, exceptions, time.nowMs, normalise)
  return { guards, problems: [...policies.problems, ...stands.problems, ...idle, ...ending] }
}

type UnjudgedPlan = Omit<Plan, 'guards'>

interface DueJudgement {
  readonly without: (held: ReadonlySet<string>) => UnjudgedPlan
  readonly judge: (plan: UnjudgedPlan) => Promise<readonly Verdict[]>
}

/** As it is where guards refuse nothing, count, mean the plan as a whole, or would leave nothing. */
export async function passedDue(plan: UnjudgedPlan, { without, judge }: DueJudgement): Promise<UnjudgedPlan> {
  const refused = refusals(await judge(plan))
  const accounts = accountsOfDue(plan.changes)
  if (refused.length === 0 || accounts.length < 2 || refused.some(isAboutWhole)) return plan
  const passed = new Set<string>()
  const held: NonNullable<ApplyReport['refused']>[number][] = []
  const planOf = (more: readonly string[]): UnjudgedPlan =>
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

const withoutCounts = ({ guard, sentence, addresses, allow }: Verdict) => ({
  guard,
  sentence,
  addresses,
  ...(allow !== undefined && { allow }),
})
