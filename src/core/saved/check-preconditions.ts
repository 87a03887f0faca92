// Checks that everything is as the plan, and the steps that began, leave it; and finds the remaining steps.
import { formatPlace, inCode, type Problem } from '@svcsync/errors/index.ts'
import { normaliserOf, type SvcIdCase } from '../model/address.ts'
import { hasUnknownLevel, keyedElement, keyedElements } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import type { JsonObject } from '../model/json.ts'
import type { Element, Location } from '../model/kind.ts'
import type { Live, LiveSnapshot } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import { describeChanges, stepDocument } from '../plan/build-plan-document.ts'
import type { Plan } from '../plan/plan.ts'
import { type Digest, documentTexts } from '../plan/plan-digest.ts'
import type { ChangeDocument, PlanDocument, StepDocument } from '../plan/plan-document.ts'
import { type Precondition, type Preconditions, preconditionOf } from '../plan/precondition.ts'
import {
  compareContents,
  comparePreconditions,
  compareRequests,
  remainingDifferences,
} from './compare-preconditions.ts'
import type { Discrepancy } from './plan-refusal.ts'

type BegunStep = 'done' | 'unchanged' | 'unknown' | 'not-done'

interface PlannedWork {
  readonly document: PlanDocument
  readonly preconditions: Preconditions
  /** By the ids of the plan. None: it is carried out from its beginning. */
  readonly begun: ReadonlyMap<string, BegunStep>
}

interface CurrentPlan {
  /** Computed again from what is live now. */
  readonly plan: Omit<Plan, 'guards'>
  readonly observed?: Pick<LiveSnapshot, 'objects' | 'unreadable'> & {
    readonly problems: readonly Problem[]
  }
}

interface CheckSettings {
  readonly digest: Digest
  readonly nowMs: number
  /** The rule for steps whose preconditions cannot be checked. */
  readonly unreadable: 'skip' | 'refuse'
}

interface RemainingPlan {
  /** Any of them: nothing may be written. */
  readonly differences: readonly Discrepancy[]
  /** Under their planned ids, in their order. First those of objects that cannot be read any more: they are skipped. */
  readonly steps: readonly Step[]
  /** Ids of steps of which it was not known: they turned out to be carried out. */
  readonly foundDone: readonly string[]
  /** The others of them. */
  readonly foundNotDone: readonly string[]
  /** Ids of steps of which it was not known, and is not known now: their objects cannot be read any more. */
  readonly unsettled: readonly string[]
  /** Ids of steps that were not begun, and of which nothing is left to do. */
  readonly needless: readonly string[]
}

export function checkPreconditions(planned: PlannedWork, now: CurrentPlan, settings: CheckSettings): RemainingPlan {
  const check = new PreconditionCheck(planned, now, settings)
  return check.result()
}

const isDone = (state: BegunStep): boolean => state === 'done' || state === 'unchanged'

