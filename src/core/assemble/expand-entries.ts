// From entries as written to the accounts that count now: sets are expanded, what is outside its time is left out.
import type { Place } from '@svcsync/errors/index.ts'
import { type Declaration, placeIn } from '../model/declaration.ts'
import type { AssemblySettings, EntryPlaces } from '../model/desired.ts'
import { elementName } from '../model/elements.ts'
import type { DeclaredElement } from '../model/kind.ts'
import { intersectBounds, readBounds, type TimeBounds, unbounded } from '../model/time-bounds.ts'
import { type AssemblyRun, unknownSet } from './flatten-sets.ts'

/** True of nearly all entries: each always means one element. */
export function isPlainEntry({ set, from, until }: DeclaredElement): boolean {
  return set === undefined && from === undefined && until === undefined
}

export function expandEntry(
  declaration: Declaration,
  path: readonly (string | number)[],
  declared: DeclaredElement,
  { time, flat, sets, problems }: AssemblyRun,
): readonly { readonly svcId: string | undefined; readonly bounds: TimeBounds; readonly places: EntryPlaces }[] {
  const at = placeIn(declaration, path)
  const place = (key?: string): Place => (key === undefined ? at : placeIn(declaration, [...path, key]))
  const { element, set, from, until } = declared
  const bounds = readBounds({ svcId: elementName(element), set, from, until }, unbounded, place, time, problems)
  if (set === undefined) return [{ svcId: element.svcId, bounds, places: { place: at } }]
  const entries = flat.accountsOf(set, at)
  if (entries === undefined && set !== '') problems.push(unknownSet(set, at, sets.keys()))
  return (entries ?? []).map(({ svcId, bounds: inner, place: listedAt }) => {
    return { svcId, bounds: intersectBounds(bounds, inner), places: { place: at, set, listedAt } }
  })
}

export function countsAt({ fromMs, untilMs }: TimeBounds, ms: number): boolean {
  return ms >= fromMs && ms < untilMs
}

/** In a base: what has begun by now and was not over when that was applied, by the clock of whoever did. */
export function countsNow(bounds: TimeBounds, { nowMs, appliedMs }: AssemblySettings['time']): boolean {
  if (appliedMs === undefined) return countsAt(bounds, nowMs)
  const { fromMs, untilMs } = bounds
  return fromMs < untilMs && fromMs <= nowMs && untilMs > appliedMs - longestApplyMs
}

/** Entries that begin or end during an apply are due after it; steps already done cost nothing. */
export const longestApplyMs = 3_600_000
