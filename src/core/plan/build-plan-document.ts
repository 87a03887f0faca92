// Makes the document of a plan: what is shown, saved and reviewed.
import type { Place } from '@svcsync/errors/index.ts'
import { type AccessDocument, countAccess } from '../access/describe-access.ts'
import { causeOfObject, isByHand } from '../compare/cause.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { replacedBy } from '../compare/compare-collection.ts'
import { shared } from '../model/capabilities/shared.ts'
import { placeIn } from '../model/declaration.ts'
import type { Exception } from '../model/exception.ts'
import type { Json } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { Step } from '../model/step.ts'
import { isoMoment } from '../model/time-bounds.ts'
import { withDigests } from './change-digest.ts'
import { differencesOf } from './describe-change.ts'
import { doubtedPaths } from './doubted-fields.ts'
import type { ExceptionDocument, ExceptionFindings } from './except.ts'
import { findAnnouncements, isNear, isNewAnnouncement } from './find-announcements.ts'
import type { Plan } from './plan.ts'
import { type Digest, documentTexts, manifestsText, type PlanFacts } from './plan-digest.ts'
import {
  type BaseIdentity,
  type ChangeDocument,
  type PlanDocument,
  planFormatVersion,
  type StepDocument,
  type TargetIdentity,
  type UpcomingDocument,
} from './plan-document.ts'
import { type Precondition, type Preconditions, preconditionsOf } from './precondition.ts'
import { unlistedLevels } from './unlisted-levels.ts'
import { firstUnmanaged } from './unmanaged.ts'

interface DocumentContext {
  readonly target: TargetIdentity
  readonly version: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly only: readonly string[]
  /** The further subject of the document: the journal, for a plan that takes back. */
  readonly base: BaseIdentity | null
  readonly digest: Digest
  /** Milliseconds since 1970: what of the time of entries is near. */
  readonly nowMs: number
  readonly facts: (rests: ReturnType<typeof preconditionsOf>) => Omit<PlanFacts, 'later'>
  readonly access: AccessDocument
}

const scopes: readonly Kind['scope'][] = ['installation', 'database', 'parent']

/** Equal input gives equal output, but for `createdAt`. */
export function describePlan(
  plan: Plan,
  context: DocumentContext,
): { readonly document: PlanDocument; readonly preconditions: Preconditions } {
  const { digest, access } = context
  const rests = preconditionsOf(plan)
  const announced = findAnnouncements(plan)
  const changeAt = new Map(plan.changes.map((change) => [change.address, change]))
  const isTold = (entry: UpcomingDocument): boolean =>
    isNear(entry, context.nowMs) || (plan.base !== undefined && isNewAnnouncement(entry, changeAt))
  const later = announced.filter((each) => !isTold(each))
  const facts: PlanFacts = { ...context.facts(rests), later }
  const texts = documentTexts(facts.svcIds)
  const liveDigests = digestsOfLive(rests, (basis) => digest([texts.comparable(basis)]))
  const steps = plan.steps.map((step): StepDocument => {
    const document = stepDocument(step, liveDigests.get(step.address) as string)
    const change = step.collection === undefined ? undefined : changeAt.get(step.address)
    const isShared = shared.of((change && kindOf(change).collections[step.collection ?? '']) ?? {})
    return isShared ? { ...document, shared: true } : document
  })
  const changes = withDigests(describeChanges(plan.changes, plan.base !== undefined), () => steps, digest)
  const made: { digest?: string; manifestsDigest?: string } = {}
  // Digests are computed on demand, since an apply of its own plan needs none.
  const document: PlanDocument = {
    formatVersion: planFormatVersion,
    tool: { name: 'svcsync', version: context.version },
    target: context.target,
    createdAt: context.createdAt,
    get digest() {
      made.digest ??= digest(texts.content(document, facts))
      return made.digest
    },
    // Unreadable objects are outside the plan and its digest.
    get manifestsDigest() {
      made.manifestsDigest ??= digest(manifestsText(plan.changes.flatMap(({ desired }) => desired ?? [])))
      return made.manifestsDigest
    },
    only: context.only,
    kinds: kindTitles(plan),
    counts: {
      ...countChanges(plan),
      gained: countAccess(access, 'gained'),
      lost: countAccess(access, 'lost'),
      unknown: countAccess(access, 'unknown'),
      ...(plan.base ? countSince(plan, changes) : { released: null, overwritten: null }),
      ...(plan.exceptions && { excepted: plan.exceptions.left.length }),
    },
    access,
    changes,
    steps,
    unreadable: plan.unreadable,
    unverifiable: describeUnverifiable(plan.changes),
    ...(plan.lacking && { lacking: plan.lacking }),
    // An error that ends no plan is what stands already, and what a policy denies.
    warnings: plan.problems,
    ...(plan.prune && { prune: plan.prune }),
    ...(plan.exceptions && { exceptions: exceptionsDocument(plan.exceptions) }),
    guards: plan.guards,
    upcoming: announced.filter(isTold),
    needs: plan.needs ?? [],
    unmanaged: plan.unmanaged ? firstUnmanaged(plan.unmanaged) : null,
    unlistedLevels: unlistedLevels(plan),
    base: context.base,
    noLongerDeclared: plan.noLongerDeclared ?? [],
    ...(plan.weakened?.length && { weakened: plan.weakened }),
    ...(plan.due && { due: plan.due }),
  }
  return { document, preconditions: { ...facts, objects: rests.objects } }
}

