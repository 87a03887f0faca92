// Objects that end by themselves. Law: what is over is not created, and is all that `prune` deletes.
import type { JsonObject } from '../json.ts'
import { defineCapability } from './capability.ts'

export const hasEnded = defineCapability<(spec: JsonObject, nowMs: number) => boolean>()('hasEnded')
