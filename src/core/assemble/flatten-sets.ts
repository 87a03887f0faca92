// The accounts of a set. It visits each inner set once, since sets inside each other may mean billions of entries.
import { inCode, type Place, type Problem } from '@svcsync/errors/index.ts'
import { readAccountEntry } from '../model/account-entry.ts'
import { type AccountSet, listedTwice, placeInSet } from '../model/account-sets.ts'
import type { Declaration } from '../model/declaration.ts'
import type { AssemblySettings } from '../model/desired.ts'
import type { Directory, NotFound } from '../model/directory.ts'
import { quoted, suggestion } from '../model/near-misses.ts'
import { intersectBounds, overlaps, readBounds, type TimeBounds, unbounded } from '../model/time-bounds.ts'

interface FlatEntry {
  readonly svcId: string
  readonly bounds: TimeBounds
  readonly place: Place
}

interface FlatSets {
  /** The accounts of a set; `at`: where a list names it. Undefined: there is no such set. */
  accountsOf(name: string, at: Place): readonly FlatEntry[] | undefined
  /** Problems of all sets, used or not, and of requested uses. */
  readonly problems: readonly Problem[]
}

/** Why nobody can say what a declaration is about, and in which database it is. */
export type UnlocatedReason = Extract<NotFound, { reason: 'unreadable' }>['why'] & { readonly dbId: number | undefined }

export interface AssemblyRun extends AssemblySettings {
  readonly directory: Directory
  readonly problems: Problem[]
  /** Documents whose missing database was reported, once for all their objects. */
  readonly lost: Set<object>
  /** Declarations that name something in a list that could not be read, and whatever is declared in these. */
  readonly unlocated: Map<Declaration, UnlocatedReason>
  readonly flat: FlatSets
}

const none: readonly never[] = []

type SetLine = FlatEntry | { readonly set: string; readonly bounds: TimeBounds }

/** Each is kept with both its places: a heap of the usual size has room for some more. */
const maxThroughSets = 2_000_000

/** Expands sets when a list names them; `most`: the limit for all lists together. */
export function flattenSets(settings: AssemblySettings, most = maxThroughSets): FlatSets {
  const problems: Problem[] = []
  const lines = new Map<string, readonly SetLine[]>()
  for (const set of settings.sets.values()) lines.set(set.name, linesOf(set, settings, problems))
  for (const problem of circles(settings.sets, lines)) problems.push(problem)
  const known = new Map<string, readonly FlatEntry[]>()
  let left = most
  return {
    problems,
    accountsOf(name, at) {
      if (!lines.has(name)) return undefined
      if (left < 0) return []
      let entries = known.get(name)
      if (entries === undefined) {
        const found = expandSet(name, lines, settings, left)
        entries = found.entries
        known.set(name, entries)
        left -= found.setsEntered
      }
      left -= entries.length
      if (left < 0) problems.push(tooMany(at, most))
      return entries
    },
  }
}

function linesOf(set: AccountSet, { sets, time, normalise }: AssemblySettings, problems: Problem[]): SetLine[] {
  const known = new Map<string, readonly FlatEntry[]>()
  return set.items.map((item, index) => {
    const entry = readAccountEntry(item)
    const place = placeInSet(set, [index])
    const placeOf = (key?: string) => (key === undefined ? place : placeInSet(set, [index, key]))
    const bounds = readBounds(entry, unbounded, placeOf, time, problems)
    if (entry.svcId !== undefined) {
      const line = { svcId: entry.svcId, bounds, place }
      const key = normalise(line.svcId)
      const earlier = known.get(key) ?? none
      const other = earlier.find((each) => overlaps(each.bounds, bounds))
      // An entry without a name is already a problem.
      if (other !== undefined && line.svcId !== '') {
        problems.push(listedTwice(line.svcId, place, other.place, bounds !== unbounded || other.bounds !== unbounded))
      }
      known.set(key, [...earlier, line])
      return line
    }
    const inner = entry.set ?? ''
    if (inner !== '' && !sets.has(inner)) problems.push(unknownSet(inner, place, sets.keys()))
    return { set: inner, bounds }
  })
}

/** In the order in which the lines stand; one that names an account for the same time again adds nothing. */
function expandSet(
  root: string,
  lines: ReadonlyMap<string, readonly SetLine[]>,
  { normalise }: AssemblySettings,
  most: number,
): { readonly entries: readonly FlatEntry[]; readonly setsEntered: number } {
  const entries = new Map<string, FlatEntry>()
  const entered = new Set([keyOf(root, unbounded)])
  // Sets on the way down, and when they count there. No recursion: sets may hold sets in a long row.
  const way = [{ name: root, bounds: unbounded, next: 0 }]
  for (let frame = way.at(-1); frame !== undefined; frame = way.at(-1)) {
    const line = lines.get(frame.name)?.[frame.next++]
    if (line === undefined) {
      way.pop()
      continue
    }
    if (entries.size + entered.size > most + 1) break
    const bounds = intersectBounds(frame.bounds, line.bounds)
    if ('svcId' in line) {
      const key = keyOf(normalise(line.svcId), bounds)
      if (!entries.has(key)) entries.set(key, bounds === line.bounds ? line : { ...line, bounds })
    } else if (!entered.has(keyOf(line.set, bounds))) {
      entered.add(keyOf(line.set, bounds))
      way.push({ name: line.set, bounds, next: 0 })
    }
  }
  return { entries: [...entries.values()], setsEntered: entered.size }
}

function keyOf(name: string, { fromMs, untilMs }: TimeBounds): string {
  return `${name} ${fromMs} ${untilMs}`
}

/** One problem for each entry that leads back to a set in which it stands. */
function* circles(
  sets: ReadonlyMap<string, AccountSet>,
  lines: ReadonlyMap<string, readonly SetLine[]>,
): Generator<Problem> {
  const done = new Set<string>()
  for (const root of sets.keys()) {
    const way = done.has(root) ? [] : [{ name: root, next: 0 }]
    const open = new Set(way.map(({ name }) => name))
    for (let frame = way.at(-1); frame !== undefined; frame = way.at(-1)) {
      const index = frame.next++
      const line = lines.get(frame.name)?.[index]
      if (line === undefined) {
        open.delete(frame.name)
        done.add(frame.name)
        way.pop()
      } else if ('set' in line && open.has(line.set)) {
        const names = way.map(({ name }) => name)
        yield containsItself(line.set, names, placeInSet(sets.get(frame.name) as AccountSet, [index]))
      } else if ('set' in line && !done.has(line.set)) {
        open.add(line.set)
        way.push({ name: line.set, next: 0 })
      }
    }
  }
}

export function unknownSet(name: string, place: Place, names: Iterable<string>): Problem {
  return {
    code: 'SVC1308',
    severity: 'error',
    message: `There is no set ${inCode(name)}`,
    place,
    hint: suggestion(name, names) ?? 'Declare it under `sets`, in a manifest or in the project file.',
  }
}

function containsItself(name: string, way: readonly string[], place: Place): Problem {
  const by = way.slice(way.indexOf(name) + 1)
  return {
    code: 'SVC1311',
    severity: 'error',
    message: `The set ${inCode(name)} contains itself${by.length > 0 ? `, by way of ${quoted(by)}` : ''}`,
    place,
    hint: 'Remove one of the entries.',
  }
}

function tooMany(place: Place, most: number): Problem {
  return {
    code: 'SVC1007',
    severity: 'error',
    message: `The sets expand to more than ${most.toLocaleString('en')} accounts up to here`,
    place,
    hint: 'Put accounts that are in many lists into a group, and list the group.',
  }
}
