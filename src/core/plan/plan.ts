// A plan: what is to change, the writes that it takes, and what could not be known. Everything it was computed from hangs
// on it in memory; the document that is shown and saved is made from it (plan-document.ts).
import type { Problem } from '../../errors/index.ts'
import { needsLook } from '../assemble/with-base.ts'
import { believedLive } from '../compare/believed-list.ts'
import { type Change, changeOf, keyOf, kindOf } from '../compare/change.ts'
import { checkChange } from '../compare/check-changes.ts'
import { withRotations } from '../compare/rotations.ts'
import type { Stock } from '../compare/stock.ts'
import type { Verdict } from '../guards/guard.ts'
import { byAddress } from '../model/address.ts'
import { placeIn } from '../model/declaration.ts'
import type { Desired } from '../model/desired.ts'
import { getOrInsert, groupBy } from '../model/group-by.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { LiveSnapshot, Unreadable } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import type { Draft } from './draft.ts'
import { draftSteps } from './draft-steps.ts'
import { findNoLongerDeclared } from './no-longer-declared.ts'
import { orderSteps } from './order-steps.ts'
import { orderByStock } from './order-stock.ts'
import type { BaseIdentity, NoLongerDeclared, PlanDocument, Unmanaged } from './plan-document.ts'
import { deletionChange, lettingGo, type PruneFindings } from './prune.ts'
import { deferUnread, holdResting, unreadAccounts, unreadAs } from './rest-on-unread.ts'

export interface Plan {
  /** Sorted by address; those that need nothing included. */
  readonly changes: readonly Change[]
  /** In an order in which nothing comes before what it depends on. */
  readonly steps: readonly Step[]
  /** Declared objects that could not be read: nothing is planned for them, and steps that rest on them are marked. */
  readonly unreadable: readonly Unreadable[]
  /** What is declared of them, where that is known. */
  readonly unread?: readonly Desired[]
  /** See the document. */
  readonly lacking?: NonNullable<PlanDocument['lacking']>
  /** Findings that could only be made with the live state at hand. */
  readonly problems: readonly Problem[]
  /** Where the project prunes: what matches a pattern and is kept all the same. */
  readonly prune?: Pick<PruneFindings, 'kept'>
  /** Absent: there is no base. */
  readonly base?: BaseIdentity
  readonly noLongerDeclared?: readonly NoLongerDeclared[]
  /** What the guards say. A plan that one of them refuses is not applied. */
  readonly guards: readonly Verdict[]
  /** See the document. */
  readonly needs?: readonly string[]
  /** Where only what is due was planned. */
  readonly due?: PlanDocument['due']
  /** null: nothing was counted. */
  readonly unmanaged?: Unmanaged | null
}

/**
 * Compares desired and live state, and orders the writes. Pure, and deterministic for equal input. No guard was asked yet. `base`: the
 * one that was put beside the desired objects. `earlier`: of a plan that is carried on with, what it says that could not be read: that is
 * left alone again.
 */
