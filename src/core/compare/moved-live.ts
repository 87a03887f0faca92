// The part of a comparison that was changed on the platform since the base: what drift speaks of, and not what is only declared otherwise.
import { type Cause, causeOfObject, causesOfElements } from './cause.ts'
import type { Change } from './change.ts'

/** Whether the platform was changed, and not the manifests alone. */
export function isByHand({ cause }: { readonly cause?: Cause | null | undefined }): boolean {
  return cause === 'live' || cause === 'both'
}

/** All that was read, with these changes alone: as if the rest was declared as it is live. Fields are all there. */
export function movedLive(changes: readonly Change[]): Change[] {
  return changes.flatMap((change): Change[] => {
    const { action, desired, live } = change
    if (action === 'create' || action === 'delete') {
      if (isByHand({ cause: causeOfObject(change) })) return [change]
      return live === undefined ? [] : [{ ...change, action: 'none', collections: [] }]
    }
    if (action === 'none' || desired === undefined) return [change]
    const collections = change.collections.map((difference) => {
      const { collection, added, removed } = difference
      const causes = causesOfElements(desired, collection, live?.collections[collection] ?? [], removed)
      return {
        ...difference,
        added: added.filter(({ element }) => isByHand({ cause: causes.added(element) })),
        removed: removed.filter((element) => isByHand({ cause: causes.removed(element) })),
      }
    })
    return [{ ...change, collections: collections.filter(({ added, removed }) => added.length + removed.length > 0) }]
  })
}
