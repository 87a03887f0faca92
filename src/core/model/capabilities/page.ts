// Objects that no list tells. Law: each is exported by its page's address; one of another installation is an error.
import type { Json } from '../json.ts'
import type { MisreadAnswer } from '../kind.ts'
import type { PlatformRequest, ScopeNeed } from '../platform-port.ts'
import { defineCapability } from './capability.ts'

interface PageRequest {
  request(url: string): PlatformRequest
  readonly needs: readonly ScopeNeed[]
  /** Undefined: the page is of something else. */
  parse(answer: Json): { readonly id: number; readonly dbId: number } | undefined | MisreadAnswer
}

export const page = defineCapability<PageRequest>()('page')
