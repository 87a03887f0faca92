// Reads undeclared groups that hold something on declared objects or have members who move, and the groups in them.
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import { Aftermath, nestsOf } from '@svcsync/core/access/aftermath.ts'
import type { AccessGraph } from '@svcsync/core/access/graph-model.ts'
import { movesBetweenGroups, worthALook } from '@svcsync/core/access/unseen.ts'
import { declaredAccounts } from '@svcsync/core/assemble/account-uses.ts'
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import { objectAddress } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import { InternalError } from '@svcsync/errors/index.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import { concernsOne, hasUnusableName } from '@svcsync/live/read-object.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { refusedKinds } from '../open/scope-needs.ts'

/** Up to this many, each is looked for by itself; above, the lists are fewer requests. */
const fewAccounts = 20

interface GroupsBetween {
  readonly groups: readonly Change[]
  /** Keys of accounts that a look-up found to be users. */
  readonly users: readonly string[]
  readonly leftOut: readonly { readonly address: string; readonly kind: Kind; readonly reason: string }[]
  /** Worked out to find them: whoever asks next of the same changes needs no second graph. */
  readonly walked?: { readonly changes: readonly Change[]; readonly aftermath: Aftermath; readonly graph: AccessGraph }
}

interface MembershipChanges extends Pick<Observation, 'reads'> {
  readonly changes: readonly Change[]
  /** Addresses of unreadable groups. */
  readonly refused: ReadonlySet<string>
  /** True if all holders count, whether anybody moves or not. */
  readonly all?: boolean
}

/** The state of an account: a group, a user, neither, or a group that refuses the read. */
type KnownAccount = { readonly group: Live } | { readonly is: 'user' | 'neither' } | { readonly refused: string }

/** Rejects only if the run cannot continue. */
export async function readBetween(
  client: PlatformClient,
  { assembly, desired, project }: OpenedProject,
  { changes, reads, refused, all = false }: MembershipChanges,
): Promise<GroupsBetween> {
  const groups: Change[] = []
  const leftOut: GroupsBetween['leftOut'][number][] = []
  const declared = declaredAccounts(desired)
  const isExternal = externalAccounts(project.externalAccounts, assembly.normalise)
  const users = new Set<string>()
  const looked = new Set(declared.groups.keys())
  const [groupKind, userKind] = accountKindsIn(project.kinds)
  const groupAddress = (svcId: string): string => objectAddress(groupKind, svcId)
  const moves = all || changes.some(movesBetweenGroups)
  const look = accountLook(client, reads, [groupKind, userKind], project.settings.pageSize)
  for (;;) {
    const whole = [...changes, ...groups]
    const aftermath = new Aftermath(whole)
    const graph = accessGraphOf(whole, assembly.time.nowMs, [...declared.users.keys(), ...users], aftermath)
    const keys = [...graph.numbers.keys()]
    const wanted = worthALook(graph, moves)
      .map((number) => ({ key: keys[number] as string, svcId: graph.svcIds[number] as string }))
      .filter(({ key, svcId }) => !looked.has(key) && !isExternal(svcId) && !refused.has(groupAddress(svcId)))
    if (wanted.length === 0) return { groups, users: [...users], leftOut, walked: { changes: whole, aftermath, graph } }
    for (const { key } of wanted) looked.add(key)
    const found = await look(wanted.map(({ svcId }) => svcId))
    for (const [index, each] of found.entries()) {
      const { key, svcId } = wanted[index] as (typeof wanted)[number]
      if ('group' in each) groups.push(unchangedGroup(each.group))
      else if ('refused' in each) leftOut.push({ address: groupAddress(svcId), kind: groupKind, reason: each.refused })
      else if (each.is === 'user') users.add(key)
    }
  }
}

/** Looks by lists, where they were read for something else or would take fewer requests. */
function accountLook(
  client: PlatformClient,
  reads: Observation['reads'],
  [groupKind, userKind]: readonly [Kind, Kind],
  pageSize: number,
): (svcIds: readonly string[]) => Promise<readonly KnownAccount[]> {
  const listed = async (kind: Kind, isMany: boolean): Promise<ReadonlyMap<string, unknown> | undefined> => {
    const list = kind.requests.list?.({})
    if (list === undefined || !(isMany || reads.lists.isBegun(list))) return undefined
    // If the list is refused, each may still be readable.
    return reads.lists.read(client, kind, {}, list, { pageSize }).catch(unlessRefused)
  }
  return async (svcIds) => {
    const needed = new Map([groupKind, userKind].map((kind) => [kind, kind.scopes.read]))
    const { refused } = await refusedKinds(client, needed)
    const isMany = svcIds.length > fewAccounts
    const find = async (kind: Kind, svcId: string, names: ReadonlyMap<string, unknown> | undefined) => {
      if (refused.has(kind) || names?.has(client.normalise(svcId)) === false) return undefined
      return reads.accounts(client, kind, svcId)
    }
    const [groups, users] = await Promise.all(
      [groupKind, userKind].map((kind) => (refused.has(kind) ? undefined : listed(kind, isMany))),
    )
    return Promise.all(
      svcIds.map(async (svcId): Promise<KnownAccount> => {
        try {
          const group = await find(groupKind, svcId, groups)
          if (group !== undefined) return { group }
          const isListed = users?.has(client.normalise(svcId)) ?? false
          return { is: isListed || (await find(userKind, svcId, users)) ? 'user' : 'neither' }
        } catch (error) {
          if (hasUnusableName(error)) return { is: 'neither' }
          if (!concernsOne(error)) throw error
          return { refused: error.message }
        }
      }),
    )
  }
}

function unlessRefused(error: unknown): undefined {
  if (!concernsOne(error)) throw error
}

function accountKindsIn(kinds: readonly Kind[]): readonly [Kind, Kind] {
  const accounts = kinds.filter(({ provides }) => provides !== undefined)
  const [group, user] = [true, false].map((nests) => accounts.find((kind) => (nestsOf(kind) !== undefined) === nests))
  if (group === undefined || user === undefined) throw new InternalError('There is no kind of groups, or none of users')
  return [group, user]
}

/** With its members alone: who owns it is nothing on a declared object. */
function unchangedGroup(group: Live): Change {
  const nests = nestsOf(group.kind) as string
  const live = { ...group, collections: { [nests]: group.collections[nests] ?? [] } }
  const { address } = group
  return { address, action: 'none', desired: undefined, live, fields: [], collections: [], unverifiable: [] }
}
