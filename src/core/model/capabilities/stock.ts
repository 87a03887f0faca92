// Lets a collection say how many items, such as licences, the platform has, and how many are held.
// Law: a plan that gives more is refused; a gift beyond them waits for a removal.
import type { Json } from '../json.ts'
import type { Misread } from '../kind.ts'
import { defineCapability } from './capability.ts'

interface Stocked {
  readonly path: string
  /** By item. One that is not told is not limited, as far as anybody knows. */
  parse(answer: Json): ReadonlyMap<string, Supply> | Misread
}

export interface Supply {
  readonly total: number
  readonly assigned: number
}

export const stock = defineCapability<Stocked>()('stock')
