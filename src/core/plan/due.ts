// Work that time bounds alone caused; everything else waits for a whole apply.
import type { Change } from '../compare/change.ts'
import type { Desired, DesiredCollection } from '../model/desired.ts'
import { accountKeys, elementKey, type KeyedElement, listedElement, subjectKey } from '../model/elements.ts'
import { accountsNamed } from '../model/identity.ts'
import type { LiveSnapshot } from '../model/live.ts'
import { isoMoment } from '../model/time-bounds.ts'
import { makePlan, type Plan, stepsOf } from './plan.ts'
import type { PlanDocument } from './plan-document.ts'

interface DueTime {
  /** Milliseconds since 1970: entries that began or ended before were applied. Absent: nobody knows. */
  readonly sinceMs?: number | undefined
  readonly hasBase?: boolean
}

/** The plan of what is due, but for that of some accounts; the addresses of what else would change are in it. */
export function planDue(
  whole: Omit<Plan, 'guards'>,
  desired: readonly Desired[],
  live: LiveSnapshot,
  {
    due,
    hasBase,
    leaves,
  }: { readonly due: DueTime; readonly hasBase: boolean; readonly leaves?: PlanDocument['unreadable'] | undefined },
): (held: ReadonlySet<string>) => Omit<Plan, 'guards'> {
  const all = dueOf(desired, live, { ...due, hasBase })
  return (held) => {
    const alone = makePlan(held.size === 0 ? all : dueWithout(all, held), live, undefined, undefined, leaves)
    // A due entry may name an account that could not be read, and that has nothing due itself.
    const named = new Set(alone.changes.flatMap(accountsAdded))
    const known = new Set(alone.unreadable.map(({ address }) => address))
    const unreadable = [
      ...alone.unreadable,
      ...whole.unreadable.filter(({ address, account = '' }) => named.has(account) && !known.has(address)),
    ]
    const since = due.sinceMs === undefined ? null : isoMoment(due.sinceMs)
    const pending = pendingBeside(whole.changes, alone.changes)
    const steps = stepsOf(alone.changes, unreadable)
    return { ...alone, unreadable, steps, problems: whole.problems, due: { since, pending } }
  }
}

const accountsAdded = ({ collections }: Change): readonly string[] =>
  collections.flatMap(({ added }) => accountKeys(added.map(({ element }) => element)))

/** Without those that are not there yet, or that no bounds speak of and nobody could read. */
function dueOf(
  desired: readonly Desired[],
  live: LiveSnapshot,
  { sinceMs = -Infinity, hasBase = false }: DueTime,
): Desired[] {
  return desired.flatMap((object) => {
    if (isEndDue(object, { sinceMs, hasBase })) return [{ ...object, ...withoutOtherChanges, collections: {} }]
    const collections: Record<string, DesiredCollection> = {}
    for (const [name, wanted] of Object.entries(object.collections)) {
      const before = object.since?.isBegun ? undefined : object.since?.base.collections[name]
      const due = hasBase && before === undefined ? undefined : dueIn(wanted, sinceMs, before)
      if (due !== undefined) collections[name] = due
    }
    const isTimed = Object.keys(collections).length > 0
    const isRead = live.objects.has(object.address) || (isTimed && live.unreadable.has(object.address))
    if (!isRead) return []
    return [{ ...object, ...withoutOtherChanges, spec: {}, fieldKeys: {}, absent: false, collections }]
  })
}

/** A rotation is what somebody declares, and no time brings it about. */
const withoutOtherChanges = { previously: undefined, since: undefined, rotations: [] } as const

/** It may be gone: a killed apply is carried on with under the same plan. */
function isEndDue({ end, absent, since }: Desired, { sinceMs = -Infinity, hasBase }: DueTime): boolean {
  if (!absent || !end?.isOver || Date.parse(end.at) <= sinceMs) return false
  return !hasBase || (since !== undefined && !since.isBegun && !since.base.absent)
}

function dueIn(
  { parts, elements, begun, outside }: DesiredCollection,
  sinceMs: number,
  before: DesiredCollection | undefined,
): DesiredCollection | undefined {
  // When it was to end then does not matter: it has ended, and was ours.
  const wasListed = (key: string): boolean =>
    before === undefined || before.elements.has(key) || before.outside?.has(key) === true
  const hadBegin = (key: string): boolean => before === undefined || before.begun?.get(key)?.ms === begun?.get(key)?.ms
  const given = [...elements].filter(([key]) => (begun?.get(key)?.ms ?? -Infinity) > sinceMs && hadBegin(key))
  const over = [...(outside ?? [])].filter(
    ([key, { event, at }]) => event === 'ended' && Date.parse(at) > sinceMs && wasListed(key),
  )
  if (given.length + over.length === 0) return undefined
  return { mode: 'additive', parts, elements: new Map(given), upcoming: [], outside: new Map(over) }
}

/** The keys of all accounts that this concerns: by entries, by what they have, and themselves. Sorted. */
export function accountsOfDue(due: readonly Change[]): string[] {
  const keys = due.flatMap(({ desired, action, collections }) => {
    if (desired === undefined || action === 'none') return []
    if (action === 'delete') return accountsOf(desired)
    return collections.flatMap(({ added, removed }) =>
      [...added.map(({ element }) => element), ...removed].map((element) => accountOf(element, desired)),
    )
  })
  return [...new Set(keys)].sort()
}

/** The due objects without the entries of these accounts. */
function dueWithout(due: readonly Desired[], held: ReadonlySet<string>): Desired[] {
  return due.flatMap((object) => {
    if (object.absent && accountsOf(object).some((key) => held.has(key))) return []
    const collections = Object.entries(object.collections).map(([name, { elements, outside, ...rest }]) => {
      const left = [...elements].filter(([, { element }]) => !held.has(accountOf(element, object)))
      const over = [...(outside ?? [])].filter(([, entry]) => !held.has(accountOf(listedElement(entry), object)))
      return [name, { ...rest, elements: new Map(left), outside: new Map(over) }] as const
    })
    return [{ ...object, collections: Object.fromEntries(collections) }]
  })
}

/** Whose entry it is: of what is no account, whoever has it. */
const accountOf = (element: KeyedElement, { key }: Desired): string =>
  element.svcId === undefined ? key : subjectKey(element)

/** An account itself, or those that the object names. */
function accountsOf(object: Desired): string[] {
  const { kind, key, declarations } = object
  if (kind.provides !== undefined) return [key]
  return accountsNamed(declarations[0].section, object).map((named) => named.key)
}

function pendingBeside(whole: readonly Change[], due: readonly Change[]): string[] {
  const dueAt = new Map(due.map((change) => [change.address, change]))
  return whole
    .filter(({ address, action, fields, collections }) => {
      const own = dueAt.get(address)
      if (action !== 'update') return action !== 'none' && own?.action !== action
      if (fields.length > 0 || own === undefined) return true
      return collections.some(({ collection, added, removed }) => {
        const same = own.collections.find((each) => each.collection === collection)
        const keys = new Set([
          ...(same?.added ?? []).map(({ element }) => elementKey(element)),
          ...(same?.removed ?? []).map(elementKey),
        ])
        return [...added.map(({ element }) => element), ...removed].some((element) => !keys.has(elementKey(element)))
      })
    })
    .map(({ address }) => address)
}
