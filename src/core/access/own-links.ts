// The links of a way that begin at the account itself: its groups and its own rights. Removing all of them ends the
// right for this account alone.
import type { NormaliseSvcId } from '../model/address.ts'
import { remembered } from '../model/group-by.ts'
import type { Time } from './aftermath.ts'
import type { AccessEntry } from './describe-access.ts'
import type { AccessGraph, Numbers } from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'

type AccessPoint = Pick<AccessEntry, 'subject' | 'level' | 'address' | 'company'>

interface OwnLinks {
  /** Groups of the account, each of which leads to the right. */
  readonly groups: readonly string[]
  readonly isDirect: boolean
}

/** For rights that nobody has at that time: none. */
export function ownLinks(graph: AccessGraph, time: Time, normalise: NormaliseSvcId): (point: AccessPoint) => OwnLinks {
  const walk = new GroupWalk(graph, time)
  const rightsOf = remembered((group: number): ReadonlySet<number> => new Set(walk.from(group)))
  const numberOf = rightNumbers(graph)
  return (point) => {
    const account = graph.numbers.get(normalise(point.subject ?? ''))
    const right = numberOf(point)
    if (account === undefined || right === undefined) return { groups: [], isDirect: false }
    // A right for all covers each company.
    const { covering } = graph.rights[right] as AccessGraph['rights'][number]
    const isIn = (rights: ReadonlySet<number>): boolean => rights.has(right) || rights.has(covering)
    const within = graph.within[time][account] as Numbers
    return {
      groups: within.filter((group) => isIn(rightsOf(group))).map((group) => graph.svcIds[group] as string),
      isDirect: isIn(new Set(graph.held[time][account])),
    }
  }
}

export function rightNumbers({ rights }: Pick<AccessGraph, 'rights'>): (point: AccessPoint) => number | undefined {
  // Nothing is written as null in a list.
  const keyOf = (...parts: readonly (string | null | undefined)[]): string => JSON.stringify(parts)
  const numbers = new Map(
    rights.map(({ level, address, company }, number) => [keyOf(level, address, company?.name), number]),
  )
  return ({ level, address, company }) => numbers.get(keyOf(level, address, company))
}
