// Access as a substitute: a chain of its own kind. Without substitutions, nothing of it is computed.

import { type Change, kindOf } from '../compare/change.ts'
import { hasEnded } from '../model/capabilities/has-ended.ts'
import { standIn } from '../model/capabilities/stand-in.ts'
import { compareBy, getOrInsert, groupBy, remembered } from '../model/group-by.ts'
import type { CompanyRef, ItemElement, Location } from '../model/kind.ts'
import { type Aftermath, type Time, times } from './aftermath.ts'
import {
  type AccessGraph,
  type Chain,
  groupsOf,
  joinChains,
  type Numbers,
  type Right,
  type Substitution,
  substitutionsIn,
} from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'

type StandIn = ReturnType<typeof substitutionsIn>[number]

type LimitRight = (right: number, company: CompanyRef) => number

/** Substitutions that are not over: a future substitute gets the access then. */
export function standInsOf(
  changes: readonly Change[],
  aftermath: Aftermath,
  nowMs: number,
  numberOf: (key: string, svcId: string) => number,
) {
  const told = { before: [] as Told[], after: [] as Told[] }
  for (const change of changes) {
    const roles = standIn.of(kindOf(change))
    if (roles === undefined) continue
    for (const time of times) {
      const found = standInAt(change, aftermath, time, { roles, nowMs, numberOf })
      if (found !== undefined) told[time].push(found)
    }
  }
  return told
}

function standInAt(
  change: Change,
  aftermath: Aftermath,
  time: Time,
  {
    roles,
    nowMs,
    numberOf,
  }: {
    readonly roles: NonNullable<ReturnType<typeof standIn.of>>
    readonly nowMs: number
    readonly numberOf: (key: string, svcId: string) => number
  },
): Told | undefined {
  const { live, desired, action, address } = change
  const stays = action !== 'delete' && (live !== undefined || action === 'create')
  const isThere = time === 'before' ? live !== undefined : stays
  const spec = { ...live?.spec, ...(time === 'after' && desired?.spec) }
  if (!isThere || hasEnded.of(kindOf(change))?.(spec, nowMs)) return undefined
  const keys = { ...live?.fieldKeys, ...desired?.fieldKeys }
  const account = (field: string): number | undefined => {
    const svcId = String(spec[field] ?? '')
    return svcId === '' ? undefined : numberOf(keys[field] ?? svcId, svcId)
  }
  const [of, by] = [account(roles.person), account(roles.substitute)]
  if (of === undefined || by === undefined) return undefined
  const listed = (name: string) =>
    (aftermath.elements(change, name, time) as readonly ItemElement[]).flatMap(({ about }) => about ?? [])
  const [company] = listed(roles.company)
  return {
    ...{ address, of, by, person: String(spec[roles.person]), places: roles.places.flatMap(listed), company },
    ...{ from: String(spec[roles.from] ?? ''), until: String(spec[roles.to] ?? '') },
  }
}

type About = NonNullable<ItemElement['about']>

interface Told extends Substitution {
  readonly of: number
  readonly by: number
  readonly places: readonly About[]
  readonly company: About | undefined
}

/** Also what somebody passes on who has it as a substitute: round by round, until nothing comes any more. */
export function passOn(
  graph: AccessGraph,
  time: Time,
  told: readonly Told[],
  changes: readonly Change[],
  limitRight: LimitRight,
) {
  // A deleted person has no rights to pass on.
  const gone = time === 'after' ? graph.deleted : new Set<number>()
  const locations = new Map(changes.map((change) => [change.address, (change.live ?? change.desired)?.at]))
  const all = told
    .filter(({ of, by }) => !gone.has(by) && of !== by)
    .map((each) => ({ ...each, pass: (right: number) => passes(graph, each, locations, limitRight, right) }))
  const passed = new Map(all.map(({ by }) => [by, new Map<number, Chain>()]))
  const before = chainOrder([...graph.numbers.keys()])
  const walk = new GroupWalk({ ...graph, standIns: { [time]: { passed } } }, time, { tellsCovered: true })
  const lendsToGroups = all.some(({ by }) => graph.members[time][by] !== undefined)
  for (let open: readonly StandIn[] = all; open.length > 0; ) {
    const gained = passOnOnce(open, walk, passed, before)
    // An account without gains passes on nothing new; through a group, any account may have gained.
    open = all.filter(({ of }) => gained.has(of) || (gained.size > 0 && lendsToGroups))
  }
  return { all: new Map(all.map((each) => [each.address, each])), passed }
}

