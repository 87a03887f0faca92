// A write of a plan on its way to be a step.
import type { Change } from '../compare/change.ts'
import type { KeyedElement } from '../model/elements.ts'
import type { JsonObject } from '../model/json.ts'
import type { Step } from '../model/step.ts'

/** A step before it has an id, with its edges still in terms of accounts and of other drafts. */
export interface Draft {
  readonly change: Change
  readonly verb: Step['verb']
  spec?: JsonObject
  /** See Step. */
  rotates?: readonly string[]
  collections?: Record<string, readonly KeyedElement[]>
  collection?: string
  elements?: readonly KeyedElement[]
  /** Keys of accounts that must exist before. */
  needs: readonly string[]
  /** Keys of accounts that the object no longer refers to afterwards. */
  readonly releases: readonly string[]
  /** Drafts of the same object that must have ended before, well or not. */
  follows?: Draft | undefined
  /** Drafts that must have ended well before: of the same object, or by which something is there to give. */
  readonly after: Draft[]
  /** Where it stands among all drafts: set when they are put in order. */
  position: number
}
