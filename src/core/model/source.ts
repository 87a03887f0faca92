// Positions beside the values: a source turns an offset into a place only when somebody asks.
import type { Place } from '@svcsync/errors/index.ts'

/** Offsets of a mapping `[start, key0, value0, …]` or a list `[start, value0, …]`; or their row in the table. */
export const OFFSETS: unique symbol = Symbol('offsets')
export type Offsets = number | readonly number[]

export interface Source {
  readonly file: string
  /** Offsets of many values; undefined: the row has no more. Absent: the values have none. */
  readonly offsets?: { at(row: number, index: number): number | undefined }
  placeAt(offset: number): Place
}

export type Path = readonly (string | number)[]
type LineOffsets = Pick<Source, 'offsets'>

export function offsetOf(source: LineOffsets, value: unknown, index: number): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const own = (value as { readonly [OFFSETS]?: Offsets })[OFFSETS]
  return typeof own === 'number' ? source.offsets?.at(own, index) : own?.[index]
}

function childOffset(
  source: LineOffsets,
  parent: object,
  key: string | number,
  of: 'key' | 'value',
): number | undefined {
  if (Array.isArray(parent)) return offsetOf(source, parent, 1 + Number(key))
  const index = Object.keys(parent).indexOf(String(key))
  return index < 0 ? undefined : offsetOf(source, parent, 1 + 2 * index + (of === 'key' ? 0 : 1))
}

/** The offset of the key at `index` of a mapping, for many keys in order. */
export function offsetOfKey(source: LineOffsets, mapping: object, index: number): number {
  return offsetOf(source, mapping, 1 + 2 * index) ?? 0
}

/** The offset at the end of a path, or of the last part that was written. */
export function offsetAt(source: LineOffsets, root: unknown, path: Path, of: 'key' | 'value' = 'value'): number {
  let offset = offsetOf(source, root, 0) ?? 0
  let value: unknown = root
  for (const [index, key] of path.entries()) {
    if (typeof value !== 'object' || value === null) return offset
    const last = index === path.length - 1
    const next = childOffset(source, value, key, last ? of : 'value')
    if (next === undefined) return offset
    offset = next
    value = (value as Record<string | number, unknown>)[key]
  }
  return offset
}
