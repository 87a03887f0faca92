// A plan as data: shown, saved and reviewed. Holds no secret. Described by schemas/plan.schema.json.
import type { Place, Problem } from '@svcsync/errors/index.ts'
import type { AccessDriftDocument } from '../access/access-drift.ts'
import type { AccessDocument } from '../access/describe-access.ts'
import type { Cause } from '../compare/cause.ts'
import type { Change } from '../compare/change.ts'
import type { Verdict } from '../guards/guard.ts'
import type { Address } from '../model/address.ts'
import type { AccountEnd, DesiredCollection, OutsideEntry } from '../model/desired.ts'
import type { KEY, ListedSubject } from '../model/elements.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { AccountElement, Element } from '../model/kind.ts'
import type { Unreadable } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import type { ExceptionDocument, ExceptionFindings } from './except.ts'
import type { PruneFindings } from './prune.ts'

export const planFormatVersion = '1.5'

export interface TargetIdentity {
  readonly name: string
  readonly baseUrl: string
  readonly apiVersion: '5.0' | '6.0'
  readonly databases: Readonly<Record<string, number>>
  /** Globs: what of the manifests it has, and of the platform counts. Absent: all. */
  readonly only?: readonly string[]
}

/** The earlier declarations that a plan is compared with. */
export interface BaseIdentity {
  /** As it was named. */
  readonly ref: string
  /** null: of a folder, or a journal. */
  readonly commit: string | null
  /** `journal`: the plan takes back what the apply did that kept it. */
  readonly from: 'ledger' | 'since' | 'folder' | 'journal'
  /** For the ledger: the time of the apply. ISO 8601, UTC. */
  readonly at?: string | undefined
  /** Commits that the platform may hold something of besides, in the order in which they were begun. Absent: none. */
  readonly begun?: readonly BegunCommit[] | undefined
}

/** An apply that was begun, or an undo that leads back to it, and that no complete apply came after. */
export interface BegunCommit {
  /** null: nobody knows what was declared. */
  readonly commit: string | null
  /** ISO 8601, UTC. */
  readonly at: string
  /** Globs over addresses: only these objects. None: all. */
  readonly only: readonly string[]
  /** It is what an undo leads back to, which gives values that it did not declare as well. */
  readonly undo?: true
}

/** As which application a run signs in, as the platform itself says it. */
export interface ActingApplication {
  readonly svcId: string
  readonly name: string
  /** The application that acts in the name of the account above. */
  readonly impersonatedBy?: string
}

export interface DifferenceDocument {
  /** Dotted: `name`, `sql.test.server`, `members`. */
  readonly path: string
  /** Live value. Absent: there was none, or it is masked. */
  readonly before?: Json
  /** Value to be. `null`: cleared, or inherited again. Absent in differences of collections. */
  readonly after?: Json
  readonly added?: readonly CausedElement[]
  readonly removed?: readonly CausedElement[]
  /** null: there is no base, or nobody can tell. Absent in plans of before. */
  readonly cause?: Cause | null
  /** One of the values is secret: `after` is its reference, or has `***` for a password; `before` is not shown. */
  readonly masked?: true
  /** For a `rotation`: the credentials beside it are sent. */
  readonly rotates?: true
  readonly place?: Place
  /** Added elements that a set names: the places of the set in the list, and of the account in the set. */
  readonly throughSets?: readonly AccountThroughSet[]
  /** For removed elements: the sets in the list, none of which has them now. */
  readonly notInSets?: readonly NamedSet[]
  /** Levels of those removed that no manifest lists: the privileges are managed whole. */
  readonly unlisted?: readonly string[]
  /** Removed elements that are listed outside their time. */
  readonly outsideTime?: readonly Omit<ListedSubject & OutsideEntry, typeof KEY>[]
}

/** `before`: the former settings of an item that replaces the same one. */
export type CausedElement = Element & { readonly cause?: Cause; readonly before?: JsonObject }

interface AccountThroughSet extends AccountElement {
  /** As the list names it; it may hold the set that names the account. */
  readonly set: string
  readonly place: Place
  readonly listedAt: Place
}

interface NamedSet {
  readonly set: string
  readonly level?: string
  readonly place: Place
}

export interface ChangeDocument {
  readonly address: string
  readonly kind: string
  readonly action: Exclude<Change['action'], 'none'>
  readonly differences: readonly DifferenceDocument[]
  /** For a deletion: the prune pattern that caused it, since no manifest mentions the object. */
  readonly prunedBy?: string
  /** For a deletion: the account ended, or its owner did. Absent in older plans. */
  readonly ended?: Pick<AccountEnd, 'at' | 'shown'>
  /** For a creation or deletion, if there is a base. */
  readonly cause?: Cause
  readonly place?: Place
  /** Covers the requests and their basis, whatever else the plan holds. Absent in reports, and in older plans. */
  readonly digest?: string
}

