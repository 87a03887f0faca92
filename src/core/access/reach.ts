// Finds the access of accounts through groups, each by its shortest way. All members of a group share the access of the
// group, so it is computed once for each group.
import type { Numbers } from './walk.ts'

/** From the first group on. Ways to one group share their ends. */
export interface Way {
  readonly group: number
  readonly outer: Way | undefined
  readonly length: number
  /** The group at the end of it. */
  readonly holder: number
  /** So many groups at the end of it, or all. */
  readonly end: Way
}

export interface Reached {
  readonly right: number
  /** Undefined: the account holds it by itself. */
  readonly way: Way | undefined
}

interface Reach {
  /**
   * In the order in which a walk upwards comes upon them. Undefined: it goes through groups that are in each other, or
   * there is no room.
   */
  of(account: number): readonly Reached[] | undefined
  /** How many members of groups and rights it has looked at. */
  steps(): number
}

/** A limit for all groups: thousands of groups nested in each other may reach very much. */
const roomForRights = 2 ** 19

/** `ends`: of how many groups the end of a way is known. */
export function createReach(within: readonly Numbers[], held: readonly Numbers[], ends: number): Reach {
  // The access of a member through the group. Null: see `of`.
  const known = new Map<number, readonly Reached[] | null>()
  const begun = new Set<number>()
  const foundIn: number[] = []
  let [round, room, steps] = [0, roomForRights, 0]

  const gather = (account: number): readonly Reached[] | undefined => {
    const groups = within[account] as Numbers
    const own = held[account] as Numbers
    const all = own.map((right): Reached => ({ right, way: undefined }))
    for (const group of groups) {
      const byIt = known.get(group)
      if (!byIt) return undefined
      for (const each of byIt) all.push(each)
    }
    steps += 1 + groups.length + all.length
    // Ways of equal length stay in the order of groups.
    if (groups.length > 1) all.sort((a, b) => lengthOf(a.way) - lengthOf(b.way))
    round++
    return all.filter(({ right }) => {
      const isNew = foundIn[right] !== round
      foundIn[right] = round
      return isNew
    })
  }

  const finish = (group: number): void => {
    const list = room > 0 ? gather(group) : undefined
    let way: Way | undefined
    const byIt = list?.map(({ right, way: outer }): Reached => {
      if (way === undefined || way.outer !== outer) way = longerBy(group, outer, ends)
      return { right, way }
    })
    room -= byIt?.length ?? 0
    known.set(group, byIt ?? null)
  }

  /** From the outermost groups inwards; of groups that are in each other, one is asked for before it is known. */
  const prepare = (account: number): void => {
    const open = [...(within[account] as Numbers)]
    for (let group = open.at(-1); group !== undefined; group = open.at(-1)) {
      if (!begun.has(group)) {
        begun.add(group)
        for (const each of within[group] as Numbers) if (!begun.has(each)) open.push(each)
        continue
      }
      open.pop()
      if (!known.has(group)) finish(group)
    }
  }

  return {
    of(account) {
      prepare(account)
      return gather(account)
    },
    steps: () => steps,
  }
}

const lengthOf = (way: Way | undefined): number => way?.length ?? 0

function longerBy(group: number, outer: Way | undefined, ends: number): Way {
  const length = lengthOf(outer) + 1
  const way = { group, outer, length, holder: outer === undefined ? group : outer.holder }
  return Object.assign(way, { end: outer === undefined || length <= ends ? (way as Way) : outer.end })
}
