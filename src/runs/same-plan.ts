// A saved plan against the plan computed again from what is there now: what is not as it was.
import { addressKey, type FoldSvcId } from '../core/address.ts'
import { stepDocument } from '../core/build-plan-document.ts'
import { compareBases, compareSteps } from '../core/compare-basis.ts'
import { liveBasisOf } from '../core/live-basis.ts'
import { makePlan, type Plan } from '../core/plan.ts'
import { basisText } from '../core/plan-digest.ts'
import { type Discrepancy, PlanRefusal } from '../core/plan-refusal.ts'
import type { SavedPlan } from '../core/saved-plan.ts'
import { stepsByAddress } from '../core/step.ts'
import { formatPlace, type Problem } from '../errors/index.ts'
import type { Observation } from '../live/observe.ts'
import { sha256 } from './sha256.ts'

/** What it would take now. What steps only refer to, and what guards look at besides, is no part of it. */
export function planAgain(saved: SavedPlan, { desired, live, prune }: Observation, fold: FoldSvcId) {
  const beside = new Set([...saved.saved.accounts, ...behindOf(saved)])
  const objects = desired.filter(({ address }) => !beside.has(address))
  return makePlan(objects, live, fold, prune)
}

/** The plan computed again; throws a PlanRefusal with everything that keeps it from being the same. */
export function samePlan(
  saved: SavedPlan,
  observation: Observation,
  fold: FoldSvcId,
  nowMs: number,
): Omit<Plan, 'guards'> {
  const plan = planAgain(saved, observation, fold)
  const discrepancies = [
    ...passedBounds(saved, nowMs),
    ...errorsAsDiscrepancies(observation.problems),
    ...missingAccounts(saved, observation, fold),
    ...unreadableBehind(saved, observation, fold),
    ...changedObjects(saved, plan, fold),
  ]
  const digests = new Map(saved.steps.map(({ address, liveDigest }) => [address, liveDigest]))
  const steps = plan.steps.map((step) => stepDocument(step, digests.get(step.address) ?? ''))
  if (discrepancies.length === 0) discrepancies.push(...errorsAsDiscrepancies(plan.problems))
  if (discrepancies.length === 0) discrepancies.push(...compareSteps(saved.steps, steps))
  if (discrepancies.length === 0) return { ...plan, unreadable: [], problems: [] }
  // As many as are listed: an object may differ in several fields.
  const { size } = new Set(discrepancies.map(({ subject }) => subject))
  const what = size === 1 ? 'One thing that the plan rests on is' : `${size} things that the plan rests on are`
  throw new PlanRefusal('SVC2107', `${what} not as when it was made, at ${saved.createdAt}`, discrepancies, {
    hint:
      plan.steps.length === 0 && plan.unreadable.length === 0
        ? 'Nothing was written, and nothing of it is left to do: it may have been applied already.'
        : 'Nothing was written. Plan again, and have that plan reviewed.',
  })
}

/** An entry whose time has begun or ended since is another entry. */
function passedBounds({ upcoming, saved }: SavedPlan, nowMs: number): Discrepancy[] {
  const addresses = new Set(saved.objects.map(({ address }) => address))
  return upcoming
    .filter(({ address, at }) => addresses.has(address) && Date.parse(at) <= nowMs)
    .map(({ address, collection, svcId, event, at }) => {
      const verb = event === 'begins' ? 'began' : 'ended'
      return { subject: address, path: collection, remark: `the time of \`${svcId}\` ${verb} at ${at}` }
    })
}

function errorsAsDiscrepancies(problems: readonly Problem[]): Discrepancy[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ address, place, message }) => {
      return { subject: address ?? (place === undefined ? 'plan' : formatPlace(place)), path: '', remark: message }
    })
}

function missingAccounts({ saved }: SavedPlan, { desired, live }: Observation, fold: FoldSvcId): Discrepancy[] {
  return saved.accounts.flatMap((address): Discrepancy[] => {
    const account = desired.find((object) => object.address === address)
    const key = account && addressKey(address, account.kind.comparesBy, fold)
    if (key !== undefined && live.objects.has(key)) return []
    const reason = key === undefined ? undefined : live.unreadable.get(key)?.reason
    const remark = reason === undefined ? 'was there, and is gone; steps refer to it' : `could not be read: ${reason}`
    return [{ subject: address, path: '', remark }]
  })
}

/** Files of before guards were asked again name none. */
export function behindOf({ saved }: SavedPlan): readonly string[] {
  return saved.behind ?? []
}

/** What is gone is no matter of its own: whoever was in it has lost it already. */
function unreadableBehind(saved: SavedPlan, { desired, live }: Observation, fold: FoldSvcId): Discrepancy[] {
  const behind = new Set(behindOf(saved))
  return desired.flatMap(({ address, kind }): Discrepancy[] => {
    const reason = behind.has(address)
      ? live.unreadable.get(addressKey(address, kind.comparesBy, fold))?.reason
      : undefined
    return reason === undefined ? [] : [{ subject: address, path: '', remark: `could not be read: ${reason}` }]
  })
}

function changedObjects({ saved, steps }: SavedPlan, plan: Omit<Plan, 'guards'>, fold: FoldSvcId): Discrepancy[] {
  const changes = new Map(plan.changes.map((change) => [change.address, change]))
  const unreadable = new Map(plan.unreadable.map(({ address, reason }) => [address, reason]))
  const digests = new Map(steps.map(({ address, liveDigest }) => [address, liveDigest]))
  const own = stepsByAddress(plan.steps)
  return saved.objects.flatMap(({ address, basis }): Discrepancy[] => {
    const change = changes.get(address)
    if (change === undefined) {
      const reason = unreadable.get(address)
      const remark = reason === undefined ? 'is not found under this address any more' : `could not be read: ${reason}`
      return [{ subject: address, path: '', remark }]
    }
    const found = liveBasisOf(change, own.get(address) ?? [], fold)
    const different = compareBases(address, basis, found, fold)
    if (different.length > 0 || sha256([basisText(found, fold)]) === digests.get(address)) return different
    return [{ subject: address, path: '', remark: 'its live state has another digest than in the plan' }]
  })
}
