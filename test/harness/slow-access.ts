// A second implementation of who can do what before a plan and after it: slow, plain, by every way there is; and ours
// in the same words.
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { type Chain, groupsOf, substitutionsIn } from '../../src/core/access/graph-model.ts'
import { accessChanges, type Holding, type Side, type StandingIn } from './access-sides.ts'

/** Rights that somebody has, each with the ways by which: the groups from the first to the one that holds it. */
export type Ways = Map<string, { readonly holding: Holding; readonly groups: readonly string[] }[]>

const limitOf = ({ company }: Holding): string => (company === undefined ? '?' : (company ?? ''))
export const nameOf = (holding: Holding): string => `${holding.address} ${holding.level ?? '?'} ${limitOf(holding)}`

/** By every way that meets no group twice. */
export function waysOf(account: string, { groups, holdings, standIns = [] }: Side): Ways {
  const ways: Ways = new Map()
  const visit = (here: string, way: readonly string[], limits: readonly StandingIn[]): void => {
    for (const held of holdings) {
      const holding = limited(held, limits)
      if (held.svcId === here && holding !== undefined)
        ways.set(nameOf(holding), [...(ways.get(nameOf(holding)) ?? []), { holding, groups: way }])
    }
    const met = [account, ...way.map((each) => each.split(' ')[0])]
    for (const [group, members] of Object.entries(groups)) {
      if (members?.includes(here) && !met.includes(group)) visit(group, [...way, group], limits)
    }
    for (const each of standIns) {
      if (each.by === here && !met.includes(each.of)) visit(each.of, [...way, saidOf(each)], [each, ...limits])
    }
  }
  visit(account, [], [])
  // A substitute who has the same access without a limit loses nothing by a business entity.
  for (const [name, all] of ways) {
    const [{ holding }] = all as unknown as [{ holding: Holding }]
    if (holding.company != null && ways.has(widerOf(holding))) {
      const own = all.filter((way) => substitutions(way.groups) === 0)
      if (own.length === 0) ways.delete(name)
    }
  }
  return ways
}

const saidOf = ({ of, until }: Pick<StandingIn, 'of' | 'until'>): string => `${of} until ${until}`
const substitutions = (way: readonly string[]): number => way.filter((each) => each.includes(' until ')).length

/** The access that remains through all these substitutions, the last one first. */
function limited(held: Holding, limits: readonly StandingIn[]): Holding | undefined {
  let holding = held
  for (const { places, company } of limits) {
    if (places.length > 0 && !places.includes(held.address)) return undefined
    if (company === null || holding.company === undefined) continue
    if (holding.company !== null && holding.company !== company) return undefined
    holding = { ...holding, company }
  }
  return holding
}

export const inOrder = (a: readonly string[], b: readonly string[]): number => {
  if (substitutions(a) !== substitutions(b)) return substitutions(a) - substitutions(b)
  if (a.length !== b.length) return a.length - b.length
  const at = a.findIndex((group, index) => group !== b[index])
  return at < 0 ? 0 : (a[at] as string) < (b[at] as string) ? -1 : 1
}

/** The same for every company; two levels that are not told may be two. */
export const widerOf = (holding: Holding): string =>
  nameOf(holding.level === undefined ? holding : { ...holding, company: null })

/** The shortest chain to a right, or to the same without a company; of those the first. */
export function chainTo(ways: Ways, holding: Holding): readonly string[] | undefined {
  const all = [...(ways.get(nameOf(holding)) ?? []), ...(ways.get(widerOf(holding)) ?? [])].map(({ groups }) => groups)
  return all.sort(inOrder)[0]
}

/** The possible forms of a right, if the platform does not tell levels or companies. */
function mayBe(held: Holding, wanted: Holding): boolean {
  if (held.address !== wanted.address) return false
  if (nameOf(held) === nameOf(wanted)) return true
  if (held.level === undefined) return true
  return held.level === wanted.level && held.company == null
}

/** By the slow way: lines that name what happens to whom, the right, and the chains. */
export function slowly(before: Side, after: Side, singles: readonly string[]): string[] {
  const everybody = new Set([before, after].flatMap(accountsOf))
  const isRead = (account: string): boolean => [before, after].some(({ groups }) => groups[account] != null)
  const people = [...everybody].filter((account) => !isRead(account))
  return people.flatMap((account) => toldOf(account, { before, after, singles, people })).sort()
}

