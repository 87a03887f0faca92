// From entries as written to the accounts that count now: sets are expanded, and what is outside its time does not count.
import type { Place, Problem } from '../errors/index.ts'
import { readAccountEntry } from './account-entry.ts'
import { type AccountSet, placeInSet, placeOfEntry } from './account-sets.ts'
import { type Declaration, placeIn } from './declaration.ts'
import type { AssemblySettings, Upcoming } from './desired.ts'
import type { DeclaredElement } from './kind.ts'
import { suggestion } from './near-misses.ts'
import { always, type Bounds, boundMs, isoMoment, shownBound, within } from './time-bounds.ts'

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

interface Context {
  readonly settings: AssemblySettings
  readonly problems: Problem[]
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
  const context = { settings, problems }
  const bounds = readBounds(declared, always, place, context)
  const visit = (
    entry: Entry,
    bounds: Bounds,
    at: Place,
    listedAt: Place | undefined,
    through: readonly string[],
  ): void => {
    if (entry.svcId !== undefined) {
      count(entry.svcId, bounds, at, listedAt)
      return
    }
    const set = findSet(entry.set ?? '', at, through, context)
    for (const [index, item] of (set?.items ?? []).entries()) {
      const inner = readAccountEntry(item)
      const innerAt = placeOfEntry(set as AccountSet, index)
      const narrower = readBounds(
        inner,
        bounds,
        (key) => (key === undefined ? innerAt : placeInSet(set as AccountSet, [index, key])),
        context,
      )
      visit(inner, narrower, innerAt, innerAt, [...through, (set as AccountSet).name])
    }
  }
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
  const entry = declared.set === undefined ? { svcId: declared.element.svcId } : { set: declared.set }
  visit(entry, bounds, place(), undefined, [])
  return { active, upcoming }
}

interface Entry {
  readonly svcId?: string
  readonly set?: string
}

function readBounds(
  entry: { readonly from?: string; readonly until?: string },
  outer: Bounds,
  place: (key?: string) => Place,
  { settings, problems }: Context,
): Bounds {
  if (entry.from === undefined && entry.until === undefined) return outer
  const read = (key: 'from' | 'until', whenAbsent: number): number => {
    const text = entry[key]
    if (text === undefined) return whenAbsent
    const ms = boundMs(text, key === 'until', settings.time.timeZone)
    if (ms !== undefined) return ms
    problems.push({
      code: 'SVC1310',
      severity: 'error',
      message: `\`${key}\` is no date, and no moment with its offset`,
      place: place(key),
      hint: 'Write it like `2026-11-01` or `2026-11-01T08:00:00+01:00`.',
    })
    return whenAbsent
  }
  const fromMs = read('from', Number.NEGATIVE_INFINITY)
  const untilMs = read('until', Number.POSITIVE_INFINITY)
  if (fromMs >= untilMs) {
    problems.push({
      code: 'SVC1310',
      severity: 'error',
      message: '`from` is not before `until`: the entry never counts',
      place: place('from'),
      hint: 'Exchange the two, or correct one.',
    })
  } else if (untilMs <= settings.time.nowMs) {
    problems.push({
      code: 'SVC1309',
      severity: 'warning',
      message: `The entry ended with ${shownBound(entry.until ?? '', settings.time.timeZone)}`,
      place: place('until'),
      hint: 'It counts as not listed: take it out.',
    })
  }
  return within(outer, { fromMs, untilMs, fromText: entry.from, untilText: entry.until })
}

function findSet(
  name: string,
  place: Place,
  through: readonly string[],
  { settings, problems }: Context,
): AccountSet | undefined {
  const set = settings.sets.get(name)
  if (set === undefined) {
    problems.push({
      code: 'SVC1308',
      severity: 'error',
      message: `There is no set \`${name}\``,
      place,
      hint: suggestion(name, settings.sets.keys()) ?? 'Declare it under `sets`, in a manifest or in the project file.',
    })
  } else if (through.includes(name)) {
    const by = through.slice(through.indexOf(name) + 1)
    problems.push({
      code: 'SVC1311',
      severity: 'error',
      message: `The set \`${name}\` contains itself${by.length > 0 ? `, by way of ${by.map((other) => `\`${other}\``).join(', ')}` : ''}`,
      place,
      hint: 'Take one of the entries out.',
    })
    return undefined
  }
  return set
}
