// Puts the guards to a plan: gathers what they look at, and asks the platform as whom it writes where that matters.

import { aftermathOf } from '../../core/access/aftermath.ts'
import type { AccessDocument } from '../../core/access/describe-access.ts'
import { type Allowance, idleAllowances } from '../../core/guards/allowances.ts'
import type { GuardFacts } from '../../core/guards/guard.ts'
import { judgeGuards, takesAway } from '../../core/guards/judge-guards.ts'
import type { Declaration } from '../../core/model/declaration.ts'
import { writtenFor } from '../../core/model/desired.ts'
import type { PlatformPort } from '../../core/model/platform-port.ts'
import { fieldsOf } from '../../core/model/schema-fields.ts'
import { describeChanges, overwrittenIn } from '../../core/plan/build-plan-document.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { carriedOut } from '../../core/plan/rest-on-unread.ts'
import type { Problem } from '../../errors/index.ts'
import type { Project } from '../../project/project.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { judgeByPolicies } from '../open/with-policies.ts'
import { readActingAccount } from './acting-application.ts'

interface KnownFacts extends Pick<GuardFacts, 'totals' | 'administratorsGained' | 'history' | 'stocks'> {
  readonly allowances: readonly Allowance[]
  /** What the policies are told of it. */
  readonly access: () => AccessDocument
}

/**
 * One request more than the plan took, and only where something is taken from somebody. `problems`: warnings of policies, and of allowances
 * that allow nothing here.
 */
export async function judgePlan(
  plan: Omit<Plan, 'guards'>,
  opened: OpenedProject,
  port: PlatformPort,
  { allowances, access, ...known }: KnownFacts,
): Promise<Pick<Plan, 'guards' | 'problems'>> {
  const { project } = opened
  // Where nothing is taken away every guard holds, and nothing has to be worked out.
  const changes = carriedOut(plan.changes, plan.steps)
  const takes = changes.some(takesAway)
  const facts = {
    changes,
    unreadable: plan.unreadable,
    leftOut: leftOut(plan, opened),
    ...known,
    aftermath: aftermathOf(takes ? changes : []),
    acting: takes ? await readActingAccount(port) : undefined,
    ...pruneFacts(plan, opened),
    overwritten: overwrittenBy(plan, project),
  }
  const policies = await judgeByPolicies(opened, changes, allowances, access)
  const own = judgeGuards(facts, { ...project.guards, protect: project.protect }, allowances)
  const guards = [...own, ...policies.verdicts]
  const idle = idleAllowances(allowances, guards).map(
    ({ allowance, hint }): Problem => ({
      code: 'SVC2072',
      severity: 'warning',
      message: `\`--allow ${allowance.guard}=${allowance.value}\` allows nothing in this plan`,
      hint,
    }),
  )
  return { guards, problems: [...policies.problems, ...idle] }
}

/** Where the project wants to know. */
export function overwrittenBy({ base, changes }: Omit<Plan, 'guards'>, { guards }: Pick<Project, 'guards'>) {
  return base && guards.overwrites === 'refuse' ? overwrittenIn(describeChanges(changes, true)) : undefined
}

/** What prune would delete of kinds of which the manifests declare nothing, and which of their folders are empty. */
function pruneFacts({ changes }: Pick<Plan, 'changes'>, { declarations, emptyFolders }: OpenedProject) {
  const undeclaredKinds = new Map<string, number>()
  const pruned = changes.filter(({ action, desired }) => action === 'delete' && desired === undefined)
  for (const { live } of pruned) {
    const name = live?.kind.name ?? ''
    const isDeclared = declarations.some(
      ({ kind, section, item }) => kind.name === name && !section.partial && item.absent !== true,
    )
    if (!isDeclared) undeclaredKinds.set(name, (undeclaredKinds.get(name) ?? 0) + 1)
  }
  return { undeclaredKinds, emptyFolders: pruned.length > 0 ? emptyFolders : [] }
}

/** Declarations with members, owners or privileges that the run does not look at. */
function leftOut({ changes, unreadable }: Pick<Plan, 'changes' | 'unreadable'>, opened: OpenedProject): number {
  if (!changes.some(({ action }) => action === 'delete')) return 0
  const seen = new Set<Declaration>()
  for (const { desired } of changes) for (const each of desired ? writtenFor(desired) : []) seen.add(each)
  const collecting = opened.declarations.filter(
    (declaration) =>
      !seen.has(declaration) &&
      fieldsOf(declaration.section).collections.some(
        ({ field, collection }) =>
          declaration.item[field] !== undefined && declaration.kind.collections[collection]?.of !== 'items',
      ),
  )
  // Those that could not be read are a finding of their own; which declarations they are is not known any more.
  return Math.max(0, collecting.length - unreadable.length)
}
