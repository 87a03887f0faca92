// Finds accounts that gain access without a licence: requests cover only accounts without declared licences.
import type { accessDifference } from '@svcsync/core/access/access-difference.ts'
import type { Aftermath } from '@svcsync/core/access/aftermath.ts'
import type { AccessDocument } from '@svcsync/core/access/describe-access.ts'
import type { AccessGraph } from '@svcsync/core/access/graph-model.ts'
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import { objectAddress } from '@svcsync/core/model/address.ts'
import type { Unreadable } from '@svcsync/core/model/live.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import { hasUnusableName } from '@svcsync/live/read-object.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Project } from '@svcsync/project/project.ts'
import { refusedKinds } from '../open/scope-needs.ts'
import { licenceKindIn, listLicences, whyUnread } from './licences-held.ts'

type LicenceKind = NonNullable<ReturnType<typeof licenceKindIn>>

/** Up to this number, each gets its own request; above, the list needs fewer. */
const fewPeople = 20

const mostNamed = 1000

interface GainContext {
  readonly graph: AccessGraph
  readonly blocks: () => ReturnType<typeof accessDifference>
  readonly changes: readonly Change[]
  readonly aftermath: Aftermath
  readonly unreadable: readonly Unreadable[]
  readonly users: readonly string[]
}

/** Undefined: no user gains anything, or there are no licences to look at. */
export async function licencesOfGainers(
  client: PlatformClient,
  gaining: GainContext,
  reading: LicenceReads,
): Promise<AccessDocument['licences']> {
  const { project, reads } = reading
  const licence = licenceKindIn(project.kinds)
  if (licence === undefined) return undefined
  const before = client.stats().requests
  const { gainers, unread } = await usersWhoGain(client, gaining, reading)
  if (gainers.size === 0 && unread === null) return undefined
  const planned = licensedByPlan(gaining, licence)
  const undeclared = [...gainers.keys()].filter((key) => !planned.has(key))
  const asked = await askFor(client, undeclared, {
    graph: gaining.graph,
    licence,
    reads,
    pageSize: project.settings.pageSize,
  })
  const unlicensed = [...gainers]
    .flatMap(([key, svcId]) => ((planned.has(key) ? planned.get(key) : asked.held(key)) === false ? [svcId] : []))
    .sort()
  return {
    missing: unlicensed.length,
    accounts: unlicensed.slice(0, mostNamed),
    requests: client.stats().requests - before,
    unread: unread ?? asked.unread,
  }
}

type LicenceReads = Pick<Observation, 'reads'> & { readonly project: Pick<Project, 'kinds' | 'settings'> }

/** Applications, and accounts of a directory, need none. By key; `unread`: why nobody knows who is a user. */
async function usersWhoGain(
  client: PlatformClient,
  { graph, blocks, changes, users }: GainContext,
  reading: LicenceReads,
): Promise<{ readonly gainers: ReadonlyMap<string, string>; readonly unread: string | null }> {
  const gaining = new Set(
    blocks().flatMap(({ effect, certain, subjects }) => (effect === 'gain' && certain ? subjects : [])),
  )
  if (gaining.size === 0) return { gainers: new Map(), unread: null }
  const known = new Set([...users, ...changes.flatMap((each) => (kindOf(each).provides === 'user' ? keyOf(each) : []))])
  const alone = [...graph.numbers].filter(([, number]) => gaining.has(number) && graph.single.has(number))
  const found = alone.map(([key, number]) => [key, graph.svcIds[number] as string] as const)
  const others = found.filter(([key]) => !known.has(key))
  // A list of members tells that they are no groups, and not that they are users.
  const named = others.length === 0 ? new Set<string>() : await usersAmong(client, others, reading)
  if (typeof named === 'string') return { gainers: new Map(found.filter(([key]) => known.has(key))), unread: named }
  return { gainers: new Map(found.filter(([key]) => known.has(key) || named.has(key))), unread: null }
}

