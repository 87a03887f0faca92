// Edits of lists that would give somebody a right, and cuts that would end it: looked for in the graph of groups and
// levels.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { Address, NormaliseSvcId } from '../model/address.ts'
import { elementKey, type KeyedElement, keyedElement } from '../model/elements.ts'
import { remembered } from '../model/group-by.ts'
import type { CompanyRef } from '../model/kind.ts'
import { accessGraphOf } from './access-graph.ts'
import { nestsOf } from './aftermath.ts'
import type { AccessEntry } from './describe-access.ts'
import { type AccessGraph, isPerson, type Numbers, reached } from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'
import { rightNumbers } from './own-links.ts'
import { smallestCuts } from './smallest-cut.ts'
import type { LinkEdit } from './what-if.ts'

/** The right to give, or to end. */
export interface WantedRight {
  readonly person: string
  /** `owner` of who owns a group. */
  readonly level: string
  readonly object: Address
  /** null: for all. */
  readonly company: CompanyRef | null
}

/** The state in which edits are searched: everything as the manifests leave it (`settled`). */
interface Standing {
  readonly changes: readonly Change[]
  readonly graph: AccessGraph
  readonly normalise: NormaliseSvcId
}

export function standingOf(changes: readonly Change[], normalise: NormaliseSvcId, nowMs: number): Standing {
  return { changes, normalise, graph: accessGraphOf(changes, nowMs) }
}

/** The list of the level. Undefined: the object has no such level. */
interface Grant {
  readonly change: Change
  readonly collection: string
  /** `limit`: absent: the requested one. */
  entryOf(svcId: string, limit?: CompanyRef | null): KeyedElement
}

export function grantOf({ changes, normalise }: Standing, { level, object, company }: WantedRight): Grant | undefined {
  const change = changes.find(({ address }) => address === object)
  if (change === undefined) return undefined
  const { administeredBy, collections } = kindOf(change)
  const isOwner = level === 'owner' && administeredBy !== undefined && administeredBy.level === undefined
  const leveled = Object.keys(collections).find((name) => collections[name]?.part && collections[name].of !== 'items')
  const collection = isOwner ? administeredBy.collection : level === 'owner' ? undefined : leveled
  if (collection === undefined) return undefined
  const entryOf = (svcId: string, limit = company): KeyedElement =>
    keyedElement(isOwner ? { svcId } : { svcId, level, company: limit }, normalise)
  return { change, collection, entryOf }
}

/** `group`: the person into one; `level`: for a group of theirs; `nesting`: a group of theirs into another. */
interface FoundGrant {
  readonly way: (typeof ways)[number]
  readonly edit: LinkEdit
  /** At most so many others would gain, and so many rights would come with it. */
  readonly others: number
  readonly rights: number
}

/** The greatest number of a person's own groups with the level to check. */
const mostOwn = 50
const mostHolding = 500

const ways = ['group', 'direct', 'level', 'nesting'] as const

/** Edits that give a right, or end it, and what comes of them. */
export interface JudgedEdits {
  readonly way: FoundGrant['way'] | 'cut'
  readonly edits: readonly LinkEdit[]
  /** Others who gain, or lose, the same or something else by it. */
  readonly others: readonly AccessEntry[]
  /** The person's further gains, or losses. */
  readonly besides: readonly AccessEntry[]
  /** For a grant: the losses of others, since a level comes under management. */
  readonly lost: readonly AccessEntry[]
  /** Through accounts that may be groups: nobody knows who. */
  readonly perhaps: readonly AccessEntry[]
  /** Sentences of policies that it breaks. */
  readonly breaks: readonly string[]
  /** False: somebody stood in for has it still, and passes it on. */
  readonly achieves: boolean
}

/** Each single entry that would give it; those by which the fewest others can gain come first. */
export function findGrants(standing: Standing, wanted: WantedRight): readonly FoundGrant[] {
  const { graph, normalise } = standing
  const grant = grantOf(standing, wanted)
  if (grant === undefined) return []
  const { change, collection, entryOf } = grant
  const declared = declaredGroups(standing)
  const number = graph.numbers.get(normalise(wanted.person))
  // The nearest to the person, and to the level.
  const own = number === undefined ? [] : [...reached(graph.within.after, [number])].slice(1, 1 + mostOwn)
  const holding = holdersOf(graph, wanted)
    .filter((each) => declared.has(each))
    .slice(0, mostHolding)
  const count = remembered(
    (group: number) => [...reached(graph.members.after, [group])].filter((each) => isPerson(graph, each)).length,
  )
  const found: FoundGrant[] = []
  const walk = new GroupWalk(graph, 'after')
  const rightsIn = remembered((group: number) => walk.from(group).length)
  const give = (way: FoundGrant['way'], svcId: string, others: number): void => {
    if (change.desired === undefined || change.desired.collections[collection] === undefined) return
    found.push({
      ...{ way, others, rights: 1 },
      edit: { is: 'added', address: wanted.object, collection, element: entryOf(svcId) },
    })
  }
  const join = (way: FoundGrant['way'], group: number, svcId: string, others: number): void => {
    const list = declared.get(group) as Pick<LinkEdit, 'address' | 'collection'>
    const edit: LinkEdit = { is: 'added', ...list, element: keyedElement({ svcId }, normalise) }
    found.push({ way, others, rights: rightsIn(group), edit })
  }
  give('direct', wanted.person, 0)
  for (const group of holding) join('group', group, wanted.person, 0)
  for (const group of own) {
    const [name, others] = [graph.svcIds[group] as string, count(group) - 1]
    // No group owns itself.
    if (graph.numbers.get(keyOf(change)) !== group) give('level', name, others)
    const inside = reached(graph.members.after, [group])
    // A group that is in this one would come into itself.
    for (const outer of holding) if (!inside.has(outer)) join('nesting', outer, name, others)
  }
  // Among equally good edits, the first of each sort precedes the second of any.
  const nth = new Map<FoundGrant['way'], number>()
  const ranked = found.map((each) => {
    const before = nth.get(each.way) ?? 0
    nth.set(each.way, before + 1)
    return { each, rank: [each.others, each.rights, before, ways.indexOf(each.way)] as const }
  })
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ each }) => each)
}

