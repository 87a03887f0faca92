// Guards and policies of the applying side: whoever can write the file can write its verdicts.

import { administratorsIn, holdsAccess, noAccess } from '@svcsync/core/access/describe-access.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import type { Stock } from '@svcsync/core/compare/stock.ts'
import type { Allowance } from '@svcsync/core/guards/allowances.ts'
import type { CommitHistory, Facts, Promotion, Verdict } from '@svcsync/core/guards/guard.ts'
import { judgeGuards } from '@svcsync/core/guards/judge-guards.ts'
import { rejudge } from '@svcsync/core/guards/rejudge.ts'
import { byAddress, normaliserOf } from '@svcsync/core/model/address.ts'
import { keyedElement } from '@svcsync/core/model/elements.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { calendarDay } from '@svcsync/core/model/time-bounds.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { ActingApplication } from '@svcsync/core/plan/plan-document.ts'
import { executableChanges } from '@svcsync/core/plan/rest-on-unread.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { formatPlace, RefusedError } from '@svcsync/errors/index.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import type { OpenedTarget } from '../open/open-target.ts'
import { collectFacts } from '../plan/guard-facts.ts'

interface RecomputedPlan {
  readonly plan: Omit<Plan, 'guards'>
  readonly observation: Observation
  readonly stocks: readonly Stock[]
  readonly application: ActingApplication
  readonly nowMs: number
  readonly history?: CommitHistory | undefined
  readonly promotion?: Promotion | 'takes-back' | undefined
  readonly allow?: readonly Allowance[] | undefined
}

/** Sends no request, since everything was read for the steps or beside them. */
export async function judgeSavedPlan(
  saved: SavedPlan,
  opened: OpenedTarget,
  { plan, observation, stocks, application, nowMs, history, promotion, allow: allowances = [] }: RecomputedPlan,
): Promise<readonly Verdict[]> {
  const { project } = opened
  // In the order in which a plan has them: verdicts follow it.
  const sent = executableChanges(plan.changes, plan.steps)
  const changes = [...sent, ...unchanged(plan.changes, observation)].sort(byAddress)
  const facts = await collectFacts({
    ...{ plan, changes, project, observation, stocks, history, promotion, manifests: undefined },
    listed: new Map(Object.entries(saved.saved.listed)),
    acting: () => keyedElement({ svcId: application.svcId }, normaliserOf(project.target.svcIds)),
    administratorsGained: () => gainedIn(saved, project.kinds),
  })
  const own = judgeGuards(facts, allowances)
  const policies = await judgeByTargetPolicies(
    saved,
    opened,
    { plan: { ...plan, changes: sent }, observation, nowMs },
    allowances,
  )
  return rejudge(saved.guards, [...own, ...policies], allowances)
}

/** Membership was not read again: the plan tells it. */
function gainedIn({ access }: SavedPlan, kinds: readonly Kind[]): Exclude<Facts['administratorsGained'], null> {
  const notTold = { notTold: 'The saved plan does not list everybody who would become Administrator.' }
  if (access === undefined || access.mode === 'none') return notTold
  const found = administratorsIn(access, kinds)
  // They come first: where there is anybody else among those that are listed, all of them are.
  const isCut = (event: 'gained' | 'unknown'): boolean =>
    access.more[event] > 0 &&
    access[event].filter(({ subject }) => subject !== null).every((each) => found.includes(each))
  return isCut('gained') || isCut('unknown') ? notTold : found
}

/** Objects read beside those of the plan: the plan leaves them alone. */
function unchanged(changes: readonly Change[], { desired, live }: Observation): Change[] {
  const planned = new Set(changes.map(({ address }) => address))
  return desired.flatMap((object): Change[] => {
    const found = live.objects.get(object.address)
    if (planned.has(object.address) || found === undefined) return []
    const { address } = object
    return [{ address, action: 'none', desired: object, live: found, fields: [], collections: [], unverifiable: [] }]
  })
}

async function judgeByTargetPolicies(
  { saved, access, guards }: SavedPlan,
  { policies = [], project }: OpenedTarget,
  { plan: { changes }, observation: { desired }, nowMs }: Pick<RecomputedPlan, 'plan' | 'observation' | 'nowMs'>,
  allowances: readonly Allowance[],
): Promise<readonly Verdict[]> {
  if (policies.length === 0) return []
  const { accountKinds, checkDesired, checkChanges } = await import('@svcsync/policies/index.ts')
  const { name, baseUrl } = project.target
  const context = {
    accounts: new Map([...Object.entries(saved.declaredAs), ...accountKinds(desired)]),
    target: { name, baseUrl },
    today: calendarDay(nowMs, project.settings.timeZone),
    access: () => access ?? noAccess('none'),
  }
  const planned = changes.flatMap((change) => (change.desired === undefined ? [] : [change.desired]))
  const broken = checkDesired(policies, planned, context).filter(({ severity }) => severity === 'error')
  if (broken.length > 0)
    throw new RefusedError('SVC2128', 'Policies of this project refuse what the plan declares: nothing was written', {
      reasons: broken.map(({ address, message, place }) => {
        return `${address}: ${message}${place === undefined ? '' : ` at ${formatPlace(place)}`}`
      }),
      hint: 'Correct the manifests, plan again, and have that plan reviewed.',
    })
  const { verdicts } = checkChanges(policies, changes, context, allowances)
  return [...verdicts, ...notAsked(policies, guards, access)]
}

/** Access was read for the plan, and is not read again: a policy on it that the plan did not run refuses. */
function notAsked(
  policies: NonNullable<OpenedTarget['policies']>,
  guards: SavedPlan['guards'],
  access: SavedPlan['access'],
): Verdict[] {
  if (access !== undefined && access.mode !== 'none' && !holdsAccess(access)) return []
  const asked = new Set<string>(guards.map(({ guard }) => guard))
  return policies.flatMap(({ name, on, level }): Verdict[] => {
    if (on !== 'access' || level !== 'deny' || asked.has(`policy/${name}`)) return []
    const sentence = 'It judges access, and is newer than the plan: plan again.'
    return [{ guard: `policy/${name}`, verdict: 'refused', sentence, numbers: {}, addresses: [] }]
  })
}