function exceptionsDocument({
  left,
  overruled,
  expired,
  idle,
}: ExceptionFindings<Exception>): ExceptionFindings<ExceptionDocument> {
  const all = (each: typeof left) => each.map((one) => ({ ...one, by: exceptionDocument(one.by) }))
  return { left: all(left), overruled: all(overruled), expired: all(expired), idle: idle.map(exceptionDocument) }
}

function exceptionDocument(exception: Exception): ExceptionDocument {
  const { target: _, placeOf: __, offset: ___, untilMs, company, ...own } = exception
  const what = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as typeof own
  return { ...what, ...(company !== undefined && { company }), ends: isoMoment(untilMs) } as ExceptionDocument
}

export function kindTitles({ changes }: Pick<Plan, 'changes'>): Readonly<Record<string, string>> {
  const occurring = [...new Set(changes.filter(({ action }) => action !== 'none').map(kindOf))].sort(
    (a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope) || (a.title < b.title ? -1 : 1),
  )
  return Object.fromEntries(occurring.map(({ name, title }) => [name, title]))
}

/** By address, of the objects with steps. */
function digestsOfLive(
  { objects }: Pick<Preconditions, 'objects'>,
  digestOf: (basis: Precondition) => string,
): ReadonlyMap<string, string> {
  let ofNothing: string | undefined
  return new Map(
    objects.map(({ address, basis }) => {
      if (basis.exists) return [address, digestOf(basis)]
      // A first apply has thousands of objects that are not there.
      ofNothing ??= digestOf(basis)
      return [address, ofNothing]
    }),
  )
}

/** As they are shown; those that need nothing are left out. */
export function describeChanges(changes: readonly Change[], hasBase = false): ChangeDocument[] {
  return changes.filter(({ action }) => action !== 'none').map((change) => describeChange(change, hasBase))
}

function describeChange(change: Change, hasBase: boolean): ChangeDocument {
  const place = placeOfDeclaration(change)
  const cause = hasBase ? causeOfObject(change) : undefined
  const end = change.action === 'delete' ? change.desired?.end : undefined
  const document = {
    address: change.address,
    kind: kindOf(change).name,
    action: change.action as ChangeDocument['action'],
    differences: differencesOf(change, hasBase),
  } as Mutable<ChangeDocument>
  if (change.prunedBy !== undefined) document.prunedBy = change.prunedBy
  if (end?.isOver) document.ended = { at: end.at, shown: end.shown }
  if (cause) document.cause = cause
  if (place) document.place = place
  return document
}

