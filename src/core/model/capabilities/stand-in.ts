// A substitution. Law: a plan shows that the substitute has the access of the represented person.
import { defineCapability } from './capability.ts'

/** The fields that say who, for whom and when; the collections that limit it. */
type StandIn = { readonly [Role in 'person' | 'substitute' | 'from' | 'to' | 'company']: string } & {
  readonly places: readonly string[]
}

export const standIn = defineCapability<StandIn>()('standIn')
