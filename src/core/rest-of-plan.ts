// What is left of a plan that was begun: the steps that a fresh look still finds necessary, held against those that were
// planned. Pure.
import type { FoldSvcId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Json } from './json.ts'
import type { Element, Location } from './kind.ts'
import type { ChangeDocument, DifferenceDocument, PlanDocument, StepDocument } from './plan-document.ts'
import type { Step } from './step.ts'

/** What is known of a step that was begun, before anything is read. */
export type BegunStep = 'done' | 'unchanged' | 'unknown' | 'not-done'

export interface RestOfPlan {
  /** Steps that are left, under their planned ids, in an order in which none comes before what it depends on. */
  readonly steps: readonly Step[]
  /** Ids of steps of which it was not known: they turned out to be carried out. */
  readonly foundDone: readonly string[]
  /** Ids of such that were not. */
  readonly foundNotDone: readonly string[]
  /** Ids of steps that were not begun, and of which nothing is left to do. */
  readonly needless: readonly string[]
  /** Sentences: what is not as the plan, and what was done of it, leave it. Nothing may be written where there are any. */
  readonly discrepancies: readonly string[]
}

export interface FreshPlan {
  readonly document: PlanDocument
  readonly steps: readonly Step[]
}

export function restOfPlan(
  planned: PlanDocument,
  begun: ReadonlyMap<string, BegunStep>,
  fresh: FreshPlan,
  fold: FoldSvcId,
): RestOfPlan {
  const foundDone: string[] = []
  const foundNotDone: string[] = []
  const needless: string[] = []
  const discrepancies: string[] = []
  /** From the ids of the fresh plan to the planned ones. */
  const idOf = new Map<string, string>()
  const freshSteps = stepsAt(fresh.document.steps)
  // Accounts that were deleted have gone from lists that nothing else was done to.
  const gone = new Set(
    planned.steps
      .filter(({ id, verb }) => verb === 'delete' && (begun.get(id) ?? 'not-done') !== 'not-done')
      .map(({ at }) => fold(String((at as Location).name))),
  )
  const changesAt = (changes: readonly ChangeDocument[]) =>
    new Map(changes.map((change) => [change.address, withoutAccounts(change, (svcId) => gone.has(fold(svcId)))]))
  const before = changesAt(planned.changes)
  const now = changesAt(fresh.document.changes)

  for (const [address, steps] of stepsAt(planned.steps)) {
    const left = [...(freshSteps.get(address) ?? [])]
    const stateOf = ({ id }: StepDocument): BegunStep => begun.get(id) ?? 'not-done'
    // A write of which it was not known, and that is still to be sent, has touched nothing.
    const isLeft = (step: StepDocument): boolean => left.some((other) => sentBy(other) === sentBy(step))
    const isTouched = steps.some((step) => {
      const state = stateOf(step)
      return state !== 'not-done' && !(state === 'unknown' && isLeft(step))
    })
    if (!isTouched && liveDigestOf(steps) !== liveDigestOf(left)) {
      const changed = changedBefore(address, before.get(address), now.get(address))
      if (changed.length === 0 && !isSameWrites(steps, left))
        changed.push(`${address}: its live state is not as it was`)
      discrepancies.push(...changed)
      if (changed.length > 0) continue
    }
    const undone: StepDocument[] = []
    for (const step of steps) {
      const index = left.findIndex((other) => sentBy(other) === sentBy(step))
      const [same] = index < 0 ? [] : left.splice(index, 1)
      const state = stateOf(step)
      if (same !== undefined) idOf.set(same.id, step.id)
      if (state === 'unknown') (same === undefined ? foundDone : foundNotDone).push(step.id)
      else if (state === 'not-done' && same === undefined) needless.push(step.id)
      else if (state !== 'not-done' && same !== undefined) undone.push(same)
    }
    if (undone.length > 0 || left.length > 0) {
      discrepancies.push(...changedAfter(address, [...undone, ...left], now.get(address)))
    }
  }
  const steps: Step[] = []
  for (const step of fresh.steps) {
    const id = idOf.get(step.id)
    if (id === undefined) continue
    const stranger = step.dependsOn.find((other) => !idOf.has(other))
    if (stranger !== undefined && discrepancies.length === 0) {
      const other = fresh.steps.find((candidate) => candidate.id === stranger)
      discrepancies.push(`${step.address}: needs ${other?.address ?? 'an object'}, which is not as it was`)
    }
    const renamed = (ids: readonly string[]): string[] => ids.flatMap((other) => idOf.get(other) ?? [])
    steps.push({
      ...step,
      id,
      dependsOn: renamed(step.dependsOn),
      ...(step.follows && { follows: renamed(step.follows) }),
    })
  }
  return { steps, foundDone, foundNotDone, needless, discrepancies }
}

