// A plan: the changes, the writes that they take, and the unknowns.
import { formatCount, type Problem } from '@svcsync/errors/index.ts'
import { needsPlatform } from '../assemble/with-base.ts'
import { believedLive } from '../compare/believed-list.ts'
import { type Change, changeOf, keyOf, kindOf } from '../compare/change.ts'
import { checkChange } from '../compare/check-changes.ts'
import { withRotations } from '../compare/rotations.ts'
import type { Stock } from '../compare/stock.ts'
import type { Verdict } from '../guards/guard.ts'
import { byAddress } from '../model/address.ts'
import { placeIn } from '../model/declaration.ts'
import type { Desired } from '../model/desired.ts'
import type { Exception } from '../model/exception.ts'
import { groupBy, remembered } from '../model/group-by.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { LiveSnapshot, Unreadable } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import { draftSteps, type StepDraft } from './draft-steps.ts'
import type { ExceptionFindings } from './except.ts'
import { orderReplaced, replacedAccounts } from './hold-removals.ts'
import { findNoLongerDeclared } from './no-longer-declared.ts'
import { orderByStock, orderSteps } from './order-steps.ts'
import type { BaseIdentity, NoLongerDeclared, PlanDocument, Unmanaged } from './plan-document.ts'
import { deletionChange, type PruneFindings, withReleasedOrphans } from './prune.ts'
import { deferUnread, holdDependents, unreadAccounts, withAccount } from './rest-on-unread.ts'

export interface Plan {
  /** Sorted by address; those that need nothing included. */
  readonly changes: readonly Change[]
  /** In an order in which nothing comes before what it depends on. */
  readonly steps: readonly Step[]
  /** Declared objects that could not be read: nothing is planned for them, and steps that rest on them are marked. */
  readonly unreadable: readonly Unreadable[]
  /** Their declarations, if known. */
  readonly unread?: readonly Desired[]
  readonly lacking?: NonNullable<PlanDocument['lacking']>
  /** Findings that could only be made with the live state at hand. */
  readonly problems: readonly Problem[]
  /** For a project that prunes: objects that match a pattern and are kept. */
  readonly prune?: Pick<PruneFindings, 'kept'>
  /** Differences that exceptions leave alone. Absent: the target has no exceptions. */
  readonly exceptions?: ExceptionFindings<Exception>
  readonly base?: BaseIdentity
  readonly noLongerDeclared?: readonly NoLongerDeclared[]
  readonly weakened?: PlanDocument['weakened']
  /** The verdicts of the guards. svcsync does not apply a plan that a guard refuses. */
  readonly guards: readonly Verdict[]
  readonly needs?: readonly string[]
  /** For a plan of due work only. */
  readonly due?: PlanDocument['due']
  /** null: nothing was counted. */
  readonly unmanaged?: Unmanaged | null
}

/** Pure and deterministic; no guard was asked yet. `earlier`: what a plan that is carried on with could not read. */
export function makePlan(
  desired: readonly Desired[],
  live: LiveSnapshot,
  prune?: PruneFindings,
  base?: BaseIdentity,
  earlier?: readonly Unreadable[],
): Omit<Plan, 'guards'> {
  const pruned = prune?.orphans ?? []
  const orphans = base === undefined ? pruned : [...pruned, ...retiredOrphans(desired, live, pruned)]
  const leaving = new Set(orphans.map(keyOf))
  const known = new Set(earlier?.map(({ address }) => address))
  const left = splitUnread(desired, live, known)
  const made = left.read.map((object) => changeBetween(object, live, leaving))
  const peersOf = peersIn(live)
  const problems = [...left.problems]
  for (const change of made)
    if (change !== undefined) for (const problem of checkChange(change, peersOf)) problems.push(problem)
  // An object that is gone from the manifests and from the platform needs no line.
  const isNobodys = ({ action, desired }: Change): boolean => action === 'none' && desired?.since?.standing === 'gone'
  const changes = made.filter((change): change is Change => change !== undefined && !isNobodys(change))
  changes.push(...orphans)
  if (orphans.length > 0) changes.sort(byAddress)
  const isNew = earlier === undefined ? {} : { isNew: true as const }
  const unreadable = [
    ...(earlier ?? []),
    ...left.unreadable.map((each) => ({ ...each, ...isNew })),
    ...(prune?.unreadable ?? []).filter(({ address }) => !known.has(address)).map((each) => ({ ...each, ...isNew })),
  ]
  const { unread, ofLacking } = left
  const lacking = kindsThatLack(ofLacking)
  problems.push(...lacking.map(({ problem }) => problem))
  return {
    ...{ changes, steps: stepsOf(changes, unreadable), unreadable, problems },
    ...(unread.length > 0 && { unread }),
    ...(lacking.length > 0 && { lacking: lacking.map(({ problem: _, ...kind }) => kind) }),
    ...(base !== undefined && {
      base,
      noLongerDeclared: findNoLongerDeclared(withChanges(desired, left.read, made, orphans), live, base),
    }),
    ...(prune && { prune: { kept: prune.kept } }),
  }
}

