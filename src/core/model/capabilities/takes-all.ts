// For a collection: a removal takes all that an account has in it. Law: the same plan gives anew what remains.
import { defineCapability } from './capability.ts'

export const takesAll = defineCapability<true>()('takesAll')