class PreconditionCheck {
  readonly #planned: PlannedWork
  readonly #plan: CurrentPlan['plan']
  readonly #texts: ReturnType<typeof documentTexts>
  readonly #differences: Discrepancy[]
  readonly #since: (address: string) => Discrepancy[]
  readonly #unread: ReadonlySet<string>
  readonly #stepsNow: readonly StepDocument[]
  readonly #changesNow: ReadonlyMap<string, ChangeDocument>
  readonly #liveAt: ReadonlyMap<string, Live | undefined>
  readonly #found = {
    foundDone: [] as string[],
    foundNotDone: [] as string[],
    unsettled: [] as string[],
    needless: [] as string[],
  }
  /** Steps of the plan now that were carried out, although nothing shows it. */
  readonly #settled = new Set<string>()
  readonly #held: Step[] = []
  readonly #idOf = new Map<string, string>()

  constructor(planned: PlannedWork, now: CurrentPlan, settings: CheckSettings) {
    const { plan } = now
    this.#planned = planned
    this.#plan = plan
    this.#texts = documentTexts(planned.preconditions.svcIds)
    this.#differences = [...passedBounds(planned, settings), ...observedDifferences(planned, now, settings)]
    this.#since = differencesSince(planned, plan, settings)
    this.#unread = settings.unreadable === 'skip' ? newlyUnread(plan) : new Set<string>()
    this.#stepsNow = plan.steps.map((step) => stepDocument(step, ''))
    this.#changesNow = new Map(describeChanges(plan.changes).map((change) => [change.address, change]))
    this.#liveAt = new Map(plan.changes.map(({ address, live }) => [address, live]))
  }

  result(): RemainingPlan {
    const { document, begun } = this.#planned
    const steps = groupBy(document.steps, ({ address }) => address)
    const leftAt = groupBy(this.#stepsNow, ({ address }) => address)
    for (const address of [...new Set([...steps.keys(), ...leftAt.keys()])].sort())
      this.#checkObject(address, steps.get(address), leftAt.get(address) ?? [])
    if (this.#differences.length === 0 && begun.size === 0) {
      const now = { steps: this.#stepsNow, changes: [...this.#changesNow.values()] }
      this.#differences.push(...compareContents(document, now, this.#plan, this.#texts, this.#unread))
    }
    const rest = [...this.#held, ...this.#rest()]
    return { differences: this.#differences, steps: rest, ...this.#found }
  }

  #checkObject(address: string, own: readonly StepDocument[] | undefined, planned: readonly StepDocument[]): void {
    if (own === undefined) {
      const remark = 'needs a write now, but the plan has no step for it'
      this.#differences.push({ subject: address, path: '', remark })
      return
    }
    if (this.#unread.has(address)) {
      this.#hold(address, own)
      return
    }
    const isTouched = this.#isTouched(own, planned)
    if (!isTouched) {
      const found = this.#since(address)
      if (found.length === 0) found.push(...compareRequests(address, this.#lines(own), this.#lines(planned)))
      this.#differences.push(...found)
      if (found.length > 0) return
    }
    const change = this.#changesNow.get(address)
    // All that is left to do is to send credentials anew, which nothing live shows to be done.
    const isShownDone = change?.differences.every(({ rotates }) => rotates) === true
    const left = [...planned]
    const undone = own.flatMap((step) => this.#settle(step, this.#takeSame(left, step), isShownDone))
    // Work that was sent along with a visible part would be sent again.
    const others = isShownDone && isTouched ? [] : left
    if (undone.length + others.length > 0)
      this.#differences.push(...remainingDifferences(address, [...undone, ...others], change, this.#texts))
  }

  #hold(address: string, own: readonly StepDocument[]): void {
    const { svcIds } = this.#planned.preconditions
    for (const step of own) {
      const state = this.#stateOf(step)
      if (state === 'unknown') this.#found.unsettled.push(step.id)
      if (!isDone(state)) this.#held.push(skippedStep(step, address, svcIds))
    }
  }

  /** A write of which it was not known, and that is still to be sent, has touched nothing. */
  #isTouched(own: readonly StepDocument[], left: readonly StepDocument[]): boolean {
    return own.some((step) => {
      const state = this.#stateOf(step)
      const isLeft = left.some((other) => this.#sent(other) === this.#sent(step) && !this.#isUnshown(other))
      return state !== 'not-done' && !(state === 'unknown' && isLeft)
    })
  }

  #takeSame(left: StepDocument[], step: StepDocument): StepDocument | undefined {
    const index = left.findIndex((other) => this.#sent(other) === this.#sent(step))
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }

  /** `same`: what the plan now has for the step. Gives it where it was carried out, and would be sent once more. */
  #settle(step: StepDocument, same: StepDocument | undefined, isShownDone: boolean): readonly StepDocument[] {
    const state = this.#stateOf(step)
    if (isShownDone && isDone(state)) return []
    if (same === undefined) {
      if (state === 'unknown') this.#found.foundDone.push(step.id)
      else if (state === 'not-done') this.#found.needless.push(step.id)
      return []
    }
    // Nothing live shows what a privilege does whose level is not told: that it was answered does.
    if (isDone(state) && this.#isUnshown(same)) {
      this.#settled.add(same.id)
      return []
    }
    this.#idOf.set(same.id, step.id)
    if (state === 'unknown') this.#found.foundNotDone.push(step.id)
    return isDone(state) ? [same] : []
  }

  #rest(): readonly Step[] {
    const heldIds = new Set(this.#held.map(({ id }) => id))
    const plannedAt = new Map(this.#planned.document.steps.map((step) => [step.id, step]))
    const renamed = (ids: readonly string[]): string[] => ids.flatMap((other) => this.#idOf.get(other) ?? [])
    return this.#plan.steps.flatMap((step): Step[] => {
      const id = this.#idOf.get(step.id)
      if (id === undefined) return []
      this.#requireKnown(step)
      // The plan tells who depends on an object that is unreadable now.
      const onHeld = plannedAt.get(id)?.dependsOn.filter((other) => heldIds.has(other)) ?? []
      const dependsOn = [...renamed(step.dependsOn), ...onHeld]
      return [{ ...step, id, dependsOn, ...(step.follows && { follows: renamed(step.follows) }) }]
    })
  }

  #requireKnown({ address, dependsOn }: Step): void {
    const stranger = dependsOn.find((other) => !this.#idOf.has(other) && !this.#settled.has(other))
    if (stranger === undefined || this.#differences.length > 0) return
    const other = this.#plan.steps.find((candidate) => candidate.id === stranger)?.address ?? 'an object'
    this.#differences.push({ subject: address, path: '', remark: `needs ${other}, which has changed` })
  }

  #stateOf({ id }: StepDocument): BegunStep {
    return this.#planned.begun.get(id) ?? 'not-done'
  }

  #isUnshown({ address, collection = '' }: StepDocument): boolean {
    const live = this.#liveAt.get(address)
    return (
      live?.asTold?.[collection]?.some((element) => hasUnknownLevel(element, live.kind.collections[collection])) ===
      true
    )
  }

  /** The contents of a step's request, wherever it is in a plan. */
  #sent({ verb, collection, spec, rotates, elements, collections }: StepDocument): string {
    return this.#texts.comparable({ verb, collection, spec, rotates, elements, collections })
  }

  #lines(steps: readonly StepDocument[]): string[] {
    return steps.map((step) => `${step.verb} ${this.#sent(step)} at ${this.#texts.comparable({ at: step.at })}`).sort()
  }
}