export function makePlan(
  desired: readonly Desired[],
  live: LiveSnapshot,
  prune?: PruneFindings,
  base?: BaseIdentity,
  earlier?: readonly Unreadable[],
): Omit<Plan, 'guards'> {
  const changes: Change[] = []
  const unreadable: Unreadable[] = [...(earlier ?? [])]
  const unread: Desired[] = []
  const known = new Set(earlier?.map(({ address }) => address))
  const leave = (reason: Unreadable, object: Desired): void => {
    unreadable.push({ ...unreadAs(reason, object), ...(earlier && { isNew: true as const }) })
    unread.push(object)
  }
  const problems: Problem[] = []
  const ofLacking: Desired[] = []
  const pruned = prune?.orphans ?? []
  const orphans = base === undefined ? pruned : [...pruned, ...retiredOrphans(desired, live, pruned)]
  const compared = base === undefined ? undefined : new Map<Desired, Change>()
  const peers = new Map<Kind, readonly JsonObject[]>()
  const peersOf = (kind: Kind) =>
    getOrInsert(peers, kind, () =>
      [...live.objects.values()].flatMap((each) => (each.kind === kind ? [each.spec] : [])),
    )
  const leaving = new Set(orphans.map(keyOf))
  for (const object of desired) {
    if (known.has(object.address)) {
      unread.push(object)
      continue
    }
    const reason = live.unreadable.get(object.address)
    if (reason !== undefined) {
      if (reason.isLacking) ofLacking.push(object)
      else if (reason.isMissing) problems.push(...missing(object, reason))
      else leave(reason, object)
      continue
    }
    const isGone = object.since?.standing === 'gone'
    const seen = live.objects.get(object.address)
    const found = seen && believedLive(object, seen)
    // Whoever is deleted has a change of his own; what he holds, such as licences, has another.
    const isLeaving = found?.kind.provides !== undefined && leaving.has(found.key)
    if (isGone && (!needsLook(object) || isLeaving)) continue
    const own = withRotations(changeOf(object, found))
    const change = leaving.size === 0 ? own : lettingGo(own, leaving)
    for (const problem of checkChange(change, peersOf)) problems.push(problem)
    // What is gone from the manifests and from the platform is nobody's business.
    if (!isGone || change.action !== 'none') changes.push(change)
    compared?.set(object, change)
  }
  for (const deletion of orphans) {
    changes.push(deletion)
    if (deletion.retired !== undefined) compared?.set(deletion.retired, deletion)
  }
  if (orphans.length > 0) changes.sort(byAddress)
  for (const each of prune?.unreadable ?? [])
    if (!known.has(each.address)) unreadable.push(earlier === undefined ? each : { ...each, isNew: true })
  const lacking = kindsThatLack(ofLacking)
  problems.push(...lacking.map(({ problem }) => problem))
  return {
    ...{ changes, steps: stepsOf(changes, unreadable), unreadable, problems },
    ...(unread.length > 0 && { unread }),
    ...(lacking.length > 0 && { lacking: lacking.map(({ problem: _, ...kind }) => kind) }),
    ...(base !== undefined && {
      base,
      noLongerDeclared: findNoLongerDeclared(
        desired.map((object) => ({ object, change: compared?.get(object) })),
        live,
        base,
      ),
    }),
    ...(prune && { prune: { kept: prune.kept } }),
  }
}

/**
 * The writes, in their order. `unreadable`: writes that rest on it are marked; what is new of it changes nothing else, so that they stay
 * those of the plan that is carried on with. `stocks`: of what they give, where there is only so much of it.
 */
export function stepsOf(
  changes: readonly Change[],
  unreadable: readonly Unreadable[],
  stocks: readonly Stock[] = [],
): readonly Step[] {
  const apart = unreadAccounts(unreadable.filter(({ isNew }) => !isNew))
  const isUnread = apart.size === 0 ? undefined : (account: string) => apart.has(account)
  const drafts: Draft[] = []
  for (const change of changes) for (const draft of draftSteps(change, isUnread)) drafts.push(draft)
  if (isUnread !== undefined) drafts.push(...deferUnread(drafts, isUnread))
  holdResting(drafts, unreadAccounts(unreadable))
  orderByStock(drafts, stocks)
  return orderSteps(drafts)
}

/** Whoever declares it has to know. What only the base declares is gone either way. */
function missing(
  { since, declarations: [first] }: Desired,
  { address, code = '', reason, hint }: Unreadable,
): Problem[] {
  if (since?.standing === 'gone') return []
  const place = placeIn(first, [first.section.identity])
  return [{ code, severity: 'error', address, message: reason, place, ...(hint !== undefined && { hint }) }]
}

/** Said once for a kind, of which nothing is planned: what else is declared does not suffer from it. */
function kindsThatLack(objects: readonly Desired[]) {
  return [...groupBy(objects, ({ kind }) => kind)].map(([{ name, title }, declared]) => {
    const reason = `The installation says that it has no ${title.toLowerCase()}`
    const left = declared.length === 1 ? '1 declared object is' : `${declared.length} declared objects are`
    const [{ address, declarations }] = declared as [Desired]
    const problem: Problem = {
      code: 'SVC1338',
      severity: 'warning',
      address,
      message: `${reason}: ${left} left out`,
      place: placeIn(declarations[0], []),
      hint: 'Declare them where only targets that have them read them.',
    }
    return { kind: name, objects: declared.length, reason, problem }
  })
}

/** What nothing declares any more and is to be deleted for that, where it is there and prune does not delete it anyway. */
function retiredOrphans(desired: readonly Desired[], { objects }: LiveSnapshot, pruned: readonly Change[]): Change[] {
  const known = new Set(pruned.map((change) => `${kindOf(change).name} ${keyOf(change)}`))
  return desired.flatMap((retired): Change[] => {
    const { deletion } = retired.since ?? {}
    const live = objects.get(retired.address)
    if (deletion === undefined || deletion.kept !== undefined || live === undefined) return []
    return known.has(`${live.kind.name} ${live.key}`) ? [] : [deletionChange(live, { retired })]
  })
}
