// Objects that have something from another one. Law: what `parse` gives as `inherited` is shown and counts as access,
// and is never taken away.
import { defineCapability } from './capability.ts'

export const inherits = defineCapability<string>()('inherits')
