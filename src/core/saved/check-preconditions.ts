// Checks the preconditions of a plan that is carried on with: whether everything is as the plan, and those of its steps that
// were begun, leave it. What is not comes back as data, and otherwise the steps that are left. Pure.
import { formatPlace, inCode, type Problem } from '../../errors/index.ts'
import { normaliserOf, type SvcIdCase } from '../model/address.ts'
import { isUntold, keyedElement, keyedElements } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import type { JsonObject } from '../model/json.ts'
import type { Element, Location } from '../model/kind.ts'
import type { LiveSnapshot } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import { countChanges, describeChanges, stepDocument, titlesOf, unverifiableIn } from '../plan/build-plan-document.ts'
import type { Plan } from '../plan/plan.ts'
import { type Digest, documentTexts } from '../plan/plan-digest.ts'
import type { ChangeDocument, PlanDocument, StepDocument } from '../plan/plan-document.ts'
import { type Precondition, preconditionOf } from '../plan/precondition.ts'
import type { Preconditions } from '../plan/preconditions.ts'
import { comparePreconditions } from './compare-preconditions.ts'
import type { Discrepancy } from './plan-refusal.ts'

/** What is known of a step that was begun, before anything is read. */
type BegunStep = 'done' | 'unchanged' | 'unknown' | 'not-done'

interface PlannedWork {
  readonly document: PlanDocument
  readonly preconditions: Preconditions
  /** By the ids of the plan. None: it is carried out from its beginning. */
  readonly begun: ReadonlyMap<string, BegunStep>
}

interface PlanNow {
  /** Computed again from what is live now. */
  readonly plan: Omit<Plan, 'guards'>
  /** Where not all that is declared was read again: what was. */
  readonly observed?: Pick<LiveSnapshot, 'objects' | 'unreadable'> & {
    readonly problems: readonly Problem[]
  }
}

interface CheckSettings {
  readonly digest: Digest
  /** Milliseconds since 1970. */
  readonly nowMs: number
  /** What becomes of steps whose preconditions cannot be checked. */
  readonly unreadable: 'skip' | 'refuse'
}

interface RestOfPlan {
  /** Differences between what the plan, and what was done of it, leave and the current state. Any of them: nothing may be written. */
  readonly differences: readonly Discrepancy[]
  /**
   * Steps that are left, under their planned ids, in an order in which none comes before what it depends on. First those of objects that
   * cannot be read any more: they are skipped.
   */
  readonly steps: readonly Step[]
  /** Ids of steps of which it was not known: they turned out to be carried out. */
  readonly foundDone: readonly string[]
  /** Ids of such that were not. */
  readonly foundNotDone: readonly string[]
  /** Ids of steps of which it was not known, and is not known now: their objects cannot be read any more. */
  readonly unsettled: readonly string[]
  /** Ids of steps that were not begun, and of which nothing is left to do. */
  readonly needless: readonly string[]
}