/** Splits off the unreadable objects. `known`: addresses that an earlier plan skipped. */
function splitUnread(desired: readonly Desired[], live: LiveSnapshot, known: ReadonlySet<string>) {
  const read: Desired[] = []
  const unread: Desired[] = []
  const unreadable: Unreadable[] = []
  const ofLacking: Desired[] = []
  const problems: Problem[] = []
  for (const object of desired) {
    const reason = live.unreadable.get(object.address)
    if (known.has(object.address)) unread.push(object)
    else if (reason === undefined) read.push(object)
    else if (reason.isLacking) ofLacking.push(object)
    else if (reason.isMissing) problems.push(...missing(object, reason))
    else {
      unreadable.push(withAccount(reason, object))
      unread.push(object)
    }
  }
  return { read, unread, unreadable, ofLacking, problems }
}

function withChanges(
  desired: readonly Desired[],
  read: readonly Desired[],
  made: readonly (Change | undefined)[],
  orphans: readonly Change[],
): Parameters<typeof findNoLongerDeclared>[0] {
  const retired = orphans.flatMap((each) => (each.retired === undefined ? [] : [[each.retired, each] as const]))
  const changes = new Map([...read.map((object, at) => [object, made[at]] as const), ...retired])
  return desired.map((object) => ({ object, change: changes.get(object) }))
}

/** Undefined: it is gone from the manifests, and there is nothing to look at. */
function changeBetween(object: Desired, live: LiveSnapshot, leaving: ReadonlySet<string>): Change | undefined {
  const seen = live.objects.get(object.address)
  const found = seen && believedLive(object, seen)
  // A deleted account has a change of its own; its lists, such as licences, have another.
  const isLeaving = found?.kind.provides !== undefined && leaving.has(found.key)
  if (object.since?.standing === 'gone' && (!needsPlatform(object) || isLeaving)) return undefined
  const own = withRotations(changeOf(object, found))
  return leaving.size === 0 ? own : withReleasedOrphans(own, leaving)
}

function peersIn(live: LiveSnapshot): (kind: Kind) => readonly JsonObject[] {
  return remembered((kind) => [...live.objects.values()].flatMap((each) => (each.kind === kind ? [each.spec] : [])))
}

/** `unreadable`: writes that rest on it are marked. `stocks`: of what they give, where there is only so much. */
export function stepsOf(
  changes: readonly Change[],
  unreadable: readonly Unreadable[],
  stocks: readonly Stock[] = [],
): readonly Step[] {
  const apart = unreadAccounts(unreadable.filter(({ isNew }) => !isNew))
  const isUnread = apart.size === 0 ? undefined : (account: string) => apart.has(account)
  const replaced = replacedAccounts(changes)
  const moving = new Set([...replaced.keys(), ...replaced.values()])
  // An object that no other one uses fails by itself.
  const isApart =
    moving.size === 0 ? isUnread : (account: string) => moving.has(account) || isUnread?.(account) === true
  const drafts: StepDraft[] = []
  for (const change of changes) for (const draft of draftSteps(change, isApart)) drafts.push(draft)
  if (isUnread !== undefined) drafts.push(...deferUnread(drafts, isUnread))
  holdDependents(drafts, unreadAccounts(unreadable))
  orderByStock(drafts, stocks)
  if (replaced.size > 0) orderReplaced(drafts, replaced)
  return orderSteps(drafts)
}

/** A missing declared object is reported. An object of the base alone is gone either way. */
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
    const left = formatCount(declared.length, 'declared object is', 'declared objects are')
    const [{ address, declarations }] = declared as [Desired]
    const problem: Problem = {
      code: 'SVC1338',
      severity: 'warning',
      address,
      message: `${reason}: ${left} left out`,
      place: placeIn(declarations[0], []),
      hint: 'Declare them in files that only targets with them read.',
    }
    return { kind: name, objects: declared.length, reason, problem }
  })
}

/** Undeclared live objects that are to be deleted, unless prune deletes them anyway. */
function retiredOrphans(desired: readonly Desired[], { objects }: LiveSnapshot, pruned: readonly Change[]): Change[] {
  const known = new Set(pruned.map((change) => `${kindOf(change).name} ${keyOf(change)}`))
  return desired.flatMap((retired): Change[] => {
    const { deletion } = retired.since ?? {}
    const live = objects.get(retired.address)
    if (deletion === undefined || deletion.kept !== undefined || live === undefined) return []
    return known.has(`${live.kind.name} ${live.key}`) ? [] : [deletionChange(live, { retired })]
  })
}