/** Addresses of what could be read when the plan was made, and cannot be read now. */
function newlyUnread({ unreadable }: Pick<Plan, 'unreadable'>): ReadonlySet<string> {
  return new Set(unreadable.flatMap(({ address, isNew }) => (isNew ? address : [])))
}

function skippedStep(
  { liveDigest: _, at, spec, elements, collections, ...step }: StepDocument,
  restsOn: string,
  svcIds: SvcIdCase,
): Step {
  const normalise = normaliserOf(svcIds)
  return {
    ...step,
    at: at as Location,
    ...(spec !== undefined && { spec: spec as JsonObject }),
    ...(elements && { elements: elements.map((each) => keyedElement(each, normalise)) }),
    ...(collections && { collections: keyedElements(collections, normalise) }),
    dependsOn: [],
    restsOn,
  }
}

/** Compares the preconditions of untouched objects with the plan's. */
function differencesSince(
  { document, preconditions, begun }: PlannedWork,
  plan: Omit<Plan, 'guards'>,
  settings: CheckSettings,
) {
  const { digest } = settings
  const { comparable } = documentTexts(preconditions.svcIds)
  const normalise = normaliserOf(preconditions.svcIds)
  const before = new Map(preconditions.objects.map(({ address, basis }) => [address, basis]))
  const digests = new Map(document.steps.map(({ address, liveDigest }) => [address, liveDigest]))
  const now = new Map(plan.changes.map((change) => [change.address, change]))
  const unreadable = new Map(plan.unreadable.map(({ address, reason }) => [address, reason]))
  const ownSteps = groupBy(plan.steps, ({ address }) => address)
  // Deleted accounts have left lists that the run did not change otherwise.
  const gone = new Set(
    document.steps
      .filter(({ id, verb }) => verb === 'delete' && (begun.get(id) ?? 'not-done') !== 'not-done')
      .map(({ at }) => normalise(String((at as Location).name))),
  )
  return (subject: string): Discrepancy[] => {
    const told = (remark: string): Discrepancy[] => [{ subject, path: '', remark }]
    const planned = before.get(subject)
    if (planned === undefined || digest([comparable(planned)]) !== digests.get(subject)) {
      return told('the file does not hold its state at planning')
    }
    const change = now.get(subject)
    if (change === undefined) {
      const reason = unreadable.get(subject)
      return told(reason === undefined ? 'no longer has this address' : `could not be read: ${reason}`)
    }
    const [old, found] = [planned, preconditionOf(change, ownSteps.get(subject) ?? [])].map((each) =>
      withoutAccounts(each, ({ svcId }) => svcId !== undefined && gone.has(normalise(svcId))),
    ) as [Precondition, Precondition]
    if (comparable(old) === comparable(found)) return []
    const different = comparePreconditions(subject, old, found, comparable)
    return different.length > 0 ? different : told('its live state has changed')
  }
}

