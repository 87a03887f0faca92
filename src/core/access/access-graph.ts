// Builds the graph of groups and rights before and after a plan, from its changes.

import { type Change, keyOf, kindOf, nameOf } from '../compare/change.ts'
import { inherits } from '../model/capabilities/inherits.ts'
import { elementKey, type KeyedAccount, type KeyedElement, subjectKey } from '../model/elements.ts'
import type { CompanyRef, Kind } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { Aftermath, nestsOf, type Time, times } from './aftermath.ts'
import { type AccessGraph, type Numbers, type Right, sameNumbers } from './graph-model.ts'
import { movesStandIns, passOn, standInsOf } from './stand-ins.ts'

const none = [] as const

/**
 * `nowMs`: entries that ended before give no access. `singles`: keys of undeclared accounts that are known to be users
 * or applications.
 */
export function accessGraphOf(
  changes: readonly Change[],
  nowMs = Number.NEGATIVE_INFINITY,
  singles: Iterable<string> = [],
  aftermath = new Aftermath(changes),
): AccessGraph {
  const numbering = accountNumbers()
  const { numbers, svcIds } = numbering
  const accounts = accountsIn(changes, aftermath, numbering)
  const { groups, members } = membersIn(aftermath, numbering)
  const { rights, held } = rightsHeld(changes, aftermath, accounts.deleted, numbering)
  const told = standInsOf(changes, aftermath, nowMs, numbering.numberOf)
  for (const key of singles) {
    const number = numbers.get(key)
    if (number !== undefined) accounts.single.add(number)
  }
  for (const number of toldApart(aftermath, numbers, members.before)) accounts.single.add(number)
  for (const key of aftermath.groups.keys()) accounts.single.delete(numbers.get(key) as number)
  const isStill = groups.every((each) => members.before[each] === members.after[each])
  const within = (time: Time) => holdersOf(groups, members[time], svcIds.length)
  // A copy has no room for more, which in a short list is most of it.
  const own = (time: Time) => svcIds.map((_, at) => held[time][at]?.slice().sort((a, b) => a - b) ?? none)
  const graph = {
    ...{ svcIds, rights, numbers, members, ...accounts },
    within: atBoth(within, isStill),
    held: atBoth(own, false),
  }
  if (told.before.length + told.after.length === 0) return graph
  const limit = limiter(rights)
  const passedAt = (time: Time) => passOn(graph, time, told[time], changes, limit)
  return {
    ...graph,
    standIns: { before: passedAt('before'), after: passedAt('after'), move: changes.some(movesStandIns) },
  }
}

/** Nearly all lists are the same after as before. */
function atBoth(listsAt: (time: Time) => Numbers[], isStill: boolean): AccessGraph['within'] {
  const before = listsAt('before')
  if (isStill) return { before, after: before }
  const after = listsAt('after').map((is, at) => {
    const was = before[at] as Numbers
    return sameNumbers(was, is) ? was : is
  })
  return { before, after }
}

type Numbering = ReturnType<typeof accountNumbers>

function accountNumbers() {
  const numbers = new Map<string, number>()
  const svcIds: string[] = []
  /** By accounts: the last list that had it. */
  const listedIn: number[] = []
  const numberOf = (key: string, svcId: string): number => {
    let number = numbers.get(key)
    if (number === undefined) {
      number = svcIds.length
      numbers.set(key, number)
      svcIds.push(svcId)
      listedIn.push(0)
    }
    return number
  }
  return { numbers, svcIds, listedIn, numberOf }
}

/** The plan's knowledge of accounts themselves. */
function accountsIn(changes: readonly Change[], { groups }: Aftermath, { numberOf }: Numbering) {
  const [single, created, deleted] = [new Set<number>(), new Set<number>(), new Set<number>()]
  for (const change of changes) {
    if (kindOf(change).provides === undefined) continue
    const account = numberOf(keyOf(change), nameOf(change))
    if (!groups.has(keyOf(change))) single.add(account)
    if (change.action === 'create') created.add(account)
    if (change.action === 'delete') deleted.add(account)
  }
  return { single, created, deleted }
}

/** Filled in any order: V8 would keep a list with gaps as a table. */
const placesFor = <Item>(svcIds: readonly string[]): (Item | undefined)[] => svcIds.map(() => undefined)