/** An object, a value (`path`) or an entry of a list (`path` and `element`) that only the base declares. */
export interface NoLongerDeclared {
  readonly address: Address
  readonly path?: string
  readonly element?: Element
  readonly becomes: 'removed' | 'deleted' | 'kept' | 'inherits'
  /** The reason to keep it without a setting: the rest of a sentence after "kept: ". */
  readonly reason?: string
  /** Its former place; null: in a folder. */
  readonly place: Place & { readonly commit: string | null }
}

/** A protection of the base that the manifests, the project file or the policies have loosened. */
export interface WeakenedProtection {
  readonly what: 'setting' | 'policy' | 'exception' | 'list' | 'object'
  /** The address of the object, also for a list of it. */
  readonly address?: Address
  /** `guards.deletions.max`, or of a policy. */
  readonly name?: string
  /** Without a full stop; names stand between back-ticks. */
  readonly sentence: string
  /** It may be weaker: nobody can tell. Absent: it is. */
  readonly certain?: false
  /** Its present place. Absent: it is gone. */
  readonly place?: Place
  /** Its former place; null: in a folder. */
  readonly was?: Place & { readonly commit: string | null }
}

export interface StepDocument {
  readonly id: string
  readonly address: string
  readonly kind: string
  readonly verb: Step['verb']
  readonly collection?: string
  readonly elements?: readonly Element[]
  /** Fields that are sent; what is sensitive is `{ "reference": "${env:…}" }`. */
  readonly spec?: Json
  /** Environments whose credentials are sent for their own sake. */
  readonly rotates?: readonly string[]
  readonly collections?: Readonly<Record<string, readonly Element[]>>
  readonly at: Json
  readonly dependsOn: readonly string[]
  /** Steps that must have ended before, well or not. */
  readonly follows?: readonly string[]
  /** It may leave in one request with others of its sort. */
  readonly shared?: true
  /** An unreadable object that it needs: the step is skipped, and so is what depends on it. */
  readonly restsOn?: Address
  /** Covers the part of the live object that the step rests on: equal digests, equal state. */
  readonly liveDigest: string
}

interface RefusedAccount {
  readonly svcId: string
  readonly verdicts: readonly Pick<Verdict, 'guard' | 'sentence' | 'allow' | 'addresses'>[]
}

/** `collection` of an account that ends, and is deleted then. */
export const ownCollection = 'account'

export interface UpcomingDocument extends Omit<DesiredCollection['upcoming'][number], typeof KEY> {
  readonly address: string
  readonly collection: string
}

interface PlanCounts {
  readonly create: number
  readonly update: number
  readonly delete: number
  readonly none: number
  readonly added: number
  readonly removed: number
  readonly steps: number
  /** Gains and losses of people, applications and accounts, also through groups; absent in older plans. */
  readonly gained?: number
  readonly lost?: number
  /** Possible gains and losses, and objects with unknown ones. */
  readonly unknown?: number
  /** Objects, values and entries that are declared no more, and stay. null: no base. Absent in older plans. */
  readonly released?: number | null
  /** Values and entries that were changed on the platform since the base, and that the plan changes back; likewise. */
  readonly overwritten?: number | null
  /** Differences that exceptions leave alone. Absent: no exception is of the target. */
  readonly excepted?: number
}

