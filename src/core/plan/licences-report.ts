// Access beside licences, as data: who has one without the other, and how many are free.
import type { Address } from '../model/address.ts'
import type { TargetIdentity } from './plan-document.ts'

interface UnlicensedAccount {
  readonly svcId: string
  readonly entries: number
  readonly administers: boolean
}

export interface LicencesReport {
  /** Users of the platform. */
  readonly withoutLicence: readonly UnlicensedAccount[]
  /** Accounts without a licence that may be no people: applications, or groups whose members svcsync cannot read. */
  readonly perhapsGroups: readonly UnlicensedAccount[]
  /** Accounts that hold a licence and can do nothing, as far as svcsync could read. */
  readonly withoutAccess: readonly { readonly svcId: string; readonly licences: readonly string[] }[]
  /** Holders of a licence for some processes beside an unlimited one. */
  readonly limitedBeside: readonly {
    readonly svcId: string
    readonly limited: string
    readonly beside: readonly string[]
  }[]
  /** By type. null: the platform did not tell. */
  readonly stock: readonly { readonly type: string; readonly total: number; readonly assigned: number }[] | null
  readonly unread: readonly { readonly address: Address; readonly reason: string }[]
  readonly target: TargetIdentity
  /** ISO 8601, UTC. */
  readonly readAt: string
}