/** `groups`: in the order of their keys. */
function membersIn(aftermath: Aftermath, numbering: Numbering) {
  const { numbers, svcIds } = numbering
  const members = { before: placesFor<Numbers>(svcIds), after: placesFor<Numbers>(svcIds) }
  const keys = [...aftermath.groups.keys()].sort()
  let lists = 0
  const groups = keys.map((key) => {
    const group = numbers.get(key) as number
    let [last, listed]: [readonly KeyedElement[] | undefined, Numbers] = [undefined, none]
    for (const time of times) {
      const inside = aftermath.members(key, time)
      if (inside === undefined) continue
      // Nearly all lists are the same after as before.
      if (inside !== last) [last, listed] = [inside, numbersOf(inside, ++lists, numbering)]
      members[time][group] = listed
    }
    return group
  })
  return { groups, members }
}

/** By accounts, the groups that each is in. */
function holdersOf(groups: Numbers, members: readonly (Numbers | undefined)[], accounts: number): Numbers[] {
  const counts = new Int32Array(accounts)
  for (const group of groups) for (const member of members[group] ?? none) (counts[member] as number)++
  const holders = Array.from(counts, (count) => (count === 0 ? none : new Array<number>(count)))
  const next = new Int32Array(accounts)
  for (const group of groups)
    for (const member of members[group] ?? none) (holders[member] as number[])[(next[member] as number)++] = group
  return holders
}

function rightsHeld(
  changes: readonly Change[],
  aftermath: Aftermath,
  deleted: ReadonlySet<number>,
  { svcIds, numberOf }: Numbering,
) {
  const held = { before: placesFor<number[]>(svcIds), after: placesFor<number[]>(svcIds) }
  const rights: Right[] = []
  for (const change of changes) {
    const { collections } = kindOf(change)
    for (const collection in collections) {
      if (collections[collection]?.nests) continue
      const before = withInherited(change, collection, aftermath.elements(change, collection, 'before'))
      const after = withInherited(change, collection, aftermath.elements(change, collection, 'after'))
      const rightOf = rightsIn(change, collection, rights)
      hold(before, before === after ? [held.before, held.after] : [held.before], rightOf)
      if (before !== after) hold(after, [held.after], rightOf)
    }
  }
  return { held, rights }

  function hold(
    elements: readonly KeyedElement[],
    sides: readonly (number[] | undefined)[][],
    rightOf: (element: KeyedAccount) => number,
  ): void {
    for (const element of elements) {
      if (element.svcId === undefined) continue
      const account = numberOf(subjectKey(element), element.svcId)
      const right = rightOf(element)
      // A deleted account also loses inherited rights, which no list tells.
      for (const into of sides) if (into !== held.after || !deleted.has(account)) push(into, account, right)
    }
  }
}

/** Accounts that are no groups: a list that tells which of its accounts may be some tells it of all others. */
function* toldApart(
  { groups }: Aftermath,
  numbers: ReadonlyMap<string, number>,
  members: readonly (Numbers | undefined)[],
): Generator<number> {
  for (const [key, change] of groups) {
    const { live } = change
    if (live?.perhapsGroups === undefined) continue
    const others = new Set(live.perhapsGroups)
    const nests = nestsOf(kindOf(change)) as string
    const { [nests]: inside = none, ...lists } = live.collections
    // Long lists are numbered already, and few have others.
    if (others.size === 0) yield* members[numbers.get(key) as number] ?? none
    for (const element of [...(others.size === 0 ? none : inside), ...Object.values(lists).flat()])
      if (!others.has(element.svcId as string)) yield numbers.get(subjectKey(element)) as number
  }
}

function push(lists: (number[] | undefined)[], at: number, value: number): void {
  const list = lists[at]
  if (list === undefined) lists[at] = [value]
  else list.push(value)
}

/** An account that inherits the same right loses nothing. */
function withInherited({ live }: Change, collection: string, own: readonly KeyedElement[]): readonly KeyedElement[] {
  const inherited = live?.inherited?.[collection]
  if (inherited === undefined) return own
  const keys = new Set(own.map(elementKey))
  return [...own, ...inherited.filter((element) => !keys.has(elementKey(element)))]
}

/**
 * Objects that inherit levels which the plan may give or take at their origin: the platform does not tell that origin,
 * so their access after the plan is unknown.
 */
