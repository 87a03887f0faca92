// Somebody stands in for somebody else. Law: who stands in can do what the other one can, and a plan says so.
import { defineCapability } from './capability.ts'

/** The fields that say who, for whom and when; the collections that limit it. */
type StandIn = { readonly [Role in 'person' | 'substitute' | 'from' | 'to' | 'company']: string } & {
  readonly places: readonly string[]
}

export const standIn = defineCapability<StandIn>()('standIn')
