// One write of a plan.
import type { Address } from './address.ts'
import type { KeyedElement } from './elements.ts'
import type { Identity } from './identity.ts'
import type { JsonObject } from './json.ts'
import type { Location } from './kind.ts'

type Verb = 'create' | 'update' | 'delete' | 'add' | 'remove'

/** One request to the platform, described in manifest terms; the kind turns it into method, path and body. */
export interface Step {
  /** `1`, `2`, … in an order in which no step comes before one that it depends on. */
  readonly id: string
  readonly address: Address
  readonly kind: string
  readonly verb: Verb
  readonly at: Location
  /** The fields that a create or an update sends. May hold `Sensitive`. */
  readonly spec?: JsonObject
  /** The keys of accounts that `spec` names. Documents leave them out. */
  readonly fieldKeys?: Identity['fieldKeys']
  /** For an update: environments whose credentials are sent anew, such as `sql.prod`. Nothing live shows it. */
  readonly rotates?: readonly string[]
  /** For a create: the elements sent with it. */
  readonly collections?: Readonly<Record<string, readonly KeyedElement[]>>
  /** For an add or a remove: the list. */
  readonly collection?: string
  readonly elements?: readonly KeyedElement[]
  /** Ids of the steps that must have ended well before. */
  readonly dependsOn: readonly string[]
  /** Ids of steps on the same object that must have ended before, well or not: it takes one write at a time. */
  readonly follows?: readonly string[]
  /** An unreadable object that it needs: the step is skipped, and so is what depends on it. */
  readonly restsOn?: Address
}