export function checkPreconditions(planned: PlannedWork, now: PlanNow, settings: CheckSettings): RestOfPlan {
  const { document, preconditions, begun } = planned
  const texts = documentTexts(preconditions.svcIds)
  const { plan } = now
  const differences = [...passedBounds(planned, settings), ...observedDifferences(planned, now, settings)]
  const foundDone: string[] = []
  const foundNotDone: string[] = []
  const needless: string[] = []
  const liveAt = new Map(plan.changes.map(({ address, live }) => [address, live]))
  const isUnshown = ({ address, collection = '' }: StepDocument): boolean => {
    const live = liveAt.get(address)
    return live?.asTold?.[collection]?.some((element) => isUntold(element, live.kind.collections[collection])) === true
  }
  /** Steps of the plan now that were carried out, although nothing shows it. */
  const settled = new Set<string>()
  const unsettled: string[] = []
  const held: Step[] = []
  const unread = settings.unreadable === 'skip' ? newlyUnread(plan) : new Set<string>()
  /** From the ids of the plan now to the planned ones. */
  const idOf = new Map<string, string>()
  const steps = groupBy(document.steps, ({ address }) => address)
  const stepsNow = plan.steps.map((step) => stepDocument(step, ''))
  const leftAt = groupBy(stepsNow, ({ address }) => address)
  const changesNow = new Map(describeChanges(plan.changes).map((change) => [change.address, change]))
  const since = differencesSince(planned, plan, settings)
  const stateOf = ({ id }: StepDocument): BegunStep => begun.get(id) ?? 'not-done'
  /** What a step sends, wherever it stands in a plan. */
  const sent = ({ verb, collection, spec, rotates, elements, collections }: StepDocument): string =>
    texts.comparable({ verb, collection, spec, rotates, elements, collections })
  const lines = (steps: readonly StepDocument[]): string[] =>
    steps.map((step) => `${step.verb} ${sent(step)} at ${texts.comparable({ at: step.at })}`).sort()

  for (const address of [...new Set([...steps.keys(), ...leftAt.keys()])].sort()) {
    const own = steps.get(address)
    const left = [...(leftAt.get(address) ?? [])]
    if (own === undefined) {
      differences.push({
        subject: address,
        path: '',
        remark: 'would have to be written now, and the plan has no step for it',
      })
      continue
    }
    if (unread.has(address)) {
      for (const step of own) {
        const state = stateOf(step)
        if (state === 'unknown') unsettled.push(step.id)
        if (state === 'unknown' || state === 'not-done') held.push(heldStep(step, address, preconditions.svcIds))
      }
      continue
    }
    // A write of which it was not known, and that is still to be sent, has touched nothing.
    const isTouched = own.some((step) => {
      const state = stateOf(step)
      const isLeft = left.some((other) => sent(other) === sent(step) && !isUnshown(other))
      return state !== 'not-done' && !(state === 'unknown' && isLeft)
    })
    if (!isTouched) {
      const found = since(address)
      if (found.length === 0) found.push(...otherRequests(address, lines(own), lines(left)))
      differences.push(...found)
      if (found.length > 0) continue
    }
    const undone: StepDocument[] = []
    // All that is left to do is to send credentials anew, which nothing live shows to be done.
    const isShownDone = changesNow.get(address)?.differences.every(({ rotates }) => rotates) === true
    for (const step of own) {
      const index = left.findIndex((other) => sent(other) === sent(step))
      const [same] = index < 0 ? [] : left.splice(index, 1)
      const state = stateOf(step)
      if (isShownDone && (state === 'done' || state === 'unchanged')) continue
      // Nothing live shows what a privilege does whose level is not told: that it was answered does.
      if (same !== undefined && (state === 'done' || state === 'unchanged') && isUnshown(same)) {
        settled.add(same.id)
        continue
      }
      if (same !== undefined) idOf.set(same.id, step.id)
      if (state === 'unknown') (same === undefined ? foundDone : foundNotDone).push(step.id)
      else if (state === 'not-done' && same === undefined) needless.push(step.id)
      else if (state !== 'not-done' && same !== undefined) undone.push(same)
    }
    // What was sent with something that shows would be sent once more.
    const others = isShownDone && isTouched ? [] : left
    if (undone.length + others.length > 0) {
      differences.push(...differencesAfter(address, [...undone, ...others], changesNow.get(address), texts))
    }
  }
  if (differences.length === 0 && begun.size === 0) {
    const now = { steps: stepsNow, changes: [...changesNow.values()] }
    differences.push(...shownOtherwise(document, now, plan, texts, unread))
  }
  const heldIds = new Set(held.map(({ id }) => id))
  const plannedAt = new Map(document.steps.map((step) => [step.id, step]))
  const rest: Step[] = [...held]
  for (const step of plan.steps) {
    const id = idOf.get(step.id)
    if (id === undefined) continue
    const stranger = step.dependsOn.find((other) => !idOf.has(other) && !settled.has(other))
    if (stranger !== undefined && differences.length === 0) {
      const other = plan.steps.find((candidate) => candidate.id === stranger)?.address ?? 'an object'
      differences.push({ subject: step.address, path: '', remark: `needs ${other}, which is not as it was` })
    }
    const renamed = (ids: readonly string[]): string[] => ids.flatMap((other) => idOf.get(other) ?? [])
    rest.push({
      ...step,
      id,
      // Of what cannot be read any more, what was planned tells who depends on it.
      dependsOn: [
        ...renamed(step.dependsOn),
        ...(plannedAt.get(id)?.dependsOn.filter((other) => heldIds.has(other)) ?? []),
      ],
      ...(step.follows && { follows: renamed(step.follows) }),
    })
  }
  return { differences, steps: rest, foundDone, foundNotDone, unsettled, needless }
}

