// A guard is a truth about a plan that must hold before its first write, unless somebody allows by name to break it.
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

/** The commit that was applied last, and what is checked out now: null where that is no commit. */
export interface CommitHistory {
  /** Undefined: none, or it does not matter here. */
  readonly applied: string | undefined
  readonly planned: string | null
  /** `yes`: `planned` equals `applied` or comes after it. `unknown`: the local history does not tell. */
  readonly follows: 'yes' | 'no' | 'unknown'
  /** Begun commits of the ledger that are no base: not of the planned history, or (not `isKnown`) nobody can tell. */
  readonly strays: readonly { readonly commit: string; readonly isKnown: boolean; readonly undo?: boolean }[]
}

/** The state of the planned commit at another target; `applied`: its ledger has it. */
export interface Promotion {
  readonly from: string
  /** null: what is planned is no commit. */
  readonly planned: string | null
  readonly applied: string | undefined
  readonly state: 'applied' | 'other' | 'unknown'
  /** Why nobody knows, or why it is no commit; without a full stop. */
  readonly why?: string | undefined
}

/** A fact that nobody told, with its reason: each guard decides what follows. */
interface NotTold {
  readonly notTold: string
}

export function isNotTold(fact: object): fact is NotTold {
  return 'notTold' in fact
}

/** The facts that guards judge, all known before the first write. null: the plan has nothing of that sort. */
export interface Facts {
  /** All changes, including those without work. */
  readonly changes: readonly Change[]
  /** `object`: what is declared of it, where that is known. */
  readonly unreadable: readonly { readonly address: Address; readonly object: Desired | undefined }[]
  readonly limits: Readonly<Record<'deletions' | 'removals', Limits>>
  /** Globs over addresses. */
  readonly protect: readonly Text[]
  /** The number of declarations with possible references to accounts that `--only` left out. */
  readonly leftOut: { readonly declarations: number } | NotTold
  /** Signs of missing manifests: pruned kinds without declarations, with the number of deletions, and empty folders. */
  readonly missing: { readonly kinds: ReadonlyMap<string, number>; readonly folders: readonly string[] } | NotTold
  /** Accounts that become Administrators, if the project asks for it. */
  readonly administratorsGained: readonly AccessEntry[] | NotTold | null
  /** Live objects of a kind, by its name, where the platform listed them. */
  readonly totals: ReadonlyMap<string, number>
  /** Entries in all lists of a kind, by its name, where `changes` are fewer than the objects that a plan has read. */
  readonly listed: ReadonlyMap<string, number>
  /** Lists and holders, before and after. */
  readonly aftermath: Aftermath
  /** The account as which svcsync writes. An empty `svcId`: the application has none, and nothing to lose. */
  readonly acting: KeyedElement | NotTold
  /** The history, if a ledger has one. */
  readonly history: CommitHistory | null
  /** null: the target takes what it gets. */
  readonly promotion: Promotion | null
  /** Fields and lists changed since the base that the plan reverts; none: the whole object. null: no base. */
  readonly overwritten: readonly { readonly address: string; readonly what: readonly string[] }[] | null
  /** The stock of what the plan gives, for kinds whose stock the platform tells. */
  readonly stocks: readonly Stock[] | null
}

export interface Finding {
  /** The consequence of the plan, and why it is refused. */
  readonly sentence: string
  readonly numbers: Readonly<Record<string, number>>
  readonly addresses: readonly string[]
  /** A number, which allows as many and fewer, or a name. Undefined: it cannot be allowed. */
  readonly allow?: number | string
}

export interface Guard<Need extends keyof Facts = keyof Facts> {
  readonly name: GuardName
  /** True if its allowances are numbers. */
  readonly counts: boolean
  /** One short sentence that is true if the guard passes. */
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

/** The verdict of a guard on a plan: one if it passes, else one for each thing to allow. */
export interface Verdict extends Omit<Finding, 'allow'> {
  readonly guard: GuardName
  readonly verdict: 'passed' | 'refused' | 'allowed'
  /** The value of `--allow` that lets this alone pass. Absent: it passed, or nobody can allow it. */
  readonly allow?: string
}

export const isDeletion = ({ action }: Pick<Change, 'action'>): boolean => action === 'delete'
