// Looks through the lists of pruned kinds for objects that no manifest declares, and reads those that are to go.
import type { Change } from '@svcsync/core/compare/change.ts'
import { byAddress, objectAddress } from '@svcsync/core/model/address.ts'
import { hasEnded } from '@svcsync/core/model/capabilities/has-ended.ts'
import { isMisread, type Kind, type Location } from '@svcsync/core/model/kind.ts'
import { type Live, liveOf, type Unreadable } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { type createPruneJudge, deletionChange, type PruneFindings } from '@svcsync/core/plan/prune.ts'
import type { ObjectLists } from './object-lists.ts'
import { howToTellApart, type ListedPart, type ListedParts } from './read-list.ts'
import { countWithin, type ReadSettings } from './read-live.ts'
import { concernsOne, otherShape, readObject } from './read-object.ts'

/** Failures are reported, and their objects stay. */
export async function readOrphans(
  port: PlatformPort,
  kinds: readonly Kind[],
  judge: ReturnType<typeof createPruneJudge>,
  lists: ObjectLists,
  settings: Pick<ReadSettings, 'pageSize' | 'within'> & { readonly nowMs: number },
): Promise<PruneFindings> {
  const orphans: Change[] = []
  const kept: PruneFindings['kept'][number][] = []
  const unreadable: Unreadable[] = []
  const totals = new Map<string, number>()
  const note = (address: string, error: unknown): void => {
    if (!concernsOne(error)) throw error
    const { code, message, hint } = error
    unreadable.push({ address, code, reason: `Prune could not read it: ${message}`, hint })
  }
  await Promise.all(
    kinds.map(async (kind) => {
      const list = kind.requests.list?.({})
      if (list === undefined) return
      let listed: ListedParts
      try {
        listed = await lists.read(port, kind, {}, list, settings)
      } catch (error) {
        note(objectAddress(kind, '*'), error)
        return
      }
      totals.set(kind.name, countWithin(kind, listed, settings.within))
      await Promise.all(
        [...listed.values()].map(async (parts) => {
          const [part, second] = parts
          const verdict = part && judge(kind, part.name)
          if (part === undefined || verdict === undefined) return
          if (!('pattern' in verdict)) {
            kept.push(verdict)
            return
          }
          if (!mayGo(kind, parts, settings.nowMs)) return
          const address = objectAddress(kind, part.name)
          if (second !== undefined) {
            unreadable.push({ address, reason: ofOneName, hint: howToTellApart(kind) })
            return
          }
          const reading = readPart(port, kind, part, list.path)
          const live = await reading.catch((error: unknown) => note(address, error))
          if (live) orphans.push(deletionChange(live, { prunedBy: verdict.pattern }))
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

const ofOneName = 'Several live objects have this name: prune cannot tell them apart'

/** An object whose time is not over stays. */
function mayGo(kind: Kind, parts: readonly ListedPart[], nowMs: number): boolean {
  return parts.some((part) => isMisread(part) || (hasEnded.of(kind)?.(part.spec, nowMs) ?? true))
}

/** The whole object, of which a list may tell a part. Undefined: it is gone. */
async function readPart(port: PlatformPort, kind: Kind, part: ListedPart, path: string): Promise<Live | undefined> {
  const address = objectAddress(kind, part.name)
  if (isMisread(part)) throw otherShape(kind, path, part.misread, address)
  const at: Location = { name: part.name, self: part.self }
  const isWhole = kind.parseItem === undefined
  return isWhole ? liveOf(part, { kind, address, at }, port.normalise) : readObject(port, kind, address, at)
}