/** Addresses of what could be read when the plan was made, and cannot be read now. */
function newlyUnread({ unreadable }: Pick<Plan, 'unreadable'>): ReadonlySet<string> {
  return new Set(unreadable.flatMap(({ address, isNew }) => (isNew ? address : [])))
}

/** A planned step that is not sent: nothing was worked out for it again. */
function heldStep(
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

/** Of objects that nothing was done to: whether their preconditions are those of the plan. */
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
  // Accounts that were deleted have gone from lists that nothing else was done to.
  const gone = new Set(
    document.steps
      .filter(({ id, verb }) => verb === 'delete' && (begun.get(id) ?? 'not-done') !== 'not-done')
      .map(({ at }) => normalise(String((at as Location).name))),
  )
  return (subject: string): Discrepancy[] => {
    const told = (remark: string): Discrepancy[] => [{ subject, path: '', remark }]
    const planned = before.get(subject)
    if (planned === undefined || digest([comparable(planned)]) !== digests.get(subject)) {
      return told('the file does not say how it was when the plan was made')
    }
    const change = now.get(subject)
    if (change === undefined) {
      const reason = unreadable.get(subject)
      return told(reason === undefined ? 'is not found under this address any more' : `could not be read: ${reason}`)
    }
    const [old, found] = [planned, preconditionOf(change, ownSteps.get(subject) ?? [])].map((each) =>
      withoutAccounts(each, ({ svcId }) => svcId !== undefined && gone.has(normalise(svcId))),
    ) as [Precondition, Precondition]
    if (comparable(old) === comparable(found)) return []
    const different = comparePreconditions(subject, old, found, comparable)
    return different.length > 0 ? different : told('its live state is not as it was')
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

/** Where the preconditions hold, and requests differ: a bound in time has passed, or the declarations are others. */
function otherRequests(subject: string, planned: readonly string[], now: readonly string[]): Discrepancy[] {
  if (planned.join('\n') === now.join('\n')) return []
  const only = (lines: readonly string[], others: readonly string[]): string =>
    lines.filter((line) => !others.includes(line)).join('; ') || 'nothing more'
  return [{ subject, path: '', remark: `would send ${only(now, planned)}; planned was ${only(planned, now)}` }]
}

/** What was written is not there, or something else is. `steps`: those that would have to be sent though they were, or were never planned. */
function differencesAfter(
  subject: string,
  steps: readonly StepDocument[],
  change: ChangeDocument | undefined,
  { comparable }: ReturnType<typeof documentTexts>,
): Discrepancy[] {
  if (change?.action === 'create') return [{ subject, path: '', remark: 'was written, and is gone' }]
  if (change?.action === 'delete') return [{ subject, path: '', remark: 'was deleted, and is there again' }]
  const paths = new Set(steps.map(({ collection }) => collection))
  const keyOf = ({ svcId, level, company, item }: Element): string => comparable({ svcId, level, company, item })
  const sent = new Set(steps.flatMap(({ elements = [] }) => elements.map(keyOf)))
  // What was not begun is still to come or go, and as it was.
  const among = (elements: readonly Element[] = []) => elements.filter((element) => sent.has(keyOf(element)))
  const found = (change?.differences ?? [])
    .filter(({ path, added, removed }) => (added ?? removed) === undefined || paths.has(path) || paths.size === 0)
    .map(({ path, before, after, masked, added, removed }): Discrepancy => {
      if (masked) return { subject, path, remark: 'is another value now' }
      // What would have to be added has gone since.
      if (added !== undefined || removed !== undefined)
        return { subject, path, added: among(removed), removed: among(added) }
      return { subject, path, planned: after, found: before, written: true }
    })
  return found.length > 0 ? found : [{ subject, path: '', remark: 'is not as its steps leave it' }]
}

/** Where everything holds and nothing was begun: what the plan shows is what its declarations come to. */
function shownOtherwise(
  planned: PlanDocument,
  now: Pick<PlanDocument, 'steps' | 'changes'>,
  plan: Omit<Plan, 'guards'>,
  texts: ReturnType<typeof documentTexts>,
  unread: ReadonlySet<string>,
): Discrepancy[] {
  const textsOf = (changes: readonly ChangeDocument[]) =>
    new Map(
      changes.filter(({ address }) => !unread.has(address)).map((change) => [change.address, texts.change(change)]),
    )
  const [shown, found] = [textsOf(planned.changes), textsOf(now.changes)]
  const differing = [...new Set([...shown.keys(), ...found.keys()])].filter(
    (each) => shown.get(each) !== found.get(each),
  )
  if (differing.length > 0) {
    const remark = 'is shown otherwise in the plan than it comes out'
    return differing.map((subject) => ({ subject, path: '', remark }))
  }
  // What cannot be read any more comes out as nothing, and all that is about the whole comes out without it.
  if (unread.size > 0) return []
  const orderOf = ({ steps }: Pick<PlanDocument, 'steps'>): string =>
    steps
      .map(({ id, address, kind, dependsOn, follows = [], restsOn = '' }) =>
        [id, address, kind, dependsOn, follows, restsOn].join(' '),
      )
      .join('\n')
  const whole = (remark: string): Discrepancy[] => [{ subject: 'plan', path: '', remark }]
  if (orderOf(planned) !== orderOf(now)) return whole('the order of its requests comes out differently')
  if (shown.size !== planned.changes.length) return whole('it shows a change twice')
  // Of what stays as it is, which was not read again, the file alone tells.
  const written = planned.unverifiable.filter(({ address }) => shown.has(address))
  if (texts.comparable(written) !== texts.comparable(unverifiableIn(plan.changes)))
    return whole('what cannot be compared comes out differently')
  // What stays as it is was not read again.
  const { none, gained, lost, unknown, released, overwritten } = planned.counts
  const counts = { ...countChanges(plan), none, gained, lost, unknown, released, overwritten }
  const isCounted = texts.comparable(counts) === texts.comparable(planned.counts)
  return isCounted && texts.comparable(titlesOf(plan)) === texts.comparable(planned.kinds)
    ? []
    : whole('its summary comes out differently')
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

/** What a plan that reads no more than it needs finds wanting: names, accounts that steps refer to, what guards look at. */
function observedDifferences(
  { preconditions }: PlannedWork,
  { observed, plan }: PlanNow,
  { unreadable: setting }: CheckSettings,
): Discrepancy[] {
  if (observed === undefined) return []
  const { objects, unreadable, problems } = observed
  const beside = (addresses: readonly string[], isNeeded: boolean): Discrepancy[] =>
    addresses.flatMap((subject): Discrepancy[] => {
      const reason = unreadable.get(subject)?.reason
      // Steps that need the account rest on it. Who is in what guards look at has to be known.
      if (reason !== undefined && isNeeded && setting === 'skip') return []
      if (reason !== undefined) return [{ subject, path: '', remark: `could not be read: ${reason}` }]
      // Whoever was in a list that guards look at has lost it with the list.
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
