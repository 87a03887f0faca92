// Positions beside the values: a loaded mapping or list carries the offsets of its parts, and a source turns an offset
// into a place only when somebody asks. So a manifest of 100,000 objects costs no place until one is shown.
import type { Place } from '../errors/index.ts'

/**
 * The key under which a loaded value carries its offsets (UTF-16 code units from the start of the file).
 * Of a mapping: `[start, key0, value0, key1, value1, …]` in the order of its own keys. Of a list: `[start, value0, …]`.
 */
export const OFFSETS: unique symbol = Symbol('offsets')

export interface Source {
  /** As shown to people. */
  readonly file: string
  placeAt(offset: number): Place
}

type Offsets = readonly number[]
export type Path = readonly (string | number)[]

function offsetsOf(value: unknown): Offsets | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as { readonly [OFFSETS]?: Offsets })[OFFSETS]
}

function childOffset(parent: object, key: string | number, of: 'key' | 'value'): number | undefined {
  const offsets = offsetsOf(parent)
  if (offsets === undefined) return undefined
  if (Array.isArray(parent)) return offsets[1 + Number(key)]
  const index = Object.keys(parent).indexOf(String(key))
  return index < 0 ? undefined : offsets[1 + 2 * index + (of === 'key' ? 0 : 1)]
}

/** The offset of the key at `index` of a mapping, where many are asked for one after the other. */
export function offsetOfKey(mapping: object, index: number): number {
  return offsetsOf(mapping)?.[1 + 2 * index] ?? 0
}

/**
 * The offset of what `path` leads to below `root`: of the value, or of the key that names it. Where the path leaves what
 * was written, the offset of the last part that stands there.
 */
export function offsetAt(root: unknown, path: Path, of: 'key' | 'value' = 'value'): number {
  let offset = offsetsOf(root)?.[0] ?? 0
  let value: unknown = root
  for (const [index, key] of path.entries()) {
    if (typeof value !== 'object' || value === null) return offset
    const last = index === path.length - 1
    const next = childOffset(value, key, last ? of : 'value')
    if (next === undefined) return offset
    offset = next
    value = (value as Record<string | number, unknown>)[key]
  }
  return offset
}
