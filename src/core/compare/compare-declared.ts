// Compares the declarations of two sides, without the platform.
import type { Place } from '@svcsync/errors/index.ts'
import { type Address, byAddress } from '../model/address.ts'
import { placeIn } from '../model/declaration.ts'
import type { Desired } from '../model/desired.ts'
import type { KeyedElement } from '../model/elements.ts'
import { canonicalJson, isMapping, type Json, type JsonObject } from '../model/json.ts'
import { revealSecrets, Sensitive, sensitivesIn } from '../model/sensitive.ts'
import { WrittenPassword } from '../model/written-password.ts'

export interface DeclaredDifference {
  readonly address: Address
  /** The side or sides that have it. */
  readonly on: 'first' | 'second' | 'both'
  /** The place of the declaration: on the second side, if it is there. Absent: it is live. */
  readonly place?: Place
  readonly fields: readonly {
    readonly path: string
    readonly before?: Json
    readonly after?: Json
    /** A password, or a live value that a declaration takes from the environment or a file: neither side is shown. */
    readonly masked?: true
  }[]
  readonly lists: readonly {
    readonly path: string
    readonly added: readonly KeyedElement[]
    readonly removed: readonly KeyedElement[]
  }[]
}

/** Sorted by address. For values from the environment or a file, the references are compared. */
export function compareDeclared(first: readonly Desired[], second: readonly Desired[]): readonly DeclaredDifference[] {
  const known = new Map(first.map((object) => [object.address, object]))
  const result: DeclaredDifference[] = []
  for (const object of second) {
    const other = known.get(object.address)
    known.delete(object.address)
    const place = placeIn(object.declarations[0], [])
    if (other === undefined) {
      result.push({ address: object.address, on: 'second', place, fields: [], lists: [] })
      continue
    }
    const ends = object.absent !== other.absent
    // One side ends the entry: the fields that the other side writes are not cleared.
    const fields = ends
      ? [{ path: 'absent', before: other.absent, after: object.absent }]
      : fieldsBetween(comparableOf(other), comparableOf(object), [])
    const lists = ends ? [] : listsBetween(other, object)
    if (fields.length + lists.length > 0) result.push({ address: object.address, on: 'both', place, fields, lists })
  }
  for (const { address, declarations } of known.values())
    result.push({ address, on: 'first', place: placeIn(declarations[0], []), fields: [], lists: [] })
  return result.sort(byAddress)
}

export function divideDifferences(
  all: readonly DeclaredDifference[],
  others: readonly DeclaredDifference[],
): { readonly shared: readonly DeclaredDifference[]; readonly own: readonly DeclaredDifference[] } {
  const known = new Map(others.map((each) => [each.address, each]))
  const shared: DeclaredDifference[] = []
  const own: DeclaredDifference[] = []
  for (const each of all) {
    const other = known.get(each.address)
    if (other === undefined) own.push(each)
    else if (each.on !== 'both' || other.on !== 'both') (each.on === other.on ? shared : own).push(each)
    else {
      const paths = new Set([...other.fields, ...other.lists].map(({ path }) => path))
      const part = (isShared: boolean): DeclaredDifference => ({
        ...each,
        fields: each.fields.filter(({ path }) => paths.has(path) === isShared),
        lists: each.lists.filter(({ path }) => paths.has(path) === isShared),
      })
      for (const [list, isShared] of [[shared, true] as const, [own, false] as const]) {
        const found = part(isShared)
        if (found.fields.length + found.lists.length > 0) list.push(found)
      }
    }
  }
  return { shared, own }
}

function comparableOf({ spec, absent, collections }: Desired): JsonObject {
  const modes = Object.entries(collections).map(([name, { mode }]) => [`manage.${name}`, mode] as const)
  return { ...(shown(spec) as JsonObject), absent, ...Object.fromEntries(modes) }
}

function shown(value: unknown): Json {
  // Known on both sides: two are compared, and neither is shown.
  if (value instanceof WrittenPassword) return value as unknown as Json
  if (value instanceof Sensitive) return value.template
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value as Json
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shown(part)]))
}

function fieldsBetween(before: JsonObject, after: JsonObject, path: readonly string[]): DeclaredDifference['fields'] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) => {
    const [one, other] = [before[key], after[key]]
    if (isMapping(one) && isMapping(other)) return fieldsBetween(one, other, [...path, key])
    if (plainJson(one) === plainJson(other) && (one === undefined) === (other === undefined)) return []
    if ([one, other].some((value) => sensitivesIn(value).length > 0))
      return [{ path: [...path, key].join('.'), masked: true }]
    const sides = { ...(one !== undefined && { before: one }), ...(other !== undefined && { after: other }) }
    return [{ path: [...path, key].join('.'), ...sides }]
  })
}

const plainJson = (value: Json | undefined): string => canonicalJson((revealSecrets(value) ?? null) as Json)

function listsBetween(before: Desired, after: Desired): DeclaredDifference['lists'] {
  const names = [...new Set([...Object.keys(before.collections), ...Object.keys(after.collections)])]
  return names.flatMap((path) => {
    const [one, other] = [before, after].map(({ collections }) => collections[path]?.elements)
    const added = [...(other ?? [])].filter(([key]) => one?.has(key) !== true).map(([, { element }]) => element)
    const removed = [...(one ?? [])].filter(([key]) => other?.has(key) !== true).map(([, { element }]) => element)
    return added.length + removed.length > 0 ? [{ path, added, removed }] : []
  })
}
