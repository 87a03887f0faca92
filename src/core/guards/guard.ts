// What a guard is: a truth about a plan that must hold before its first write, or that somebody allows by name to be
// broken.
import type { Aftermath } from '../access/aftermath.ts'
import type { AccessEntry } from '../access/describe-access.ts'
import type { Change } from '../compare/change.ts'
import type { Stock } from '../compare/stock.ts'
import type { Address } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import type { KeyedElement } from '../model/elements.ts'
import type { Text } from '../model/sensitive.ts'

/** As it is written in `--allow` and in the project file. Stable. */
type GuardName =
  | 'administrator-gained'
  | 'deletions'
  | 'removals'
  | 'protected'
  | 'last-administrator'
  | 'last-owner'
  | 'emptied-group'
  | 'acting-application'
  | 'disappeared'
  | 'unread'
  | 'older-commit'
  | 'overwrites'
  | 'enough-licences'
  | 'promoted'
  | PolicyGuard

type PolicyGuard = `policy/${string}`

export function isPolicyGuard(name: string): name is PolicyGuard {
  return name.startsWith('policy/')
}

/** A largest number, and a largest share of what is there in per cent (0 to 100). */
export interface Limits {
  readonly max: number
  readonly percent: number
}

/**
 * A commit that the ledger names as begun, and that is no base: not of the history that is planned, or, not `isKnown`,
 * nobody can tell.
 */
export interface StrayCommit {
  readonly commit: string
  readonly isKnown: boolean
}

/** The commit that was applied last, and what is checked out now: null where that is no commit. */
export interface CommitHistory {
  /** Undefined: none, or it does not matter here. */
  readonly applied: string | undefined
  readonly planned: string | null
  /** Whether `planned` is `applied` or comes after it; undefined: the history here does not say. */
  readonly isDescendant: boolean | undefined
  readonly strays: readonly StrayCommit[]
}

/** Whether another target has what is planned: its ledger holds the commit as applied. */
export interface Promotion {
  readonly from: string
  /** null: what is planned is no commit. */
  readonly planned: string | null
  readonly applied: string | undefined
  readonly state: 'applied' | 'other' | 'unknown'
  /** Why nobody knows, or why it is no commit; without a full stop. */
  readonly why?: string | undefined
}

/** What nobody told, and why: each guard says what it does then. */
interface NotTold {
  readonly notTold: string
}

export function isNotTold(fact: object): fact is NotTold {
  return 'notTold' in fact
}

/**
 * What guards look at. All of it was known before the first write. null: the plan has nothing of that sort, and who
 * needs it says nothing.
 */
export interface Facts {
  /** Those that need nothing included. */
  readonly changes: readonly Change[]
  /** `object`: what is declared of it, where that is known. */
  readonly unreadable: readonly { readonly address: Address; readonly object: Desired | undefined }[]
  readonly limits: Readonly<Record<'deletions' | 'removals', Limits>>
  /** Globs over addresses. */
  readonly protect: readonly Text[]
  /** How many declarations that may refer to accounts `--only` leaves out: they were not read. */
  readonly leftOut: { readonly declarations: number } | NotTold
  /**
   * What looks like manifests that are missing: kinds that are pruned and not declared, with how many would be deleted;
   * folders that hold none.
   */
  readonly missing: { readonly kinds: ReadonlyMap<string, number>; readonly folders: readonly string[] } | NotTold
  /** What accounts come to administer, where the project wants to know. */
  readonly administratorsGained: readonly AccessEntry[] | NotTold | null
  /** Live objects of a kind, by its name, where the platform listed them. */
  readonly totals: ReadonlyMap<string, number>
  /** Entries in all lists of a kind, by its name, where `changes` are fewer than the objects that a plan has read. */
  readonly listed: ReadonlyMap<string, number>
  /** Who is where, before and after. */
  readonly aftermath: Aftermath
  /**
   * The account as which svcsync writes. `svcId` empty: the application has none, so that nothing can be taken from it.
   */
  readonly acting: KeyedElement | NotTold
  /** Where there is a ledger that knows one. */
  readonly history: CommitHistory | null
  /** null: the target takes what it gets. */
  readonly promotion: Promotion | null
  /**
   * What was changed on the platform since the base and would be changed back: fields and lists, none for the whole
   * object. null: there is no base, or the plan only shows it.
   */
  readonly overwritten: readonly { readonly address: string; readonly what: readonly string[] }[] | null
  /** What there is of what the plan gives, where it gives such things and the platform says that. */
  readonly stocks: readonly Stock[] | null
}

export interface Finding {
  /** What would happen, and what speaks against it. */
  readonly sentence: string
  readonly numbers: Readonly<Record<string, number>>
  readonly addresses: readonly string[]
  /** A number, which allows as many and fewer, or a name. Undefined: it cannot be allowed. */
  readonly allow?: number | string
}

export interface Guard<Need extends keyof Facts = keyof Facts> {
  readonly name: GuardName
  /** Whether its allowances are numbers. */
  readonly counts: boolean
  /** What it holds, where it holds: one short sentence. */
  readonly truth: string
  /** The plans that it is put to. `removals`: what takes something from somebody, or deletes; it holds in any other. */
  readonly on: 'anything' | 'removals'
  readonly needs: readonly [Need, ...Need[]]
  /** Everything that breaks it. Pure. */
  find(facts: { readonly [Name in Need]: NonNullable<Facts[Name]> }): readonly Finding[]
}

/** The one way to make a guard: it sees the facts that it says it needs, and no others. */
export function defineGuard<const Need extends keyof Facts>(guard: Guard<Need>): Guard<Need> {
  return guard
}

/** What a guard says of a plan: once where it holds, and else once for each thing to be allowed. */
export interface Verdict {
  readonly guard: GuardName
  readonly verdict: 'passed' | 'refused' | 'allowed'
  readonly sentence: string
  readonly numbers: Readonly<Record<string, number>>
  readonly addresses: readonly string[]
  /** What `--allow` takes to let this pass and nothing else. Absent: it passed, or cannot be allowed. */
  readonly allow?: string
}

export const isDeletion = ({ action }: Pick<Change, 'action'>): boolean => action === 'delete'
