// For a collection: one request may concern several objects. Law: bodies hold only lists, which the engine joins up to
// `batch`.
import { defineCapability } from './capability.ts'

export const shared = defineCapability<true>()('shared')
