// Every set as a flat list of accounts. Each set is gone through once, however many lists and sets it goes into: sets that
// hold each other twice over would stand for billions of entries otherwise.
import type { Place, Problem } from '../errors/index.ts'
import { type AccountEntry, readAccountEntry } from './account-entry.ts'
import { type AccountSet, placeInSet } from './account-sets.ts'
import type { AssemblySettings } from './desired.ts'
import { readBounds } from './entry-bounds.ts'
import { suggestion } from './near-misses.ts'
import { always, type Bounds, within } from './time-bounds.ts'

/** An account of a set, directly or through sets in it. */
export interface FlatEntry {
  readonly svcId: string
  readonly bounds: Bounds
  /** The line that names the account. */
  readonly place: Place
}

export interface FlatSets {
  readonly entries: ReadonlyMap<string, readonly FlatEntry[]>
  /** What is wrong in the sets themselves, used or not. */
  readonly problems: readonly Problem[]
}

/** A set on the way down to what it holds. */
interface Frame {
  readonly set: AccountSet
  readonly flat: Map<string, FlatEntry>
  next: number
}

const known = new WeakMap<AssemblySettings, FlatSets>()

/** Worked out once for the same settings. */
export function flattenSets(settings: AssemblySettings): FlatSets {
  const earlier = known.get(settings)
  if (earlier !== undefined) return earlier
  const { sets, fold, time } = settings
  const entries = new Map<string, readonly FlatEntry[]>()
  const problems: Problem[] = []
  const take = ({ set, flat, next }: Frame, entry: AccountEntry): void => {
    const place = placeInSet(set, [next])
    const bounds = readBounds(
      entry,
      always,
      (key) => (key === undefined ? place : placeInSet(set, [next, key])),
      time,
      problems,
    )
    const { svcId } = entry
    const parts = svcId === undefined ? (entries.get(entry.set ?? '') ?? []) : [{ svcId, bounds, place }]
    for (const part of parts) {
      const span = within(bounds, part.bounds)
      const key = `${fold(part.svcId)} ${span.fromMs} ${span.untilMs}`
      if (!flat.has(key)) flat.set(key, { ...part, bounds: span })
    }
  }
  for (const root of sets.values()) {
    // No recursion: sets may hold sets in a long row.
    const way: Frame[] = entries.has(root.name) ? [] : [{ set: root, flat: new Map(), next: 0 }]
    const open = new Set(way.map(({ set }) => set.name))
    for (let frame = way.at(-1); frame !== undefined; frame = way.at(-1)) {
      const item = frame.set.items[frame.next]
      if (item === undefined) {
        entries.set(frame.set.name, [...frame.flat.values()])
        open.delete(frame.set.name)
        way.pop()
        continue
      }
      const entry = readAccountEntry(item)
      const inner = entry.set === undefined || entries.has(entry.set) ? undefined : sets.get(entry.set)
      if (inner !== undefined && !open.has(inner.name)) {
        way.push({ set: inner, flat: new Map(), next: 0 })
        open.add(inner.name)
        continue
      }
      if (entry.set !== undefined && inner !== undefined) {
        const names = way.map(({ set }) => set.name)
        problems.push(containsItself(inner.name, names, placeInSet(frame.set, [frame.next])))
      } else if (entry.set !== undefined && !sets.has(entry.set)) {
        problems.push(unknownSet(entry.set, placeInSet(frame.set, [frame.next]), sets.keys()))
      }
      take(frame, entry)
      frame.next++
    }
  }
  const result = { entries, problems }
  known.set(settings, result)
  return result
}

export function unknownSet(name: string, place: Place, names: Iterable<string>): Problem {
  return {
    code: 'SVC1308',
    severity: 'error',
    message: `There is no set \`${name}\``,
    place,
    hint: suggestion(name, names) ?? 'Declare it under `sets`, in a manifest or in the project file.',
  }
}

function containsItself(name: string, way: readonly string[], place: Place): Problem {
  const by = way.slice(way.indexOf(name) + 1)
  return {
    code: 'SVC1311',
    severity: 'error',
    message: `The set \`${name}\` contains itself${by.length > 0 ? `, by way of ${by.map((other) => `\`${other}\``).join(', ')}` : ''}`,
    place,
    hint: 'Take one of the entries out.',
  }
}
