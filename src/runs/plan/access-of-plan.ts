// Computes the gains and losses of a plan: from its own reads, without further requests, or from everything.
import { accessDifference } from '@svcsync/core/access/access-difference.ts'
import { accessGraphOf, unclearHeirs } from '@svcsync/core/access/access-graph.ts'
import { Aftermath, nestsOf, type Time } from '@svcsync/core/access/aftermath.ts'
import { type AccessDocument, describeAccess, noAccess, type unlimited } from '@svcsync/core/access/describe-access.ts'
import { withOtherLevels } from '@svcsync/core/access/other-levels.ts'
import { movesStandIns } from '@svcsync/core/access/stand-ins.ts'
import { heldUnseen, movesBetweenGroups } from '@svcsync/core/access/unseen.ts'
import { declaredAccounts } from '@svcsync/core/assemble/account-uses.ts'
import { type Change, kindOf } from '@svcsync/core/compare/change.ts'
import { type Desired, writtenFor } from '@svcsync/core/model/desired.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { executableChanges } from '@svcsync/core/plan/rest-on-unread.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { entriesForPolicies, standingAccessNeeds } from '../open/standing-entries.ts'
import { licencesOfGainers, plannedLicences } from './gainers-licences.ts'
import { holdsAny, licencesOrWhy } from './licences-held.ts'
import { readBetween } from './read-between.ts'
import { concernsAccess, readUndeclared } from './read-undeclared.ts'

type GroupsBetween = Awaited<ReturnType<typeof readBetween>>

type PlannedChanges = Pick<Plan, 'changes' | 'unreadable'> & Partial<Pick<Plan, 'steps'>>

interface AccessRequest {
  readonly only: readonly string[]
  readonly licences?: boolean | undefined
  /** Substitutions are read also if no change is of one. */
  readonly standIns?: boolean | undefined
}

/** `access: full`: what no manifest declares is read, too, where the plan moves anybody, or policies look at it. */
export async function accessIn(
  plan: PlannedChanges,
  opened: OpenedProject,
  observation: Pick<Observation, 'desired' | 'reads'>,
  client: PlatformClient,
  { only, licences = false, standIns = false }: AccessRequest,
) {
  const { between, ...around } = await readAccessContext(plan, opened, { ...observation, standIns }, client)
  let { walked } = between
  const { groups, users, leftOut } = between
  const looked = { observation, opened, ...around, between: { groups, users, leftOut }, selects: only.length > 0 }
  // A plan asks once for its guards and once for what it shows.
  let known: { readonly of: PlannedChanges; readonly found: ReturnType<typeof computeAccess> } | undefined
  const workedOut = (of: PlannedChanges) => {
    if (known?.of.changes !== of.changes || known.of.steps !== of.steps)
      known = { of, found: computeAccess(of, looked, walked) }
    walked = undefined
    return known.found
  }
  const { project } = opened
  const { access: usual } = project
  const moves = ({ changes, steps = [] }: PlannedChanges): boolean =>
    executableChanges(changes, steps).some(movesAccess)
  const reading = { reads: observation.reads, project }
  const held =
    licences && usual !== 'none' && moves(plan)
      ? await licencesOfGainers(client, { ...workedOut(plan), unreadable: plan.unreadable, users }, reading)
      : undefined
  const { lists } = observation.reads
  const told = standingAccessNeeds(opened)?.licences ? await licencesOrWhy(client, project, lists) : undefined
  const { undeclared, requests } = around
  return {
    describe(of: PlannedChanges, mode: AccessDocument['mode'] = usual, limits?: typeof unlimited): AccessDocument {
      const unlooked =
        undeclared === undefined
          ? unreadScope(executableChanges(of.changes, of.steps ?? []), mode)
          : undeclared.unlooked
      const beyond = unlooked && { unlooked }
      if (mode === 'none') return { ...noAccess(mode), ...beyond }
      const cost = (undeclared !== undefined || requests > 0) && { requests }
      if (!moves(of)) return { ...noAccess(mode), ...cost, ...beyond }
      const { graph, blocks, beside } = workedOut(of)
      const described = describeAccess(graph, blocks(), mode, beside, limits)
      // Nobody asks after the document, and there may be much of it.
      if (limits === undefined) known = undefined
      return {
        ...(limits === undefined ? withOtherLevels(graph, described) : described),
        ...(undeclared !== undefined && { looked: undeclared.looked }),
        ...cost,
        ...(held !== undefined && { licences: held }),
        ...beyond,
      }
    },
    /** As it is, and, where the plan moves anybody, as it will be. */
    standing(of: PlannedChanges) {
      const { graph, changes, aftermath, beside } = workedOut(of)
      const planned = plannedLicences({ graph, changes, aftermath, unreadable: of.unreadable }, project)
      const licensed = (key: string, time: Time): boolean | null => {
        if (time === 'after' && planned.has(key)) return planned.get(key) ?? null
        return typeof told === 'function' ? holdsAny(told(key)) : null
      }
      const at = entriesForPolicies(opened, graph, changes, licensed)
      const notSeen = [...beside.unread, ...beside.unclear, ...(typeof told === 'string' ? ['licences'] : [])]
      return { before: at('before'), ...(moves(of) && { after: at('after') }), notSeen }
    },
  }
}

