// The model of access: accounts and rights by numbers, since there may be very many, and the ways to a right.
import { compareBy } from '../model/group-by.ts'
import type { CompanyRef } from '../model/kind.ts'
import type { Time } from './aftermath.ts'

/** A right of somebody on an object. */
export interface Right {
  readonly address: string
  readonly kind: 'privilege' | 'owner'
  /** Undefined: the platform does not tell it. */
  readonly level: string | undefined
  /** `null`: it holds for all. Undefined: the platform does not tell whether it is limited. */
  readonly company: CompanyRef | null | undefined
  /** 0: that of an Administrator, 1: that of an owner; then in the order in which the kind lists its levels. */
  readonly rank: number
  /** The same without a company, which holds for each company; -1: nobody has it. */
  readonly covering: number
  /** Rights on the same object that the platform does not tell whole, and that may be this one. */
  readonly vague: readonly number[]
}

/** Accounts go by numbers, and so do rights. */
export interface AccessGraph {
  /** As declared or read, otherwise as a list has it. */
  readonly svcIds: readonly string[]
  readonly rights: readonly Right[]
  /** The number of an account, by its key. */
  readonly numbers: ReadonlyMap<string, number>
  /** The groups that an account is in, in the order of their keys. */
  readonly within: Readonly<Record<Time, readonly Numbers[]>>
  /** The members of a group. Undefined: it is none, or nobody knows its members. */
  readonly members: Readonly<Record<Time, readonly (Numbers | undefined)[]>>
  /** An account's own rights, sorted. */
  readonly held: Readonly<Record<Time, readonly Numbers[]>>
  /** Known to be one person or one application: nobody else stands behind it. */
  readonly single: ReadonlySet<number>
  /** Accounts that the plan creates or deletes. */
  readonly created: ReadonlySet<number>
  readonly deleted: ReadonlySet<number>
  /** Rights as a substitute. Absent: there are no substitutions. */
  readonly standIns?: { readonly [At in Time]?: Pick<StandIns, 'passed'> & Partial<StandIns> } & {
    /** The plan changes a substitution or its scope. */
    readonly move?: boolean
  }
}

/** True if an account is no group, as far as anybody knows. */
export function isPerson({ members }: Pick<AccessGraph, 'members'>, account: number): boolean {
  return members.before[account] === undefined && members.after[account] === undefined
}

/** Nobody comes or goes by the plan: after it all is as before. */
export function isStill({ within, held, standIns, svcIds }: AccessGraph): boolean {
  const isSame = ({ before, after }: typeof within): boolean =>
    svcIds.every((_, each) => sameNumbers(before[each], after[each]))
  return standIns === undefined && isSame(within) && isSame(held)
}

export function sameNumbers(a: Numbers = [], b: Numbers = []): boolean {
  return a === b || (a.length === b.length && a.every((each, index) => each === b[index]))
}

export function peopleIn(graph: AccessGraph): number[] {
  return [...graph.svcIds.keys()].filter((each) => isPerson(graph, each))
}

/** The accounts that may be groups with unknown members. */
export function perhapsGroupsIn(graph: AccessGraph): number[] {
  return peopleIn(graph).filter((each) => !graph.single.has(each))
}

/** The accounts with any right, their own, through groups or as a substitute. */
export function holdersAmong({ held, members, standIns }: AccessGraph, time: Time, accounts: Numbers): number[] {
  const passed = standIns?.[time]?.passed
  const own = [...held[time].keys()].filter((each) => held[time][each]?.length || passed?.get(each)?.size)
  const found = reached(members[time], own)
  return accounts.filter((each) => found.has(each))
}

/** These accounts, and all that the lists lead to from them, in any number of steps. */
export function reached(lists: readonly (Numbers | undefined)[], from: Iterable<number>): ReadonlySet<number> {
  const found = new Set(from)
  // The set grows while it is walked through.
  for (const each of found) for (const next of lists[each] ?? []) found.add(next)
  return found
}

/** Accounts are numbered as they are met, which depends on where manifests list them. */
export const bySvcId = ({ svcIds }: Pick<AccessGraph, 'svcIds'>) =>
  compareBy((account: number) => svcIds[account] as string)

export type Numbers = readonly number[]
/** As entries tell it. */
export interface Substitution {
  readonly address: string
  /** The svcId of who is stood in for. */
  readonly person: string
  readonly from: string
  readonly until: string
}

interface StandIn extends Substitution {
  /** Accounts. */
  readonly of: number
  readonly by: number
  /** The right that it makes of one of the person; undefined: it is limited to something else. */
  pass(right: number): number | undefined
}

/** The substitutions that count at one time, and their effects: the rights of each substitute, the best way first. */
interface StandIns {
  readonly all: ReadonlyMap<string, StandIn>
  readonly passed: ReadonlyMap<number, ReadonlyMap<number, Chain>>
}

/**
 * The way to a group, from its end: chains to many groups share their beginnings. Undefined: the account holds it by
 * itself.
 */
export type Chain =
  | {
      readonly group: number
      readonly inner: Chain
      /** It is no group: who is stood in for. */
      readonly by?: StandIn
    }
  | undefined

/** From the group that the account is in to the one that holds the right. */
export function groupsOf(chain: Chain): number[] {
  const groups: number[] = []
  for (let each = chain; each !== undefined; each = each.inner) groups.push(each.group)
  return groups.reverse()
}

/** From the account on. */
export function substitutionsIn(chain: Chain): StandIn[] {
  const found: StandIn[] = []
  for (let each = chain; each !== undefined; each = each.inner) if (each.by) found.push(each.by)
  return found.reverse()
}

/** The second behind the first. */
export function joinChains(first: Chain, second: Chain): Chain {
  const steps: NonNullable<Chain>[] = []
  for (let each = second; each !== undefined; each = each.inner) steps.push(each)
  return steps.reduceRight((inner: Chain, { group, by }): Chain => ({ group, inner, ...(by && { by }) }), first)
}