const accountsOf = ({ groups, holdings, users, standIns = [] }: Side): string[] => [
  ...users,
  ...standIns.flatMap(({ of, by }) => [of, by]),
  ...Object.keys(groups),
  ...Object.values(groups).flatMap((members) => members ?? []),
  ...holdings.map(({ svcId }) => svcId),
]

interface Given {
  readonly before: Side
  readonly after: Side
  readonly singles: readonly string[]
  /** All accounts that are no groups with known members. */
  readonly people: readonly string[]
}

function toldOf(account: string, given: Given): string[] {
  const { before, after } = given
  const [had, has] = [waysOf(account, before), waysOf(account, after)]
  const told: string[] = []
  const say = (event: string, holding: Holding, chains: readonly (readonly string[])[], unseen?: string) =>
    told.push(lineOf(event, unseen, account, nameOf(holding), ...chains.map((chain) => chain.join('>'))))
  for (const [name, [way]] of has) {
    const { holding } = way as { holding: Holding }
    const now = chainTo(has, holding) as readonly string[]
    const then = chainTo(had, holding)
    if (then === undefined) {
      say('gain', holding, [now], unseenIn(account, given, before, had, holding))
      continue
    }
    const ways = [name, widerOf(holding)].flatMap((each) => has.get(each) ?? [])
    if (!ways.some(({ groups }) => inOrder(groups, then) === 0)) say('keep', holding, [then, now])
  }
  for (const [, [way]] of had) {
    const { holding } = way as { holding: Holding }
    if (chainTo(has, holding) !== undefined) continue
    const then = chainTo(had, holding) as readonly string[]
    say('lose', holding, [then], unseenIn(account, given, after, has, holding))
  }
  return told
}

/** `unseen`: through whom it may be, so that it is not certain. */
const lineOf = (event: string, unseen: string | undefined, ...rest: readonly (string | undefined)[]): string =>
  [unseen === undefined ? event : `may ${event} (${unseen})`, ...rest].join(' | ')

/**
 * The account itself, where a way does not tell enough; else who may be a group and has the same, the same for all, or
 * what may be that: the nearest, and of those the first by name.
 */
function unseenIn(account: string, { before, after, singles, people }: Given, side: Side, own: Ways, wanted: Holding) {
  if (!side.users.includes(account) && [before, after].some(({ users }) => users.includes(account))) return undefined
  const vague = (ways: Ways) => [...ways].flatMap(([name, [way]]) => (way && mayBe(way.holding, wanted) ? [name] : []))
  if (vague(own).length > 0) return account
  const others = people.filter((each) => !singles.includes(each) && each !== account).sort()
  const ways = others.map((other) => [other, waysOf(other, side)] as const)
  const nearest = (name: string): string | undefined => {
    const found = ways.flatMap(([other, its]) => (its.get(name) ?? []).map(({ groups }) => ({ other, groups })))
    return found.sort((a, b) => lengthOf(a.groups) - lengthOf(b.groups))[0]?.other
  }
  const perhaps = () => ways.flatMap(([, its]) => vague(its)).flatMap((name) => nearest(name) ?? [])
  return nearest(nameOf(wanted)) ?? nearest(widerOf(wanted)) ?? perhaps().sort()[0]
}

/** Up to the first who is stood in for. */
const lengthOf = (way: readonly string[]): number => [...way, ' until '].findIndex((each) => each.includes(' until '))

/** `limits`: `inTurn: 0`: by the search that goes down from those that hold something. */
export function quickly(
  before: Side,
  after: Side,
  singles: readonly string[],
  limits?: Parameters<typeof accessDifference>[1],
): string[] {
  const changes = accessChanges(before, after)
  const graph = accessGraphOf(changes, undefined, singles)
  const names = (chain: Chain): string => {
    const said = new Map(substitutionsIn(chain).map(({ of, person, until }) => [of, saidOf({ of: person, until })]))
    return groupsOf(chain)
      .map((each) => said.get(each) ?? graph.svcIds[each])
      .join('>')
  }
  return accessDifference(graph, limits)
    .flatMap(({ effect, certain, subjects, rights, via, through, ...rest }) =>
      subjects.flatMap((subject) =>
        rights.map((number) => {
          const right = graph.rights[number] as Holding & (typeof graph.rights)[number]
          const holding = {
            ...right,
            svcId: '',
            company: right.company === null ? null : right.company?.guid,
          } as Holding
          const was = effect === 'keep' ? [names(rest.before?.())] : []
          const unseen = certain ? undefined : graph.svcIds[through as number]
          return lineOf(effect, unseen, graph.svcIds[subject], nameOf(holding), ...was, names(via()))
        }),
      ),
    )
    .sort()
}
