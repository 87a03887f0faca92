// Tells which other levels an account has on an object: whoever keeps one loses a level, and no access.
import { append, groupBy } from '../model/group-by.ts'
import type { Time } from './aftermath.ts'
import type { AccessDocument, AccessEntry } from './describe-access.ts'
import type { AccessGraph, Right } from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'

/** Adds the levels before the plan to what is gained, and those after it to what is lost. */
export function withOtherLevels(graph: AccessGraph, access: AccessDocument): AccessDocument {
  const { gained, lost, unknown } = access
  const isGain = ({ may }: AccessEntry): boolean => may === 'gain'
  const before = othersAt(graph, 'before', [...gained, ...unknown.filter(isGain)])
  const after = othersAt(graph, 'after', [...lost, ...unknown.filter((entry) => !isGain(entry))])
  const told = (entry: AccessEntry): AccessEntry => {
    const others = before.get(entry) ?? after.get(entry)
    return others === undefined ? entry : { ...entry, others }
  }
  return { ...access, gained: gained.map(told), lost: lost.map(told), unknown: unknown.map(told) }
}

function othersAt(
  graph: AccessGraph,
  time: Time,
  entries: readonly AccessEntry[],
): ReadonlyMap<AccessEntry, NonNullable<AccessEntry['others']>> {
  const found = new Map<AccessEntry, NonNullable<AccessEntry['others']>>()
  const peers = rightsOn(graph, new Set(entries.map(({ address }) => address)))
  const subjects = groupBy(entries, ({ subject }) => subject)
  const walk = new GroupWalk(graph, time)
  const isHeld = (right: number): boolean => walk.ownPlaceOf(right) !== undefined
  for (const [account, svcId] of graph.svcIds.entries()) {
    const own = subjects.get(svcId)
    if (own === undefined) continue
    walk.from(account)
    for (const entry of own) {
      const held = (peers.get(entry.address) ?? []).filter(isHeld).map((right) => graph.rights[right] as Right)
      const others = held.filter(({ covering }) => !isHeld(covering)).flatMap((right) => levelOf(right, entry))
      if (others.length > 0) found.set(entry, others)
    }
  }
  return found
}

function levelOf({ level, company = null }: Right, entry: AccessEntry): NonNullable<AccessEntry['others']> {
  const limit = company?.name ?? null
  return level === undefined || (level === entry.level && limit === entry.company) ? [] : [{ level, company: limit }]
}

/** The most serious first. */
function rightsOn({ rights }: AccessGraph, addresses: ReadonlySet<string>): ReadonlyMap<string, readonly number[]> {
  const peers = new Map<string, number[]>()
  const rankOf = (right: number): number => (rights[right] as Right).rank
  rights.forEach(({ address, kind }, right) => {
    if (kind === 'privilege' && addresses.has(address)) append(peers, address, right)
  })
  for (const own of peers.values()) own.sort((a, b) => rankOf(a) - rankOf(b))
  return peers
}
