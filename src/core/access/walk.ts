// Who is in which group and who holds what, by numbers, since there may be very many of them; and the ways that lead to it.
import type { CompanyRef } from '../model/kind.ts'
import type { Time } from './aftermath.ts'

/** What somebody can do with an object. */
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
  /** What an account holds by itself, sorted. */
  readonly held: Readonly<Record<Time, readonly Numbers[]>>
  /** Known to be one person or one application: nobody else stands behind it. */
  readonly single: ReadonlySet<number>
  /** Accounts that the plan creates or deletes. */
  readonly created: ReadonlySet<number>
  readonly deleted: ReadonlySet<number>
  /** Who can do what as a substitute. Absent: nobody stands in for anybody. */
  readonly standIns?: { readonly [At in Time]?: Pick<StandIns, 'passed'> & Partial<StandIns> } & {
    /** The plan changes who stands in for whom, or in what. */
    readonly move?: boolean
  }
}

/** Whether an account is no group, as far as anybody knows. */
export function isPerson({ members }: Pick<AccessGraph, 'members'>, account: number): boolean {
  return members.before[account] === undefined && members.after[account] === undefined
}

export function peopleIn(graph: AccessGraph): number[] {
  return [...graph.svcIds.keys()].filter((each) => isPerson(graph, each))
}

/** Those of them that may be groups whose members nobody knows. */
export function perhapsGroupsIn(graph: AccessGraph): number[] {
  return peopleIn(graph).filter((each) => !graph.single.has(each))
}

/** Those of them that hold something, by themselves, through groups or as a substitute. */
export function holdersAmong({ held, members, standIns }: AccessGraph, time: Time, accounts: Numbers): number[] {
  const passed = standIns?.[time]?.passed
  const found = new Set([...held[time].keys()].filter((each) => held[time][each]?.length || passed?.get(each)?.size))
  // The set grows while it is walked through.
  for (const each of found) for (const member of members[time][each] ?? []) found.add(member)
  return accounts.filter((each) => found.has(each))
}

/** Accounts are numbered as they are met, which depends on where manifests list them. */
export const bySvcId =
  ({ svcIds }: Pick<AccessGraph, 'svcIds'>) =>
  (a: number, b: number): number =>
    (svcIds[a] as string) < (svcIds[b] as string) ? -1 : 1

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

/** Those that count at one time, and what comes by them: of each substitute the rights, the best way first. */
interface StandIns {
  readonly all: ReadonlyMap<string, StandIn>
  readonly passed: ReadonlyMap<number, ReadonlyMap<number, Chain>>
}

/** The way to a group, from its end: chains to many groups share their beginnings. Undefined: the account holds it by itself. */
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

interface Walk {
  /** Rights that an account has, in the order in which a walk from it upwards comes upon them. */
  from(account: number): Numbers
  /** The place of the group at which the walk found it, or what covers it; undefined: it did not. */
  placeOf(right: number): number | undefined
  /** The same of the right alone. */
  ownPlaceOf(right: number): number | undefined
  wayTo(place: number): Chain
  /** Of a way of groups alone so many of them at either end, and the number of the others; undefined: it is hardly longer. */
  endsOf(place: number, ends: number): { readonly groups: number[]; readonly skipped: number } | undefined
  /** The same for later, when another walk may have been made. A long way is not held until it is asked for. */
  wayLater(account: number, place: number): () => Chain
  /** How much the last walk looked at. */
  steps(): number
}

/** Of groups: a longer way is walked again. */
const shortWay = 100

/**
 * Breadth first, by the keys of groups: what is found first is found by the shortest chain, and of those the first.
 * `tellsCovered`: also what a substitute has for one company, and for all: it may be passed on by a shorter chain.
 */
