// Access with the facts that rules ask about: its place in manifests, its age, and the licence.
import type { Place } from '@svcsync/errors/index.ts'
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { stock } from '../model/capabilities/stock.ts'
import { accessGraphOf } from './access-graph.ts'
import type { Time } from './aftermath.ts'
import { type DeclaredLine, declaredPlaces } from './declared-places.ts'
import type { AccessEntry } from './describe-access.ts'
import { type AccessGraph, peopleIn } from './graph-model.ts'
import { listAccess } from './list-access.ts'

export interface StandingEntry {
  readonly entry: AccessEntry
  readonly kind: string
  /** The place in manifests; undefined: none. */
  readonly place: () => Place | undefined
  /** `2026-11-20`; undefined: nobody declared it, or nobody knows. */
  readonly since?: string | undefined
  /** null: nobody knows. */
  readonly licensed: boolean | null
}

interface About {
  readonly normalise: NormaliseSvcId
  /** The date for the lines of a whole way; absent: nobody asks. */
  readonly sinceOf?: ((lines: readonly DeclaredLine[]) => string | undefined) | undefined
  /** For users, by key; null: nobody knows. */
  readonly licensed: (key: string, time: Time) => boolean | null
}

/** For both times: their common part is looked up once. */
export function standingEntries(
  graph: AccessGraph,
  changes: readonly Change[],
  { normalise, sinceOf, licensed }: About,
): (time: Time) => readonly StandingEntry[] {
  const kindAt = new Map(changes.map((change) => [change.address, kindOf(change).name]))
  const users = new Set(changes.flatMap((each) => (kindOf(each).provides === 'user' ? keyOf(each) : [])))
  const placesOf = declaredPlaces(changes, normalise)
  return (time) =>
    listAccess(graph, time, peopleIn(graph)).map((entry): StandingEntry => {
      const key = normalise(entry.subject as string)
      const lines = sinceOf === undefined ? [] : placesOf(entry)
      return {
        entry,
        kind: kindAt.get(entry.address) as string,
        place: () => placesOf(entry)[0]?.place,
        since: lines.length === entry.via.length + 1 ? sinceOf?.(lines) : undefined,
        licensed: users.has(key) ? licensed(key, time) : null,
      }
    })
}

/** From what is declared alone: changes as if nothing were live. */
export function declaredEntries(
  changes: readonly Change[],
  { normalise, sinceOf, nowMs }: Omit<About, 'licensed'> & { readonly nowMs: number },
): readonly StandingEntry[] {
  const graph = accessGraphOf(changes, nowMs)
  const licences = new Map(
    changes.flatMap((change) => {
      const [name = ''] = Object.entries(kindOf(change).collections).find(([, each]) => stock.of(each)) ?? []
      const own = change.desired?.collections[name]
      return own === undefined ? [] : [[keyOf(change), own.elements.size > 0] as const]
    }),
  )
  return standingEntries(graph, changes, { normalise, sinceOf, licensed: (key) => licences.get(key) ?? null })('after')
}