export interface PlanDocument {
  readonly formatVersion: string
  readonly tool: { readonly name: 'svcsync'; readonly version: string }
  readonly target: TargetIdentity
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** For a saved plan: svcsync does not apply it from then on. */
  readonly expiresAt?: string
  /** For a saved plan: the application that planned, and may apply. */
  readonly application?: ActingApplication
  /** Equal for equal content, whenever, wherever and by whichever application it was made. */
  readonly digest: string
  /** Covers the meaning of the manifests for the selected objects. */
  readonly manifestsDigest: string
  /** Globs over addresses that the plan is limited to. None: it covers all that is declared. */
  readonly only: readonly string[]
  /** Titles of the kinds that occur, for headings, in the order of review: `{ "user": "Users" }`. */
  readonly kinds: Readonly<Record<string, string>>
  readonly counts: PlanCounts
  /** Sorted by address; without the objects that need nothing. */
  readonly changes: readonly ChangeDocument[]
  readonly steps: readonly StepDocument[]
  /** Declared objects that could not be read: nothing is planned for them, and nothing is promised about them. */
  readonly unreadable: readonly Unreadable[]
  /** Declared fields that cannot be compared: never returned, or (`doubted`) of a name in doubt. */
  readonly unverifiable: readonly {
    readonly address: string
    readonly paths: readonly string[]
    readonly doubted?: { readonly kind: string; readonly paths: readonly string[] }
  }[]
  /** Declarations of kinds that the installation lacks, which are left out. Absent: none. */
  readonly lacking?: readonly MissingFeature[]
  readonly warnings: readonly Problem[]
  /** For a project that prunes: objects that match a pattern and are kept. */
  readonly prune?: Pick<PruneFindings, 'kept'>
  /** Absent: no exception is of the target. */
  readonly exceptions?: ExceptionFindings<ExceptionDocument>
  /** One verdict for each guard that passes, else one for each thing to allow. */
  readonly guards: readonly Verdict[]
  /** Gains and losses of access, also through groups. Absent in older plans. */
  readonly access?: AccessDocument
  /** For `drift --access`: `lost` and `unknown` of `access` then hold undeclared and unaccepted access. */
  readonly accessDrift?: AccessDriftDocument
  /** Entries that begin or end within 14 days, or later where the base does not say so, in order of time. */
  readonly upcoming: readonly UpcomingDocument[]
  /** Variables and files that were missing when it was made, and that an apply needs. The digest does not cover it. */
  readonly needs?: readonly string[]
  /** The digest does not cover it. null: nobody counted. Absent in plans of before. */
  readonly unmanaged?: Unmanaged | null
  /** As `unmanaged`: entries at levels that no manifest lists. null: the plan is about less. Absent in older plans. */
  readonly unlistedLevels?: UnlistedLevels | null
  /** null: none. The digest covers what it changes, and not it. Absent in plans of before. */
  readonly base?: BaseIdentity | null
  /** Declarations of the base that the manifests have dropped, by address; absent in older plans. */
  readonly noLongerDeclared?: readonly NoLongerDeclared[]
  /** Protections that are looser than at the base. Absent: none, or there is no base. */
  readonly weakened?: readonly WeakenedProtection[]
  /** Only what bounds in time brought about. `since`: after that; null: whenever. `pending`: what else would change. */
  readonly due?: {
    readonly since: string | null
    readonly pending: readonly string[]
    /** Accounts of which something is due that guards refuse: all of it is left out. Absent: there are none. */
    readonly refused?: readonly RefusedAccount[]
  }
}

interface MissingFeature {
  readonly kind: string
  readonly objects: number
  /** One sentence, without a full stop. */
  readonly reason: string
}

export const maxUnmanagedAddresses = 50

interface UnmanagedKind {
  /** Without what prune deletes. null: nothing of the kind could be listed. */
  readonly live: number | null
  /** The number of declared ones. */
  readonly declared: number
  /** The declared share, rounded down. Absent: no live objects, or unknown. */
  readonly percent?: number
  /** The first undeclared objects in order, without excepted ones. */
  readonly addresses: readonly Address[]
  /** The first of `addresses` that the run before did not see. Absent: none, or nobody knows. */
  readonly new?: readonly Address[]
  /** The first of those that an exception names. Absent: none. */
  readonly excepted?: readonly Address[]
  /** Lists by their beginnings, such as `connection/main`; why: one sentence, without a full stop. */
  readonly unlisted?: readonly { readonly address: Address; readonly reason: string }[]
  /** Lists that were not read, since they are inside of objects that no manifest declares. */
  readonly skippedLists?: number
}

/** By the name of the kind. */
export type Unmanaged = Readonly<Record<string, UnmanagedKind>>

interface LevelWithAccounts {
  readonly address: Address
  readonly level: string
  readonly accounts: readonly { readonly svcId: string; readonly company?: string }[]
}

/** Left alone, whoever gave it. */
interface UnlistedLevels {
  readonly entries: number
  /** On how many levels of how many objects they are, together. */
  readonly levels: number
  /** By address and level, the first 1,000 entries. */
  readonly listed: readonly LevelWithAccounts[]
  /** Elements that objects inherit, counted and listed likewise. Absent: none. */
  readonly inherited?: {
    readonly entries: number
    readonly objects: number
    readonly listed: readonly LevelWithAccounts[]
  }
  /** Lists whose levels are not told, with entries that nothing explains, listed likewise. Absent: there are none. */
  readonly untold?: {
    readonly lists: readonly { readonly address: Address; readonly path: string }[]
    readonly entries: number
    readonly listed: readonly Omit<LevelWithAccounts, 'level'>[]
  }
  /** Declared objects whose levels the plan did not read, since no manifest lists any. */
  readonly notRead: readonly Address[]
}