/** Undeclared objects with `access: full`, and the groups between. */
async function readAccessContext(
  plan: PlannedChanges,
  opened: OpenedProject,
  { reads, standIns }: Pick<Observation, 'reads'> & { readonly standIns: boolean },
  client: PlatformClient,
): Promise<Pick<AccessReads, 'undeclared' | 'between'> & { readonly requests: number }> {
  const { kinds, access } = opened.project
  const before = client.stats().requests
  const all = standingAccessNeeds(opened) !== undefined
  const looks = all || plan.changes.some(movesAccess)
  const undeclared =
    access === 'full' && looks
      ? await readUndeclared(client, opened, { ...plan, reads, standIns }).catch((error: unknown) =>
          failedRead(error, plan, kinds),
        )
      : undefined
  const changes = undeclared?.changes ?? plan.changes
  const refused = new Set((undeclared?.leftOut ?? []).map(({ address }) => address))
  const between =
    looks && (all || isAsked(opened.project))
      ? await readBetween(client, opened, { changes, reads, refused, all }).catch((error: unknown) => ({
          ...noGroupsBetween,
          leftOut: failedRead(error, plan, kinds.filter(isGroup)).leftOut,
        }))
      : noGroupsBetween
  return { undeclared, between, requests: client.stats().requests - before }
}

/** A failed read for access alone ends no run: all of it is unknown then. */
function failedRead(error: unknown, { changes }: PlannedChanges, kinds: readonly Kind[]) {
  if (!(error instanceof PlatformError)) throw error
  const leftOut = kinds
    .filter(concernsAccess)
    .map((kind) => ({ address: kind.segment, kind, reason: error.message, isList: true }))
  return { changes: [...changes], leftOut, looked: [], unlooked: undefined }
}

/** A guard looks at it, too, where no plan shows it. */
const isAsked = ({ access, guards }: OpenedProject['project']): boolean =>
  access !== 'none' || guards.administratorGained === 'refuse'

const isGroup = (kind: Kind): boolean => kind.provides !== undefined && nestsOf(kind) !== undefined

const noGroupsBetween: GroupsBetween = { groups: [], users: [], leftOut: [] }

interface AccessReads {
  readonly observation: Pick<Observation, 'desired'>
  readonly opened: OpenedProject
  readonly undeclared: Awaited<ReturnType<typeof readUndeclared>> | undefined
  readonly between: GroupsBetween
  readonly selects: boolean
}

