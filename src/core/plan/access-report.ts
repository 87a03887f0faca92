// Who can do what, as data: what `access` asks for, in every format.
import type { Place } from '@svcsync/errors/index.ts'
import type { AccessEntry, AccessWay } from '../access/describe-access.ts'
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
  /** Manifests say it, and nothing else counts. */
  readonly declared: boolean
  /** By which way they say it: the chain of the row, where manifests say all of that. null: they do not. */
  readonly declaredWay: AccessWay | null
  /** Where, along that way: the line of the account first, that of the level last. */
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
  /**
   * The commit that completed the way as manifests say it now, without a gap since; null: nobody declared it, or git
   * does not know.
   */
  readonly since: {
    readonly commit: string
    readonly date: string
    readonly author: string
    /** Whose approval the commit claims in its trailers `Approved-by` and `Reviewed-by`: nothing proves it. */
    readonly claimedApprovals: readonly string[]
  } | null
  /**
   * The first complete apply of a commit that has it so, as the ledger tells; null: there was none. Absent: there is no
   * ledger, or no `since`.
   */
  readonly applied?: AppliedBy | null
  /** Whether the user holds a licence now, of whatever type; null: it is no user, or nobody knows. */
  readonly licensed: boolean | null
}

export interface AccessReport {
  readonly rows: readonly AccessRow[]
  /** Where an account was asked about: what it has now by other ways as well. */
  readonly otherWays: readonly AccessEntry[]
  /** Where an account was asked about: what begins and ends for it, and for groups that it is in. */
  readonly upcoming: readonly UpcomingDocument[]
  /** Where an account and an address were asked about: who holds there by itself what the account has not. */
  readonly holders: readonly AccessEntry[]
  /** By svcId, of the users in the rows who hold any: the types of their licences. */
  readonly licences: Readonly<Record<string, readonly string[]>>
  /** Accounts that hold what was asked about, and may be groups whose members nobody knows. */
  readonly perhapsGroups: readonly string[]
  /** Where an object was asked about: those that it may be, with levels of their own. */
  readonly objects: readonly Address[]
  /** Whoever administers what these objects are in: no list of theirs tells it. */
  readonly above: readonly {
    readonly address: Address
    readonly level: string
    readonly holds: readonly Address[]
    readonly entries: readonly AccessEntry[]
  }[]
  /** What the interface does not tell. */
  readonly outside: Outside
  /** Why licences could not be read; null: they were. */
  readonly licencesUnread: string | null
  /** When it was read: ISO 8601, UTC. */
  readonly readAt: string
  /** What was not read: nobody knows what is there. */
  readonly unread: readonly { readonly address: Address; readonly reason: string }[]
  /** Kinds of which all was read, declared or not. */
  readonly looked: readonly string[]
  /** Who is a substitute was not looked at. */
  readonly unlooked?: 'stand-ins' | undefined
  readonly target: TargetIdentity
  /** null: there is none. */
  readonly base: (Pick<BaseIdentity, 'ref' | 'commit'> & Pick<AccessRow, 'applied'>) | null
}