/** By the list of users, where it was read or takes fewer requests. A text: why nobody knows. */
async function usersAmong(
  client: PlatformClient,
  accounts: readonly (readonly [key: string, svcId: string])[],
  { reads, project: { kinds, settings } }: LicenceReads,
): Promise<ReadonlySet<string> | string> {
  const kind = kinds.find(({ provides }) => provides === 'user')
  if (kind === undefined) return new Set()
  try {
    const { refused } = await refusedKinds(client, new Map([[kind, kind.scopes.read]]))
    const why = refused.get(kind)
    if (why !== undefined) return why
    const list = kind.requests.list?.({})
    if (list !== undefined && (accounts.length > fewPeople || reads.lists.isBegun(list))) {
      const listed = await reads.lists.read(client, kind, {}, list, settings)
      return new Set(accounts.flatMap(([key]) => (listed.has(key) ? key : [])))
    }
    const found = await Promise.all(accounts.map(([, svcId]) => reads.accounts(client, kind, svcId)))
    return new Set(accounts.flatMap(([key], index) => (found[index] === undefined ? [] : key)))
  } catch (error) {
    return hasUnusableName(error) ? error.message : whyUnread(error)
  }
}

/** By key, of those with declared licences; null: theirs could not be read. */
export function plannedLicences(
  planned: Parameters<typeof licensedByPlan>[0],
  { kinds }: Pick<Project, 'kinds'>,
): ReadonlyMap<string, boolean | null> {
  const licence = licenceKindIn(kinds)
  return licence === undefined ? new Map() : licensedByPlan(planned, licence)
}

/** True if an account with declared licences has one after the plan; null: they were unreadable, as the plan says. */
function licensedByPlan(
  { graph, changes, aftermath, unreadable }: Pick<GainContext, 'graph' | 'changes' | 'aftermath' | 'unreadable'>,
  { kind, collection }: LicenceKind,
) {
  const own = changes.filter((change) => kindOf(change) === kind)
  const planned = new Map<string, boolean | null>(
    own.map((change) => [keyOf(change), aftermath.elements(change, collection, 'after').length > 0]),
  )
  const unread = new Set(unreadable.map(({ address }) => address))
  if (unread.size > 0)
    for (const [key, number] of graph.numbers)
      if (unread.has(objectAddress(kind, graph.svcIds[number] as string))) planned.set(key, null)
  return planned
}

interface LicenceAnswers {
  /** null: not known. */
  held(key: string): boolean | null
  /** Why some could not be read; null: all were. */
  readonly unread: string | null
}

interface LicenceQuestion extends Pick<Observation, 'reads'> {
  readonly graph: AccessGraph
  readonly licence: LicenceKind
  readonly pageSize: number
}

async function askFor(
  client: PlatformClient,
  keys: readonly string[],
  asking: LicenceQuestion,
): Promise<LicenceAnswers> {
  const { graph, licence, reads, pageSize } = asking
  if (keys.length === 0) return { held: () => null, unread: null }
  const { kind, collection } = licence
  const notRead = (why: string): LicenceAnswers => ({ held: () => null, unread: why })
  try {
    const { refused } = await refusedKinds(client, new Map([[kind, kind.scopes.read]]))
    const why = refused.get(kind)
    if (why !== undefined) return notRead(why)
    // A new account has none, if there are licences at all.
    const [first, ...others] = keys.filter((key) => !graph.created.has(graph.numbers.get(key) as number))
    const list = kind.requests.list?.({})
    if (first === undefined || others.length >= fewPeople || (list !== undefined && reads.lists.isBegun(list))) {
      const { byPerson, unread } = await listLicences(client, licence, reads.lists, pageSize)
      const [reason = null] = keys.flatMap((key) => unread.get(key) ?? [])
      return { held: (key) => (unread.has(key) ? null : (byPerson.get(key)?.length ?? 0) > 0), unread: reason }
    }
    const ask = async (key: string) => [key, await readOne(client, licence, reads, svcIdOf(graph, key))] as const
    // A refusal of one applies to the others, too.
    const tried = await ask(first)
    const found = new Map([tried, ...(typeof tried[1] === 'string' ? [] : await Promise.all(others.map(ask)))])
    const [reason = null] = [...found.values()].flatMap((each) => (typeof each === 'string' ? each : []))
    if (typeof tried[1] === 'string') return notRead(tried[1])
    return {
      held(key) {
        const each = found.get(key)
        return typeof each === 'string' ? null : each !== undefined && (each.collections[collection]?.length ?? 0) > 0
      },
      unread: reason,
    }
  } catch (error) {
    return notRead(whyUnread(error))
  }
}

const svcIdOf = ({ numbers, svcIds }: AccessGraph, key: string): string => svcIds[numbers.get(key) as number] as string

/** A text: why it could not be read. */
async function readOne(client: PlatformClient, { kind }: LicenceKind, reads: Observation['reads'], svcId: string) {
  try {
    return await reads.accounts(client, kind, svcId)
  } catch (error) {
    return hasUnusableName(error) ? error.message : whyUnread(error)
  }
}