function withoutAccounts(change: ChangeDocument, isGone: (svcId: string) => boolean): ChangeDocument {
  const left = (elements: readonly Element[] = []) => elements.filter(({ svcId }) => !isGone(svcId))
  const differences = change.differences.flatMap((difference): DifferenceDocument[] => {
    if (difference.added === undefined && difference.removed === undefined) return [difference]
    const [added, removed] = [left(difference.added), left(difference.removed)]
    return added.length + removed.length === 0 ? [] : [{ ...difference, added, removed }]
  })
  return { ...change, differences }
}

function stepsAt(steps: readonly StepDocument[]): ReadonlyMap<string, readonly StepDocument[]> {
  const result = new Map<string, StepDocument[]>()
  for (const step of steps) {
    const list = result.get(step.address)
    if (list === undefined) result.set(step.address, [step])
    else list.push(step)
  }
  return result
}

/** What the step sends, wherever it stands in a plan. */
function sentBy({ verb, collection, spec, elements, collections }: StepDocument): string {
  return comparable({ verb, collection, spec, elements, collections })
}

/** Whether a platform tells companies shows in what else it tells: none and not told are the same here. */
function comparable(value: object): string {
  const told = JSON.stringify(value, (key, part: unknown) => (key === 'company' && part === null ? undefined : part))
  return canonicalJson(JSON.parse(told) as Json)
}

function isSameWrites(planned: readonly StepDocument[], found: readonly StepDocument[]): boolean {
  const lines = (steps: readonly StepDocument[]) =>
    steps.map((step) => `${sentBy(step)} ${comparable({ at: step.at })}`)
  return lines(planned).sort().join('\n') === lines(found).sort().join('\n')
}

function liveDigestOf(steps: readonly StepDocument[]): string | undefined {
  return steps[0]?.liveDigest
}

/** An object that nothing was done to yet is not as it was when the plan was made. */
function changedBefore(
  address: string,
  planned: ChangeDocument | undefined,
  fresh: ChangeDocument | undefined,
): string[] {
  if (fresh === undefined && planned?.action === 'update' && planned.differences.length === 0) return []
  if (fresh === undefined) return [`${address}: is as declared already, by somebody else`]
  if (planned?.action !== fresh.action) {
    return [`${address}: was to be ${past(planned?.action)}, and would have to be ${past(fresh.action)} now`]
  }
  const sentences: string[] = []
  const before = new Map(planned.differences.map((difference) => [difference.path, difference]))
  const now = new Map(fresh.differences.map((difference) => [difference.path, difference]))
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    const [old, recent] = [before.get(path), now.get(path)]
    if (old === undefined) sentences.push(`${address}: ${path}: was as declared, and is ${liveOf(recent)} now`)
    else if (recent === undefined) sentences.push(`${address}: ${path}: was ${liveOf(old)}, and is as declared now`)
    else if (withoutPlace(old) !== withoutPlace(recent)) {
      sentences.push(`${address}: ${path}: was ${liveOf(old)}, and is ${liveOf(recent)} now`)
    }
  }
  return sentences
}

/** What was written is not there, or something else is. */
function changedAfter(
  address: string,
  steps: readonly StepDocument[],
  fresh: ChangeDocument | undefined,
): readonly string[] {
  if (fresh?.action === 'create') return [`${address}: was written, and is gone`]
  if (fresh?.action === 'delete') return [`${address}: was deleted, and is there again`]
  const paths = new Set(steps.map(({ collection }) => collection))
  return (fresh?.differences ?? [])
    .filter(({ path, added, removed }) => (added ?? removed) === undefined || paths.has(path) || paths.size === 0)
    .map((difference) => `${address}: ${difference.path}: ${wantedOf(difference)}is ${liveOf(difference)} now`)
}

function past(action: ChangeDocument['action'] | undefined): string {
  return action === undefined ? 'left alone' : action === 'delete' ? 'deleted' : `${action}d`
}

function wantedOf({ after, masked }: DifferenceDocument): string {
  return after === undefined || masked ? '' : `was to be ${canonicalJson(after)}, and `
}

/** What is live, for people. Of a secret nothing. */
function liveOf(difference: DifferenceDocument | undefined): string {
  if (difference === undefined) return 'unknown'
  const { added, removed, masked, before } = difference
  if (added !== undefined || removed !== undefined) {
    const names = (elements: DifferenceDocument['added']) =>
      (elements ?? []).map(({ svcId, level }) => (level === undefined ? svcId : `${svcId} (${level})`)).join(', ')
    const parts = [
      ...(added?.length ? [`without ${names(added)}`] : []),
      ...(removed?.length ? [`with ${names(removed)}`] : []),
    ]
    return parts.join(' and ')
  }
  if (masked) return 'another value'
  return before === undefined ? 'not set' : canonicalJson(before)
}

function withoutPlace({ place: _, ...difference }: DifferenceDocument): string {
  return comparable(difference)
}
