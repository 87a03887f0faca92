// Why a saved plan is not applied: everything that is not as it was when the plan was made.
import { type ErrorDetails, RefusedError } from '../errors/index.ts'
import type { Json } from './json.ts'
import type { Element } from './kind.ts'

/** One thing that is not as it was. */
export interface Discrepancy {
  /** An address, or `target`, or `application`. */
  readonly subject: string
  /** Dotted; empty where it is about the whole. */
  readonly path: string
  readonly planned?: Json | undefined
  readonly found?: Json | undefined
  /** Of a collection: who came and who went since. */
  readonly added?: readonly Element[]
  readonly removed?: readonly Element[]
  /** In place of values: one sentence. */
  readonly remark?: string
}

export class PlanRefusal extends RefusedError {
  readonly discrepancies: readonly Discrepancy[]

  constructor(code: string, message: string, discrepancies: readonly Discrepancy[], details: ErrorDetails = {}) {
    super(code, message, details)
    this.discrepancies = discrepancies
  }
}
