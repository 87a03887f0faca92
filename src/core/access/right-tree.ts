// All ways down from those that hold a right: of each account below, the group by which its shortest way begins.
import { append, compareBy } from '../model/group-by.ts'
import type { Time } from './aftermath.ts'
import type { AccessGraph, Chain, Numbers } from './graph-model.ts'

/** The tree of accounts below each other, among those that are searched. */
interface Land {
  readonly size: number
  readonly below: ReadonlyMap<number, Numbers>
  /** The place of a group in the order of keys. */
  readonly order: Int32Array
  /** True if an account stays in its group after the plan. */
  stays(account: number, group: number): boolean
}

/** `accounts`: with all groups that they are in, through other groups too. */
export function landOf(graph: AccessGraph, time: Time, accounts: ReadonlySet<number>): Land {
  const below = new Map<number, number[]>()
  for (const each of accounts) for (const group of graph.within[time][each] as Numbers) append(below, group, each)
  const size = graph.svcIds.length
  const order = new Int32Array(size)
  const keys = [...graph.numbers].filter(([, number]) => below.has(number)).sort(compareBy(([key]) => key))
  keys.forEach(([, number], place) => {
    order[number] = place
  })
  const stays = (account: number, group: number) => (graph.within.after[account] as Numbers).includes(group)
  return { size, below, order, stays }
}

/** Among equally short ways the first by the keys of their groups, from the account on. */
export function createTree({ size, below, order, stays }: Land) {
  const [round, steps, next, end, whole, queue] = Array.from({ length: 6 }, () => new Int32Array(size)) as [
    ...[Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array],
  ]
  let now = 0
  let from: Numbers | undefined
  const visit = (account: number, group: number, at: number): void => {
    round[account] = now
    next[account] = group
    queue[at] = account
    steps[account] = (steps[group] ?? 0) + 1
  }
  const widen = (holders: Numbers): { readonly found: number; readonly looked: number } => {
    let found = 0
    let looked = 0
    for (const each of holders) visit(each, -1, found++)
    for (let at = 0; at < found; at++) {
      const group = queue[at] as number
      for (const account of below.get(group) ?? []) {
        looked++
        if (round[account] !== now) visit(account, group, found++)
        else if (steps[account] === (steps[group] as number) + 1 && comesFirst(group, next[account] as number))
          next[account] = group
      }
    }
    return { found, looked }
  }
  const comesFirst = (group: number, other: number): boolean => (order[group] as number) < (order[other] as number)
  return {
    /** Looks from these holders; how much it did. The same list again takes nothing. */
    grow(holders: Numbers): number {
      if (from === holders) return 0
      from = holders
      now++
      const { found, looked } = widen(holders)
      for (const account of queue.subarray(0, found)) {
        const group = next[account] as number
        end[account] = group < 0 ? account : (end[group] as number)
        whole[account] = group < 0 || (whole[group] === 1 && stays(account, group)) ? 1 : 0
      }
      return found + looked
    },
    /** To which holder the shortest way of an account leads, and of those the first; undefined: there is none. */
    endOf: (account: number): number | undefined => (round[account] === now ? end[account] : undefined),
    /** True if each step of the way stays after the plan. */
    staysWhole: (account: number): boolean => whole[account] === 1,
    wayOf(account: number): Chain {
      let way: Chain
      for (let at = next[account] as number; at >= 0; at = next[at] as number) way = { group: at, inner: way }
      return way
    },
  }
}