/** Returns the accounts with new gains. */
function passOnOnce(
  open: readonly StandIn[],
  walk: GroupWalk,
  passed: ReadonlyMap<number, Map<number, Chain>>,
  before: ReturnType<typeof chainOrder>,
): ReadonlySet<number> {
  const found = groupBy(
    open.flatMap((each) => passedBy(each, walk, passed.get(each.by))),
    ({ by }) => by,
  )
  for (const [by, gained] of found) {
    const own = passed.get(by) as Map<number, Chain>
    for (const { right, chain } of gained.sort((a, b) => before(a.chain, b.chain))) getOrInsert(own, right, () => chain)
  }
  return new Set(found.keys())
}

/** Rights that come by it, each with its way; without those that are known. */
function passedBy(
  by: StandIn,
  walk: GroupWalk,
  known: ReadonlyMap<number, Chain> | undefined,
): { readonly by: number; readonly right: number; readonly chain: Chain }[] {
  const chainTo = remembered((place: number) => joinChains({ group: by.of, inner: undefined, by }, walk.wayTo(place)))
  return walk.from(by.of).flatMap((held) => {
    const right = by.pass(held)
    if (right === undefined || known?.has(right)) return []
    return { by: by.by, right, chain: chainTo(walk.ownPlaceOf(held) as number) }
  })
}

function passes(
  { rights }: AccessGraph,
  { places, company }: Told,
  locations: ReadonlyMap<string, Location | undefined>,
  limitRight: LimitRight,
  number: number,
): number | undefined {
  const right = rights[number] as Right
  // Groups belong to no application.
  if (right.kind !== 'privilege') return undefined
  const { dbId, name: _, self: __, ...containers } = locations.get(right.address) as Location
  const guids = Object.values(containers).map((each) => String(each).toLowerCase())
  // Nobody knows the process of an element: it may be this one.
  const isIn = (about: About): boolean =>
    dbId === about.dbId && (guids.length === 0 || guids.includes(about.guid.toLowerCase()))
  if (places.length > 0 && !places.some(isIn)) return undefined
  if (company === undefined || right.company === undefined) return number
  if (right.company === null) return limitRight(number, company)
  return right.company.guid.toLowerCase() === company.guid.toLowerCase() ? number : undefined
}

/** The shortest first, and of equally short ones the first by keys. */
function chainOrder(keys: readonly string[]): (a: Chain, b: Chain) => number {
  const byNames = compareBy((chain: Chain) =>
    [...groupsOf(chain).map((each) => keys[each]), ...substitutionsIn(chain).map(({ address }) => address)].join('\0'),
  )
  return (a, b) => groupsOf(a).length - groupsOf(b).length || byNames(a, b)
}

/** True if two substitutions at one address look the same in a chain. */
function standsAlike(a: Substitution, b: Substitution): boolean {
  const same = (left: string, right: string): boolean => left === right || Date.parse(left) === Date.parse(right)
  return same(a.from, b.from) && same(a.until, b.until)
}

/** The right to which a chain leads with the rights that its groups hold afterwards. */
export function givesAfter(graph: AccessGraph, account: number, chain: Chain, right: number): boolean {
  const after = graph.standIns?.after?.all
  let rights: Numbers = graph.held.after[chain?.group ?? account] as Numbers
  for (let each = chain; each !== undefined; each = each.inner) {
    if (each.by === undefined) {
      if (!(graph.within.after[each.inner?.group ?? account] as Numbers).includes(each.group)) return false
      continue
    }
    const now = after?.get(each.by.address)
    if (now === undefined || !standsAlike(each.by, now)) return false
    rights = rights.flatMap((one) => now.pass(one) ?? [])
  }
  const { covering } = graph.rights[right] as Right
  return rights.includes(right) || rights.includes(covering)
}

/** True if a plan begins, ends or changes a substitution. */
export function movesStandIns(change: Change): boolean {
  return standIn.of(kindOf(change)) !== undefined && change.action !== 'none'
}
