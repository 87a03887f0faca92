// Who is in which group and who holds what, before a plan and after it. By numbers: there may be very many of them.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import { elementKey, type KeyedAccount, type KeyedElement, subjectKey } from '../model/elements.ts'
import type { CompanyRef, Kind } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Aftermath, Time } from './aftermath.ts'

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
}

export type Numbers = readonly number[]
export const times = ['before', 'after'] as const
const none: Numbers = []

/** `singles`: keys of accounts that are known to be users or applications, beside those that are declared. */
export function accessGraphOf(
  changes: readonly Change[],
  aftermath: Aftermath,
  singles: Iterable<string> = [],
): AccessGraph {
  const numbers = new Map<string, number>()
  const svcIds: string[] = []
  const numberOf = (key: string, svcId: string): number => {
    let number = numbers.get(key)
    if (number === undefined) {
      number = svcIds.length
      numbers.set(key, number)
      svcIds.push(svcId)
    }
    return number
  }
  const within = { before: [] as number[][], after: [] as number[][] }
  const members = { before: [] as (Numbers | undefined)[], after: [] as (Numbers | undefined)[] }
  const held = { before: [] as number[][], after: [] as number[][] }
  const single = new Set<number>()
  const created = new Set<number>()
  const deleted = new Set<number>()

  for (const change of changes) {
    if (kindOf(change).provides === undefined) continue
    const account = numberOf(keyOf(change), nameOf(change))
    if (!aftermath.groups.has(keyOf(change))) single.add(account)
    if (change.action === 'create') created.add(account)
    if (change.action === 'delete') deleted.add(account)
  }
  const groups = [...aftermath.groups].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key] of groups) {
    const group = numbers.get(key) as number
    for (const time of times) {
      const inside = aftermath.members(key, time)
      if (inside === undefined) continue
      const listed = numbersOf(inside, numberOf)
      members[time][group] = listed
      for (const member of listed) push(within[time], member, group)
    }
  }

  const rights: Right[] = []
  for (const change of changes) {
    const kind = kindOf(change)
    for (const collection in kind.collections) {
      if (kind.collections[collection]?.of === 'items' || kind.collections[collection]?.nests) continue
      const before = withInherited(change, collection, aftermath.elements(change, collection, 'before'))
      const after = withInherited(change, collection, aftermath.elements(change, collection, 'after'))
      if (before.length + after.length === 0) continue
      const rightOf = rightsIn(change, collection, rights)
      hold(before, held.before, rightOf)
      if (before === after) hold(before, held.after, rightOf)
      else hold(after, held.after, rightOf)
    }
  }
  const addSingle = (key: string): void => {
    const number = numbers.get(key)
    if (number !== undefined && !aftermath.groups.has(key)) single.add(number)
  }
  for (const key of singles) addSingle(key)
  for (const { live } of aftermath.groups.values()) {
    if (live?.perhapsGroups === undefined) continue
    const others = new Set(live.perhapsGroups)
    for (const element of Object.values(live.collections).flat()) {
      if (element.svcId !== undefined && !others.has(element.svcId)) addSingle(subjectKey(element))
    }
  }
  const filled = (lists: number[][], sorts: boolean): Numbers[] =>
    svcIds.map((_, number) => {
      const list = lists[number]
      if (list === undefined) return none
      return sorts ? list.sort((a, b) => a - b) : list
    })
  return {
    ...{ svcIds, rights, numbers, members, single, created, deleted },
    within: { before: filled(within.before, false), after: filled(within.after, false) },
    held: { before: filled(held.before, true), after: filled(held.after, true) },
  }

  function hold(elements: readonly KeyedElement[], into: number[][], rightOf: (element: KeyedAccount) => number): void {
    for (const element of elements) {
      if (element.svcId === undefined) continue
      const account = numberOf(subjectKey(element), element.svcId)
      push(into, account, rightOf(element))
    }
  }
}

function push(lists: number[][], at: number, value: number): void {
  const list = lists[at]
  if (list === undefined) lists[at] = [value]
  else list.push(value)
}

/** Who loses what they inherit as well loses nothing. */
function withInherited({ live }: Change, collection: string, own: readonly KeyedElement[]): readonly KeyedElement[] {
  const inherited = live?.inherited?.[collection]
  if (inherited === undefined) return own
  const keys = new Set(own.map(elementKey))
  return [...own, ...inherited.filter((element) => !keys.has(elementKey(element)))]
}

function nameOf({ desired, live }: Change): string {
  return desired?.at.name ?? live?.name ?? ''
}

/** Each once: an installation may list somebody twice. */
function numbersOf(elements: readonly KeyedElement[], numberOf: (key: string, svcId: string) => number): Numbers {
  const result = new Set<number>()
  for (const element of elements) {
    if (element.svcId !== undefined) result.add(numberOf(subjectKey(element), element.svcId))
  }
  return [...result]
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
    const text = part === undefined ? '' : `${level ?? ''} ${limit}`
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

/** What `other`, whose number is given, is to a right. */
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
