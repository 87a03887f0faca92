// The answer of `access` as data, for every format.
import type { Place } from '@svcsync/errors/index.ts'
import type { AccessEntry, AccessPath } from '../access/describe-access.ts'
import type { Outside } from '../access/outside.ts'
import type { Address } from '../model/address.ts'
import type { BaseIdentity, TargetIdentity, UpcomingDocument } from './plan-document.ts'

interface AppliedBy {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly commit: string
  /** As which svcsync signed in; empty: the platform did not tell. */
  readonly application: string
  /** As the ledger tells: whoever applied held the plan against what they approved. */
  readonly approvedBy: readonly string[]
  /** The ledger begins with it: it may have been applied before. */
  readonly begins?: true
}

/** Somebody, what they can do, and where that is so. The chain is the live one, where there is one. */
export interface AccessRow extends AccessEntry {
  readonly live: boolean
  /** So it is once what is declared is applied: what no manifest speaks of stays. */
  readonly afterApply: boolean
  /** Only manifests decide it. */
  readonly declared: boolean
  /** By which way they say it: the chain of the row, where manifests say all of that. null: they do not. */
  readonly declaredWay: AccessPath | null
  /** The lines along that way: the account's first, the level's last. */
  readonly places: readonly Place[]
  /** null: there is no base. */
  readonly atBase: boolean | null
  /** The exception that accepts it, or did; null: none. */
  readonly accepted: {
    readonly until: string
    readonly isOver: boolean
    readonly reason: string
    readonly place: Place
  } | null
  /** The commit that completed the way without a gap since; null: nobody declared it, or git does not know. */
  readonly since: {
    readonly commit: string
    readonly date: string
    readonly author: string
    /** The start of a way that has a later `from`: a date, or a moment; absent: the commit. */
    readonly begins?: string
    /** Whose approval the commit claims in its trailers `Approved-by` and `Reviewed-by`: nothing proves it. */
    readonly claimedApprovals: readonly string[]
  } | null
  /** The first complete apply with it, as the ledger tells; null: none. Absent: no ledger or `since`, or later. */
  readonly applied?: AppliedBy | null
  /** True if the user holds any licence now; null: it is no user, or the platform does not tell. */
  readonly licensed: boolean | null
}

/** `Rows`: made on demand, where there may be a million. */
export interface AccessReport<Rows extends Iterable<AccessRow> = readonly AccessRow[]> {
  readonly rows: Rows
  /** For a question about an account: its access by other ways. */
  readonly otherWays: readonly AccessEntry[]
  /** For a question about an account: entries of it and its groups that begin or end. */
  readonly upcoming: readonly UpcomingDocument[]
  /** For a question about an account and an address: others with access of their own that the account lacks. */
  readonly holders: readonly AccessEntry[]
  /** The types of the licences that a user holds. */
  licencesOf(svcId: string): readonly string[]
  /** Accounts that hold what was asked about, and may be groups whose members nobody knows. */
  readonly perhapsGroups: readonly string[]
  /** For a question about an object: the objects that it may be, with levels of their own. */
  readonly objects: readonly Address[]
  /** Administrators of the containers of these objects, whom no list of the objects tells. */
  readonly above: readonly {
    readonly address: Address
    readonly level: string
    readonly holds: readonly Address[]
    readonly entries: readonly AccessEntry[]
  }[]
  /** Roles outside the interface. */
  readonly outside: Outside
  /** Why licences could not be read; null: they were. */
  readonly licencesUnread: string | null
  /** When it was read: ISO 8601, UTC. */
  readonly readAt: string
  /** Unread objects, whose access is unknown. */
  readonly unread: readonly { readonly address: Address; readonly reason: string }[]
  /** Kinds of which all was read, declared or not. */
  readonly looked: readonly string[]
  readonly unlooked?: 'stand-ins' | undefined
  readonly target: TargetIdentity
  /** null: there is none. */
  readonly base: (Pick<BaseIdentity, 'ref' | 'commit'> & Pick<AccessRow, 'applied'>) | null
}

/** The day since which it counts. */
export const dayOfGrant = ({ begins, date }: Pick<NonNullable<AccessRow['since']>, 'begins' | 'date'>): string =>
  (begins ?? date).slice(0, 10)
