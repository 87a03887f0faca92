// Puts the guards and the policies to a plan that is made.
import { type AccessDocument, administratorsIn } from '@svcsync/core/access/describe-access.ts'
import { type Allowance, idleAllowances } from '@svcsync/core/guards/allowances.ts'
import { judgeGuards } from '@svcsync/core/guards/judge-guards.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { carriedOut } from '@svcsync/core/plan/rest-on-unread.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { judgeByPolicies, judgeByStanding } from '../open/with-policies.ts'
import { collectFacts, type FactSource } from './guard-facts.ts'

interface Judging extends Pick<FactSource, 'observation' | 'history' | 'promotion' | 'stocks' | 'acting'> {
  readonly allowances: readonly Allowance[]
  readonly kinds: readonly Kind[]
  readonly access: () => AccessDocument
  readonly standing: Parameters<typeof judgeByStanding>[1]
}

/** `acting`: asked only where something is taken. `problems`: warnings of policies and idle allowances. */
export async function judgePlan(
  plan: Omit<Plan, 'guards'>,
  opened: OpenedProject,
  { allowances, kinds, access, standing, ...known }: Judging,
): Promise<Pick<Plan, 'guards' | 'problems'>> {
  const changes = carriedOut(plan.changes, plan.steps)
  const facts = await collectFacts({
    ...{ ...known, plan, changes, project: opened.project, manifests: opened, listed: new Map() },
    administratorsGained: () => administratorsIn(access(), kinds),
  })
  const policies = await judgeByPolicies(opened, changes, allowances, access)
  const stands = await judgeByStanding(opened, standing, allowances)
  const guards = [...judgeGuards(facts, allowances), ...policies.verdicts, ...stands.verdicts]
  const idle = idleAllowances(allowances, guards).map(
    ({ allowance, hint }): Problem => ({
      code: 'SVC2072',
      severity: 'warning',
      message: `\`--allow ${allowance.guard}=${allowance.value}\` allows nothing in this plan`,
      hint,
    }),
  )
  return { guards, problems: [...policies.problems, ...stands.problems, ...idle] }
}
