// Of a collection: a removal takes all that an account has in it, whatever its level. Law: what stays of that is given
// anew, in the same plan.
import { defineCapability } from './capability.ts'

export const takesAll = defineCapability<true>()('takesAll')
