// An import of a package: what arrived of it, and what became of it.
import type { JsonObject } from '@svcsync/core/model/json.ts'

export interface ImportSession {
  readonly id: string
  readonly dbId: number
  readonly chunkSize: number
  readonly totalSize: number
  next: number
  head: Buffer
  configuration: JsonObject | undefined
  dueMs: number
  status: number
  logs: string
}