/** The first number that differs decides. */
export function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, index) => each !== b[index])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}

/** Declared lists by the numbers of their accounts. */
function declaredGroups({ changes, graph }: Standing): ReadonlyMap<number, Pick<LinkEdit, 'address' | 'collection'>> {
  const found = new Map<number, Pick<LinkEdit, 'address' | 'collection'>>()
  for (const change of changes) {
    const nests = nestsOf(kindOf(change))
    if (nests === undefined || change.desired?.collections[nests] === undefined || change.desired.absent) continue
    found.set(graph.numbers.get(keyOf(change)) as number, { address: change.address, collection: nests })
  }
  return found
}

/** The right and those that cover it: a right for all covers each company. Rights without holders are left out. */
function rightsOf({ rights }: AccessGraph, { level, object, company }: WantedRight): readonly number[] {
  const numberOf = rightNumbers({ rights })
  return [...new Set([company?.name ?? null, null])].flatMap(
    (limit) => numberOf({ subject: null, level, address: object, company: limit }) ?? [],
  )
}

/** Accounts that have the right, by themselves or through others. */
function holdersOf(graph: AccessGraph, wanted: WantedRight): readonly number[] {
  const rights = rightsOf(graph, wanted)
  const direct = [...graph.held.after.keys()].filter((each) =>
    rights.some((right) => (graph.held.after[each] as Numbers).includes(right)),
  )
  return [...reached(graph.members.after, direct)]
}

type Link = Parameters<typeof smallestCuts>[0][number] & { readonly edit: LinkEdit }

interface FoundCuts {
  /** Each ends the right; the person's own entries first. */
  readonly cuts: readonly (readonly LinkEdit[])[]
  /** Entries that no apply takes away: all of them if there is no cut, else the person's own. */
  readonly fixed: readonly LinkEdit[]
}

/** Cuts over all ways that lead to it. `canEnd`: whether an apply takes an entry away that manifests list no more. */
export function findCuts(standing: Standing, wanted: WantedRight): FoundCuts {
  const { graph, normalise } = standing
  const person = graph.numbers.get(normalise(wanted.person))
  const rights = rightsOf(graph, wanted)
  const grant = grantOf(standing, wanted)
  if (person === undefined || grant === undefined) return { cuts: [], fixed: [] }
  const holders = new Set(holdersOf(graph, wanted))
  const between = [...reached(graph.within.after, [person])].filter((each) => holders.has(each))
  const links = linksAmong(standing, between, grant, rights)
  const cut = smallestCuts(links, person, end)
  const own = links.filter(({ from }) => from === person)
  const all = [...(own.every(({ isFixed }) => !isFixed) ? [own] : []), ...(cut ? [cut.near, cut.far] : [])]
  const distinct = new Map(
    all
      .filter(({ length }) => length > 0)
      .map((each) => [
        each
          .map(({ edit }) => keyOfEdit(edit))
          .sort()
          .join('\n'),
        each,
      ]),
  )
  return {
    cuts: [...distinct.values()].map((each) => each.map(({ edit }) => edit)),
    fixed: (cut === undefined ? links : own).filter(({ isFixed }) => isFixed).map(({ edit }) => edit),
  }
}

const end = -1

const keyOfEdit = ({ address, collection, element }: LinkEdit): string =>
  JSON.stringify([address, collection, elementKey(element)])

/** Each entry that leads one of them to the next, or to the right itself. */
function linksAmong(
  { changes, graph, normalise }: Standing,
  among: readonly number[],
  grant: Grant,
  rights: readonly number[],
): Link[] {
  const isAmong = new Set(among)
  const groups = new Map<number | undefined, readonly [change: Change, nests: string]>()
  for (const change of changes) {
    const nests = nestsOf(kindOf(change))
    if (nests !== undefined) groups.set(graph.numbers.get(keyOf(change)), [change, nests])
  }
  const linkOf = (from: number, to: number, change: Change, collection: string, element: KeyedElement): Link => ({
    ...{ from, to, isFixed: !canEnd(change, collection, element) },
    edit: { is: 'removed', address: change.address, collection, element },
  })
  return among.flatMap((from) => {
    const svcId = graph.svcIds[from] as string
    const into = (graph.within.after[from] as Numbers).flatMap((group): Link[] => {
      const list = isAmong.has(group) ? groups.get(group) : undefined
      return list === undefined ? [] : [linkOf(from, group, ...list, keyedElement({ svcId }, normalise))]
    })
    const held = rights.filter((right) => (graph.held.after[from] as Numbers).includes(right))
    const given = held.map((right) => {
      const element = grant.entryOf(svcId, graph.rights[right]?.company ?? null)
      return linkOf(from, end, grant.change, grant.collection, element)
    })
    return [...into, ...given]
  })
}

/** True if an apply removes the entry once no manifest lists it. */
function canEnd({ desired }: Change, collection: string, element: KeyedElement): boolean {
  const list = desired?.collections[collection]
  if (list?.elements.has(elementKey(element)) !== true) return false
  return list.mode === 'exclusive' || desired?.since?.takesEntries === true
}