export function createWalk({ within, held, rights, standIns }: AccessGraph, time: Time, tellsCovered = false): Walk {
  const seen = new Int32Array(within[time].length)
  const foundIn = new Int32Array(rights.length)
  const placeAt = new Int32Array(rights.length)
  let round = 0
  let steps = 0
  // One walk after another may go through very many groups: they share their room.
  const accounts = new Int32Array(within[time].length)
  /** Of each account the place of the one before it. */
  const inner = new Int32Array(within[time].length)
  let length = 0
  /** Those that somebody asked for, which may be few of many long ones; and behind the places of accounts what a substitute has. */
  const ways = new Map<number, Chain>()
  const isShort = (place: number): boolean => {
    let at = place
    for (let steps = 0; steps < shortWay; steps++) {
      if (ways.has(at)) return true
      at = inner[at] as number
    }
    return false
  }
  const direct = (right: number): number | undefined => (foundIn[right] === round ? placeAt[right] : undefined)
  const walk: Walk = {
    from(account) {
      round++
      steps = 0
      const found: number[] = []
      accounts[0] = account
      length = 1
      ways.clear()
      ways.set(0, undefined)
      seen[account] = round
      for (let place = 0; place < length; place++) {
        const here = accounts[place] as number
        const groups = within[time][here] as Numbers
        const own = held[time][here] as Numbers
        steps += 1 + groups.length + own.length
        for (const right of own) {
          if (foundIn[right] === round) continue
          foundIn[right] = round
          placeAt[right] = place
          found.push(right)
        }
        for (const group of groups) {
          if (seen[group] === round) continue
          seen[group] = round
          accounts[length] = group
          inner[length] = place
          length++
        }
      }
      const passed = standIns?.[time]?.passed
      if (passed !== undefined) addPassed(passed, found)
      return found
    },
    placeOf(right) {
      const own = direct(right)
      const { covering } = rights[right] as Right
      const other = covering < 0 ? undefined : direct(covering)
      return own === undefined || (other !== undefined && other < own) ? other : own
    },
    ownPlaceOf: direct,
    steps: () => steps,
    wayTo,
    // Nothing is made for each step of a way of thousands, which many may have.
    endsOf(place, ends) {
      if (place >= length) return undefined
      let count = 0
      for (let at = place; at > 0; at = inner[at] as number) count++
      const skipped = count - 2 * ends
      if (skipped < 2) return undefined
      const groups: number[] = []
      let left = count
      for (let at = place; at > 0; at = inner[at] as number, left--)
        if (left > count - ends || left <= ends) groups.push(accounts[at] as number)
      return { groups: groups.reverse(), skipped }
    },
    wayLater(account, place) {
      let way = isShort(place) ? wayTo(place) : ('unasked' as const)
      return () => {
        if (way !== 'unasked') return way
        walk.from(account)
        way = wayTo(place)
        return way
      }
    },
  }
  return walk

  function wayTo(place: number): Chain {
    const open: number[] = []
    let at = place
    for (; !ways.has(at); at = inner[at] as number) open.push(at)
    let way = ways.get(at)
    for (const each of open.reverse()) {
      way = { group: accounts[each] as number, inner: way }
      ways.set(each, way)
    }
    return way
  }

  /** What comes as a substitute, behind all else. What is limited to a company is not told beside the same without one. */
  function addPassed(passed: StandIns['passed'], found: number[]): void {
    let behind = length
    for (const [place, account] of accounts.subarray(0, length).entries()) {
      const own = [...(passed.get(account) ?? [])]
      const places = new Map<Chain, number>()
      const isLimited = (right: number): boolean => Boolean((rights[right] as Right).company)
      for (const [right, chain] of own.sort(([a], [b]) => Number(isLimited(a)) - Number(isLimited(b)))) {
        if (foundIn[right] === round) continue
        if (!tellsCovered && isLimited(right) && foundIn[(rights[right] as Right).covering] === round) continue
        const at = places.get(chain) ?? behind++
        if (!places.has(chain)) ways.set(at, place === 0 ? chain : joinChains(wayTo(place), chain))
        places.set(chain, at)
        foundIn[right] = round
        placeAt[right] = at
        found.push(right)
      }
    }
  }
}