function withoutAccounts(precondition: Precondition, isGone: (element: Element) => boolean): Precondition {
  if (precondition.collections === undefined) return precondition
  const collections = Object.entries(precondition.collections).map(([name, elements]) => [
    name,
    elements.filter((element) => !isGone(element)),
  ])
  return { ...precondition, collections: Object.fromEntries(collections) }
}

/** An entry whose time has begun or ended since is another entry. */
function passedBounds({ document, preconditions, begun }: PlannedWork, { nowMs }: CheckSettings): Discrepancy[] {
  if (begun.size > 0) return []
  const written = new Set(document.steps.map(({ address }) => address))
  return [...document.upcoming, ...preconditions.later]
    .filter(({ address, at }) => written.has(address) && Date.parse(at) <= nowMs)
    .map(({ address, collection, svcId, event, at }) => {
      const verb = event === 'begins' ? 'began' : 'ended'
      return { subject: address, path: collection, remark: `the time of ${inCode(svcId)} ${verb} at ${at}` }
    })
}

/** Differences in a plan that reads only what it needs. */
function observedDifferences(
  { preconditions }: PlannedWork,
  { observed, plan }: CurrentPlan,
  { unreadable: setting }: CheckSettings,
): Discrepancy[] {
  if (observed === undefined) return []
  const { objects, unreadable, problems } = observed
  const beside = (addresses: readonly string[], isNeeded: boolean): Discrepancy[] =>
    addresses.flatMap((subject): Discrepancy[] => {
      const reason = unreadable.get(subject)?.reason
      // Steps that need the account rest on it. Guards must know who is in their lists.
      if (reason !== undefined && isNeeded && setting === 'skip') return []
      if (reason !== undefined) return [{ subject, path: '', remark: `could not be read: ${reason}` }]
      // Accounts of a list under guard have lost it with the list.
      if (!isNeeded || objects.has(subject)) return []
      return [{ subject, path: '', remark: 'was there, and is gone; steps refer to it' }]
    })
  return [
    ...[...problems, ...plan.problems]
      .filter(({ severity }) => severity === 'error')
      .map(({ address, place, message }) => {
        return { subject: address ?? (place === undefined ? 'plan' : formatPlace(place)), path: '', remark: message }
      }),
    ...beside(preconditions.accounts, true),
    ...beside(preconditions.behind, false),
  ]
}
