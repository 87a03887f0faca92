// Of a collection: one request may be about several objects, with a list of them in its body. Law: the bodies of one object hold lists alone, which the engine puts
// together, up to the `batch` of the collection, and each object once.
import { defineCapability } from './capability.ts'

export const shared = defineCapability<true>()('shared')
