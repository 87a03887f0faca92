// Lets a collection say how many items, such as licences, the platform has, and how many are held.
// Law: a plan that gives more is refused; a gift beyond them waits for a removal.
import type { Json } from '../json.ts'
import type { MisreadAnswer } from '../kind.ts'
import { defineCapability } from './capability.ts'

interface StockRequest {
  readonly path: string
  /** By item. One that is not told is not limited, as far as anybody knows. */
  parse(answer: Json): ReadonlyMap<string, Supply> | MisreadAnswer
}

export interface Supply {
  readonly total: number
  readonly assigned: number
}

export const stock = defineCapability<StockRequest>()('stock')
