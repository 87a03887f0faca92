// Objects that no list tells: each is known by its number, or by the address of its page in the browser. Law: it is exported by its own
// address alone, and an address of another installation is an error.
import type { Json } from '../json.ts'
import type { Misread } from '../kind.ts'
import type { PlatformRequest, ScopeNeed } from '../platform-port.ts'
import { defineCapability } from './capability.ts'

interface Page {
  /** Asks what an address leads to. */
  request(url: string): PlatformRequest
  readonly needs: readonly ScopeNeed[]
  /** Undefined: the page is of something else. */
  parse(answer: Json): { readonly id: number; readonly dbId: number } | undefined | Misread
}

export const page = defineCapability<Page>()('page')
