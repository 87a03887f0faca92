// For a collection: a removal takes everything an account has in it, whatever the level. Law: the same plan gives anew
// what remains.
import { defineCapability } from './capability.ts'

export const takesAll = defineCapability<true>()('takesAll')
