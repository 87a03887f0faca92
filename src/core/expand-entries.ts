// From entries as written to the accounts that count now: sets are expanded, and what is outside its time does not count.
import type { Place, Problem } from '../errors/index.ts'
import { type Declaration, placeIn } from './declaration.ts'
import type { AssemblySettings, Upcoming } from './desired.ts'
import { readBounds } from './entry-bounds.ts'
import { flattenSets, unknownSet } from './flatten-sets.ts'
import type { DeclaredElement } from './kind.ts'
import { always, type Bounds, isoMoment, shownBound, within } from './time-bounds.ts'

/** An account that counts now. */
export interface ActiveEntry {
  readonly svcId: string
  /** The line in a set that names it, where it came through one. */
  readonly listedAt: Place | undefined
}

/** Plans say what begins or ends within this time. */
export const upcomingMs = 14 * 86_400_000

export interface Expansion {
  readonly active: readonly ActiveEntry[]
  readonly upcoming: readonly Upcoming[]
}

/** True of nearly all entries there are: they stand for one account, always. */
export function isPlainEntry({ set, from, until }: DeclaredElement): boolean {
  return set === undefined && from === undefined && until === undefined
}

/** The accounts that one entry of a list stands for now. */
export function expandEntry(
  declaration: Declaration,
  path: readonly (string | number)[],
  declared: DeclaredElement,
  settings: AssemblySettings,
  problems: Problem[],
): Expansion {
  const active: ActiveEntry[] = []
  const upcoming: Upcoming[] = []
  const place = (key?: string): Place => placeIn(declaration, key === undefined ? path : [...path, key])
  const bounds = readBounds(declared, always, place, settings.time, problems)
  const count = (svcId: string, bounds: Bounds, place: Place, listedAt: Place | undefined): void => {
    const { nowMs, timeZone } = settings.time
    const { fromMs, untilMs, fromText = '', untilText = '' } = bounds
    if (nowMs >= fromMs && nowMs < untilMs) active.push({ svcId, listedAt })
    const announce = (event: Upcoming['event'], ms: number, text: string): void => {
      if (fromMs >= untilMs || ms <= nowMs || ms > nowMs + upcomingMs) return
      upcoming.push({ svcId, event, at: isoMoment(ms), shown: shownBound(text, timeZone), place })
    }
    announce('begins', fromMs, fromText)
    announce('ends', untilMs, untilText)
  }
  if (declared.set === undefined) {
    count(declared.element.svcId, bounds, place(), undefined)
    return { active, upcoming }
  }
  const entries = flattenSets(settings).entries.get(declared.set)
  if (entries === undefined) problems.push(unknownSet(declared.set, place(), settings.sets.keys()))
  for (const entry of entries ?? []) count(entry.svcId, within(bounds, entry.bounds), entry.place, entry.place)
  return { active, upcoming }
}
