// Objects that have something from another one. Law: `inherited` counts as access, and is never taken away.
import { defineCapability } from './capability.ts'

export const inherits = defineCapability<string>()('inherits')