export function unclearHeirs(changes: readonly Change[], aftermath: Aftermath): readonly Change[] {
  const elementsAt = (change: Change, time: Time): readonly KeyedElement[] =>
    Object.keys(kindOf(change).collections).flatMap((name) => aftermath.elements(change, name, time))
  return changes.filter((heir) => {
    const inherited = heir.live?.inherited
    if (inherited === undefined) return false
    const own = times.flatMap((time) => elementsAt(heir, time))
    const levels = new Set([...own, ...Object.values(inherited).flat()].map(({ level }) => level))
    return changes.some(
      (change) =>
        kindOf(change).name === inherits.of(kindOf(heir)) &&
        change.desired?.at.dbId === heir.desired?.at.dbId &&
        change.collections.some(
          ({ added, removed }) =>
            added.some(({ element }) => levels.has(element.level)) || removed.some(({ level }) => levels.has(level)),
        ),
    )
  })
}

/** Each once: an installation may list somebody twice. `list`: its own number, from 1. */
function numbersOf(elements: readonly KeyedElement[], list: number, { listedIn, numberOf }: Numbering): Numbers {
  const result: number[] = []
  for (const element of elements) {
    if (element.svcId === undefined) continue
    const number = numberOf(subjectKey(element), element.svcId)
    if (listedIn[number] !== list) result.push(number)
    listedIn[number] = list
  }
  return result
}

type Growing = { -readonly [Key in keyof Right]: Right[Key] } & { vague: number[] }

/** The rights that one collection of one object gives; new ones are added to `rights`. */
function rightsIn(change: Change, collection: string, rights: Right[]): (element: KeyedAccount) => number {
  const kind = kindOf(change)
  const part = kind.collections[collection]?.part
  const known = new Map<string, number>()
  const own: (readonly [Growing, number])[] = []
  return (element) => {
    const { level, company } = element
    const limit = company === undefined ? '?' : (company?.guid.toLowerCase() ?? '')
    const text = `${level} ${limit}`
    const earlier = known.get(text)
    if (earlier !== undefined) return earlier
    const number = rights.length
    const isPart = part !== undefined
    const right: Growing = {
      address: change.address,
      kind: isPart ? 'privilege' : 'owner',
      level: isPart ? level : 'owner',
      company: isPart ? company : null,
      rank: isPart ? rankOf(kind, collection, level) : 1,
      covering: -1,
      vague: [],
    }
    for (const [other, its] of own) {
      relate(right, other, its)
      relate(other, right, number)
    }
    known.set(text, number)
    own.push([right, number])
    rights.push(right)
    return number
  }
}

/** The same right for one company: one that there is, or a new one. */
function limiter(rights: Right[]): (right: number, company: CompanyRef) => number {
  const known = new Map<string, number>()
  const keyOf = ({ address, level }: Right, guid: string): string =>
    JSON.stringify([address, level, guid.toLowerCase()])
  rights.forEach((right, number) => {
    if (right.kind === 'privilege' && right.company) known.set(keyOf(right, right.company.guid), number)
  })
  return (number, company) => {
    const whole = rights[number] as Right
    const key = keyOf(whole, company.guid)
    const earlier = known.get(key)
    if (earlier !== undefined) return earlier
    const right: Growing = { ...whole, company, covering: -1, vague: [] }
    rights.forEach((other, its) => {
      if (other.address === whole.address) relate(right, other, its)
    })
    known.set(key, rights.length)
    return rights.push(right) - 1
  }
}

/** Relates `other`, whose number is given, to a right. */
function relate(right: Growing, other: Right, number: number): void {
  if (other.level === undefined) right.vague.push(number)
  if (other.level === undefined || other.level !== right.level) return
  if (other.company === null) right.covering = number
  else if (other.company === undefined) right.vague.push(number)
}

/** Levels in the order in which the schema of the kind lists them, behind that of whoever administers, and owners. */
function rankOf(kind: Kind, collection: string, level: string | undefined): number {
  if (level === undefined || level === kind.administeredBy?.level) return level === undefined ? 1000 : 0
  const [section] = kind.sections
  const field = fieldsOf(section).collections.find((each) => each.collection === collection)?.field ?? ''
  const schema = section.schema.properties[field]
  const levels = schema?.type === 'object' ? Object.keys(schema.properties) : []
  return 2 + levels.indexOf(level)
}
