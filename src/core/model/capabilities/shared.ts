// Of a collection: one request may be about several objects. Law: bodies hold lists alone, which the engine joins up to
// `batch`.
import { defineCapability } from './capability.ts'

export const shared = defineCapability<true>()('shared')