/** `selects`: `--only` leaves out what is declared, and nobody knows what groups hold there. */
function computeAccess(
  { changes: planned, unreadable, steps = [] }: PlannedChanges,
  { observation: { desired }, opened, undeclared, between, selects }: AccessReads,
  walked: GroupsBetween['walked'],
) {
  const { assembly, desired: asWritten } = opened
  const changes = executableChanges(planned, steps)
  const whole = [
    ...(undeclared === undefined ? changes : executableChanges(undeclared.changes, steps)),
    ...between.groups,
  ]
  const known = walked && isSame(walked.changes, whole) ? walked : undefined
  const aftermath = known?.aftermath ?? new Aftermath(whole)
  const unclear = unclearHeirs(whole, aftermath)
  const all = unclear.length === 0 ? whole : whole.filter((change) => !unclear.includes(change))
  const accounts = [...declaredAccounts(asWritten).users.keys(), ...between.users]
  const graph =
    known !== undefined && all === whole ? known.graph : accessGraphOf(all, assembly.time.nowMs, accounts, aftermath)
  const failed = new Set(unreadable.map(({ address }) => address))
  const holdsLevels = ({ kind }: Pick<Desired, 'kind'>): boolean =>
    Object.values(kind.collections).some(({ part }) => part !== undefined)
  const read = new Set(desired.flatMap(writtenFor))
  // With `access: full` it was read with what nobody declares.
  const leavesOut =
    selects && undeclared === undefined && changes.some((change) => movesMembers(change) || movesStandIns(change))
  const leftOut = (object: Desired): boolean =>
    holdsLevels(object) && !writtenFor(object).some((each) => read.has(each))
  const closed = [
    ...(leavesOut ? asWritten.filter(leftOut) : []),
    // A new member of a group below an unread one may gain the unread one's rights.
    ...desired.filter((each) => failed.has(each.address) && (holdsLevels(each) || nestsOf(each.kind) !== undefined)),
    ...(undeclared?.leftOut ?? []).filter((left) => left.isList || holdsLevels(left) || isGroup(left.kind)),
    ...between.leftOut,
  ]
  const held = changes.some(movesBetweenGroups) ? heldUnseen(graph) : []
  const beside = { unread: addressesOf(closed), unclear: addressesOf(unclear), held }
  let blocks: ReturnType<typeof accessDifference> | undefined
  const difference = () => {
    blocks ??= accessDifference(graph)
    return blocks
  }
  return { graph, blocks: difference, beside, changes: whole, aftermath }
}

const isSame = (some: readonly Change[], others: readonly Change[]): boolean =>
  some.length === others.length && some.every((change, index) => change === others[index])

const addressesOf = (objects: readonly { readonly address: string }[]): readonly string[] =>
  [...new Set(objects.map(({ address }) => address))].sort()

/** The unread facts that matter for these changes, for a plan that reads declared objects only. */
function unreadScope(changes: readonly Change[], mode: AccessDocument['mode']): AccessDocument['unlooked'] {
  if (mode === 'none') return changes.some(movesPeople) ? 'people' : undefined
  if (mode !== 'declared') return undefined
  if (changes.some(movesNested)) return 'groups'
  return changes.some(movesStandIns) ? 'represented' : undefined
}

const movesPeople = (change: Change): boolean =>
  change.action === 'delete' ||
  movesStandIns(change) ||
  change.collections.length > 0 ||
  (change.action === 'create' &&
    Object.values(change.desired?.collections ?? {}).some(({ elements }) => elements.size > 0))

/** True if an existing group gains or loses a member. */
function movesNested(change: Change): boolean {
  const { action, collections, desired } = change
  const nests = nestsOf(kindOf(change))
  if (nests === undefined) return false
  if (action === 'create') return (desired?.collections[nests]?.elements.size ?? 0) > 0
  return action === 'update' && collections.some(({ collection }) => collection === nests)
}

function movesMembers(change: Change): boolean {
  const nests = nestsOf(kindOf(change))
  if (nests === undefined) return false
  return (
    change.action === 'create' ||
    change.action === 'delete' ||
    change.collections.some(({ collection }) => collection === nests)
  )
}

/** True if a list changes, or an account is created or deleted. */
function movesAccess(change: Change): boolean {
  const { action, collections } = change
  if (movesStandIns(change)) return true
  return action === 'create' || action === 'delete' || collections.length > 0
}
