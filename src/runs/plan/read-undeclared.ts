// Reads what the manifests leave to others and accounts hold all the same: users, groups, and lists with levels.

import { declaredTest } from '@svcsync/core/assemble/declared-test.ts'
import { type Change, kindOf } from '@svcsync/core/compare/change.ts'
import { byAddress } from '@svcsync/core/model/address.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import { fieldKeysOf, nameKey } from '@svcsync/core/model/identity.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { LiveItem } from '@svcsync/core/model/live-tree.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { discover } from '@svcsync/live/discover.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { ReadProject } from '../open/open-project.ts'
import { exportNeeds, refusedKinds } from '../open/scope-needs.ts'

interface PlanRead extends Pick<Plan, 'changes' | 'unreadable'> {
  readonly reads?: Observation['reads'] | undefined
  /** Substitutions are read also if no change is of one. */
  readonly standIns?: boolean
}

/** `changes`: all objects, with lists that the plan had no need to read; `looked`: kinds of which all was read. */
export async function readUndeclared(
  client: PlatformClient,
  { project }: Pick<ReadProject, 'project'>,
  { changes, unreadable, reads, standIns = false }: PlanRead,
  onProgress?: (objects: number) => void,
) {
  const { kinds, target, settings } = project
  const { normalise } = client
  const whole = changes.filter(isWhole)
  const isDeclared = declaredTest(
    whole.flatMap(({ desired }) => desired ?? []),
    normalise,
  )
  const known = new Set([...whole, ...unreadable].map(({ address }) => address))
  // To read substitutions takes access of its own: only if any is managed, or nothing tells that.
  const managed = new Set(changes.map(kindOf))
  const concerned = kinds.filter(
    (kind) => concernsAccess(kind) || (standIn.of(kind) !== undefined && (standIns || managed.has(kind))),
  )
  const needed = exportNeeds(kinds, [], concerned)
  const { refused } = await refusedKinds(client, needed)
  const tree = await discover(client, {
    ...{ kinds: [...needed.keys()], databases: eachOnce(target.databases), only: [], refused },
    pageSize: settings.pageSize,
    ...reads,
    keepsUntold: true,
    passes: (kind, address, name) => (known.has(address) || isDeclared(kind, address, name) ? 'declared' : undefined),
    ...(onProgress && { onProgress }),
  })
  const read = new Map(
    tree.items.filter((item) => item.wanted).map((item) => [item.address, unchanged(item, normalise)]),
  )
  const planned = changes.map((change) => {
    const found = read.get(change.address)?.live
    read.delete(change.address)
    if (found === undefined || change.live === undefined) return change
    const { perhapsGroups, collections } = found
    return { ...change, live: { ...change.live, perhapsGroups, collections } }
  })
  return {
    changes: [...planned, ...read.values()].sort(byAddress),
    leftOut: tree.leftOut,
    // Objects that no list tells were read only if declared.
    looked: concerned
      .filter((kind) => page.of(kind) === undefined)
      .map(({ name }) => name)
      .sort(),
    unlooked: kinds.some((kind) => standIn.of(kind) !== undefined && !concerned.includes(kind))
      ? ('stand-ins' as const)
      : undefined,
  }
}

/** A plan does not read the lists of an object that it declares without them. */
function isWhole({ live }: Change): boolean {
  if (live === undefined) return true
  const { collections } = live.kind
  return Object.keys(collections).every((name) => live.collections[name] !== undefined)
}

/** A database with two names counts once, by the first, so that its objects do not appear twice. */
export function eachOnce(databases: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const entries = Object.entries(databases)
  return Object.fromEntries(entries.filter(([, id], index) => entries.findIndex(([, other]) => other === id) === index))
}

export function concernsAccess({ provides, collections }: Kind): boolean {
  return provides !== undefined || Object.values(collections).some((each) => each.of !== 'items')
}

function unchanged(item: LiveItem, normalise: PlatformClient['normalise']): Change {
  const { kind, address, at, identity, spec, collections, perhapsGroups } = item
  const name = {
    name: identity,
    self: '',
    key: nameKey(kind, identity, normalise),
    fieldKeys: fieldKeysOf(kind.sections[0], spec, normalise),
    at: { ...at, name: identity },
  }
  const live = { kind, address, ...name, spec, collections, perhapsGroups, ready: true }
  return { address, action: 'none', desired: undefined, live, fields: [], collections: [], unverifiable: [] }
}
