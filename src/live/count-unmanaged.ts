// Counts the live objects that no manifest declares. It costs the pages of lists, and no object is read.

import { declaredTest } from '@svcsync/core/assemble/declared-test.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import type { LiveItem } from '@svcsync/core/model/live-tree.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { Unmanaged } from '@svcsync/core/plan/plan-document.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import { discover } from './discover.ts'
import type { MetadataLists } from './metadata-lists.ts'
import type { ObjectLists } from './object-lists.ts'

interface CountOptions
  extends Pick<Parameters<typeof discover>[1], 'kinds' | 'databases' | 'refused' | 'pageSize' | 'within'> {
  readonly metadata: MetadataLists
  readonly lists: ObjectLists
  /** Pruned objects are among the changes. */
  isPruned(kind: Kind, name: string): boolean
  /** Lists inside of containers that no manifest declares are read as well. */
  readonly everywhere: boolean
}

/** A database may have two names, and in 5.0 nothing tells that a process of a second application is lent. */
type CountedObjects = Map<string | number, { readonly address: string; readonly declared: boolean }>

/** `desired`: all declarations, with resolved names. The result names lists that could not be read. */
export async function countUnmanaged(
  port: PlatformPort,
  desired: readonly Desired[],
  options: CountOptions,
): Promise<Unmanaged> {
  const { kinds, metadata, lists, everywhere } = options
  const isDeclared = declaredTest(desired, port.normalise)
  const counts = new Map<Kind, CountedObjects>()
  const skipped = new Map<Kind, number>()
  const descends = (kind: Kind, at: Location, parent: LiveItem): boolean => {
    if (kind.lookup === undefined) {
      const list = kind.requests.list?.(at)
      return list !== undefined && lists.isBegun(list)
    }
    if (metadata.has({ request: kind.lookup.request(at), key: kind.lookup.key })) return true
    // Below processes there would be a list for each of them.
    if (kind.scope === 'parent') return false
    if (everywhere || isDeclared(parent.kind, parent.address, parent.identity)) return true
    skipped.set(kind, (skipped.get(kind) ?? 0) + 1)
    return false
  }
  const unlisted: { readonly kind: Kind; readonly address: string; readonly reason: string }[] = []
  try {
    const { leftOut } = await discover(port, {
      ...options,
      only: [],
      descends,
      passes(kind, address, name, at) {
        if (options.isPruned(kind, name)) return 'prune'
        const count = getOrInsert(counts, kind, (): CountedObjects => new Map())
        const self = at?.[kind.name] ?? at?.self
        const key = kind.scope === 'database' && self !== undefined ? `${at?.dbId} ${self}` : count.size
        const declared = isDeclared(kind, address, name)
        const earlier = count.get(key)
        if (earlier === undefined || declared || (!earlier.declared && address < earlier.address))
          count.set(key, { address, declared })
        return 'declared'
      },
    })
    for (const { kind, address, reason, isList } of leftOut)
      if (isList === true) unlisted.push({ kind, address, reason })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    for (const kind of kinds.filter(({ scope }) => scope !== 'parent')) {
      unlisted.push({ kind, address: kind.segment, reason: error.message })
    }
  }
  return Object.fromEntries(
    kinds.flatMap((kind): [string, Unmanaged[string]][] => {
      // Kinds without a list cannot be counted.
      if (page.of(kind) !== undefined) return []
      const failed = unlisted.filter((each) => each.kind === kind).map(({ address, reason }) => ({ address, reason }))
      const count = counts.get(kind)
      if (count === undefined && failed.length === 0 && (kind.scope === 'parent' || options.within?.length)) return []
      const all = [...(count?.values() ?? [])]
      const addresses = all.flatMap(({ address, declared }) => (declared ? [] : [address]))
      const missed = skipped.get(kind) ?? 0
      return [
        [
          kind.name,
          {
            live: count === undefined && failed.length > 0 ? null : all.length,
            declared: all.length - addresses.length,
            addresses: addresses.sort(),
            ...(failed.length > 0 && { unlisted: failed }),
            ...(missed > 0 && { skippedLists: missed }),
          },
        ],
      ]
    }),
  )
}
