// For a collection: one request may concern several objects. Law: bodies hold only lists, joined up to `batch`.
import { defineCapability } from './capability.ts'

export const shared = defineCapability<true>()('shared')
