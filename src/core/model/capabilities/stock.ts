// Of a collection: the platform has only so many of its items. Law: the platform is asked before any is given; a plan that gives more than there are is
// refused, and each gift beyond the free ones waits for one removal.
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