export function placeOfDeclaration({ desired }: Change): Place | undefined {
  const declaration = desired?.since?.standing === 'gone' ? undefined : desired?.declarations[0]
  return declaration && placeIn(declaration, [])
}

export function describeUnverifiable(changes: readonly Change[]): PlanDocument['unverifiable'] {
  return changes
    .filter(({ unverifiable }) => unverifiable.length > 0)
    .map((change) => {
      const { address, unverifiable: paths } = change
      const doubted = doubtedPaths(change)
      return { address, paths, ...(doubted.length > 0 && { doubted: { kind: kindOf(change).name, paths: doubted } }) }
    })
}

export function countChanges(plan: Pick<Plan, 'changes' | 'steps'>): PlanDocument['counts'] {
  const counts = { create: 0, update: 0, delete: 0, none: 0, added: 0, removed: 0, steps: plan.steps.length }
  for (const change of plan.changes) {
    counts[change.action]++
    for (const { collection, added, removed } of change.collections) {
      const live = change.live?.collections[collection]
      counts.added += added.filter(({ element }) => replacedBy(element, live) === undefined).length
      counts.removed += removed.length
    }
    if (change.action === 'delete') {
      for (const elements of Object.values(change.live?.collections ?? {})) counts.removed += elements.length
    }
    if (change.action !== 'create') continue
    for (const { elements } of Object.values(change.desired?.collections ?? {})) counts.added += elements.size
  }
  return counts
}

function countSince({ noLongerDeclared = [] }: Plan, changes: readonly ChangeDocument[]) {
  return {
    released: noLongerDeclared.filter(({ becomes }) => becomes === 'kept').length,
    overwritten: findOverwritten(changes).reduce((sum, { count }) => sum + count, 0),
  }
}

/** The fields and lists of each object, with the number of values and entries. */
export function findOverwritten(changes: readonly ChangeDocument[]) {
  return changes.flatMap(({ address, action, cause, differences }) => {
    // An object created or deleted by hand goes, or comes, as a whole.
    if (action !== 'update') {
      return isByHand({ cause }) ? [{ address, what: [], count: 1 }] : []
    }
    const counted = differences.map(({ path, added, removed = [], ...own }) => ({
      path,
      count: (added === undefined ? [own] : [...added, ...removed]).filter(isByHand).length,
    }))
    const found = counted.filter(({ count }) => count > 0)
    const count = found.reduce((sum, each) => sum + each.count, 0)
    return count === 0 ? [] : [{ address, what: found.map(({ path }) => path), count }]
  })
}

export function stepIdentity(
  step: Step | StepDocument,
): Pick<StepDocument, 'id' | 'address' | 'kind' | 'verb' | 'collection' | 'elements' | 'restsOn'> {
  const { id, address, kind, verb, collection, elements, restsOn } = step
  const identity: Mutable<ReturnType<typeof stepIdentity>> = { id, address, kind, verb }
  if (collection !== undefined) identity.collection = collection
  if (elements !== undefined) identity.elements = elements
  if (restsOn !== undefined) identity.restsOn = restsOn
  return identity
}

/** There may be very many of them: V8 keeps the layout of each object that is put together of others. */
export type Mutable<Document> = { -readonly [Key in keyof Document]: Document[Key] }

/** A step as data; `liveDigest`: of what it rests on. */
export function stepDocument(step: Step, liveDigest: string): StepDocument {
  const document = stepIdentity(step) as Mutable<StepDocument>
  // Sensitive values turn into their references here, once and for all.
  if (step.spec) document.spec = JSON.parse(JSON.stringify(step.spec)) as Json
  if (step.rotates) document.rotates = step.rotates
  if (step.collections) document.collections = step.collections
  document.at = step.at as unknown as Json
  document.dependsOn = step.dependsOn
  if (step.follows) document.follows = step.follows
  document.liveDigest = liveDigest
  return document
}
