// Looks through the lists of pruned kinds for objects that no manifest declares, and reads those that are to go.

import type { Change } from '../core/compare/change.ts'
import { byAddress, objectAddress } from '../core/model/address.ts'
import { over } from '../core/model/capabilities/over.ts'
import { isMisread, type Location } from '../core/model/kind.ts'
import { liveOf, type Unreadable } from '../core/model/live.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import { deletionChange, type PruneFindings, type PruneJudge, type PruneRule } from '../core/plan/prune.ts'
import { PlatformError } from '../errors/index.ts'
import type { ObjectLists } from './object-lists.ts'
import { howToTellApart, type ListedPart, type ListedParts, type ListSettings } from './read-list.ts'
import { concernsRun, otherShape, readObject } from './read-object.ts'

/** Rejects only where the platform cannot be reached or refuses the token: what else fails is said, and nothing of it is deleted. */
export async function readOrphans(
  port: PlatformPort,
  rules: readonly PruneRule[],
  judge: PruneJudge,
  lists: ObjectLists,
  settings: ListSettings & { readonly nowMs: number },
): Promise<PruneFindings> {
  const orphans: Change[] = []
  const kept: PruneFindings['kept'][number][] = []
  const unreadable: Unreadable[] = []
  const totals = new Map<string, number>()
  const note = (address: string, error: unknown): void => {
    if (!(error instanceof PlatformError) || concernsRun(error)) throw error
    const { code, message, hint } = error
    unreadable.push({ address, code, reason: `Prune could not look at it: ${message}`, hint })
  }
  await Promise.all(
    rules.map(async ({ kind }) => {
      const list = kind.requests.list?.({})
      if (list === undefined) return
      let listed: ListedParts
      try {
        listed = await lists.read(port, kind, {}, list, settings)
      } catch (error) {
        note(objectAddress(kind, '*'), error)
        return
      }
      totals.set(kind.name, listed.size)
      const isWhole = kind.parseItem === undefined
      await Promise.all(
        [...listed.values()].map(async (parts) => {
          const [part, second] = parts
          if (part === undefined) return
          const verdict = judge(kind, part.name)
          if (verdict === undefined) return
          if (!('pattern' in verdict)) {
            kept.push(verdict)
            return
          }
          const address = objectAddress(kind, part.name)
          // What has not ended is nobody's to delete.
          const mayGo = (each: ListedPart): boolean =>
            isMisread(each) || (over.of(kind)?.(each.spec, settings.nowMs) ?? true)
          if (!parts.some(mayGo)) return
          if (second !== undefined) {
            const reason = 'Several live objects bear this name: prune cannot tell them apart'
            unreadable.push({ address, reason, hint: howToTellApart(kind) })
            return
          }
          if (isMisread(part)) return note(address, otherShape(kind, list.path, part.misread, address))
          const at: Location = { name: part.name, self: part.self }
          try {
            const live = isWhole
              ? liveOf(part, { kind, address, at }, port.normalise)
              : await readObject(port, kind, address, at)
            if (live === undefined) return
            orphans.push(deletionChange(live, { prunedBy: verdict.pattern }))
          } catch (error) {
            note(address, error)
          }
        }),
      )
    }),
  )
  return {
    orphans: orphans.sort(byAddress),
    kept: kept.sort(byAddress),
    unreadable: unreadable.sort(byAddress),
    totals,
  }
}
