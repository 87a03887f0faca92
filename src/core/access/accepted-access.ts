// What was accepted beside what is declared: one person, one level, one object, for a time and with a reason.
import type { Place } from '@svcsync/errors/index.ts'
import type { Address, NormaliseSvcId } from '../model/address.ts'
import { groupBy } from '../model/group-by.ts'
import type { AccessEntry } from './describe-access.ts'

export interface AccessException {
  readonly person: string
  /** `owner` of who owns a group. */
  readonly level: string
  readonly object: Address
  /** Absent: whatever it is limited to. */
  readonly company?: string | undefined
  /** Absent: of every target. */
  readonly target?: string | undefined
  /** As it is written. */
  readonly until: string
  /** Counts up to, and not including, this; milliseconds since 1970. */
  readonly untilMs: number
  readonly reason: string
  /** Of the exception, and of what is wrong with one of its keys. */
  readonly place: Place
  placeOf(key: string): Place
}

/** What is accepted, and what is not; each entry once. */
interface JudgedAccess {
  /** Nobody declared or accepted it; where it was accepted once, the exception that is over. */
  readonly open: readonly AccessEntry[]
  readonly accepted: readonly { readonly entry: AccessEntry; readonly by: AccessException }[]
  readonly expired: readonly { readonly entry: AccessEntry; readonly by: AccessException }[]
  /** Nobody can do any more what they accept. */
  readonly idle: readonly AccessException[]
}

/** `exceptions`: of this target. */
export function judgeAccess(
  entries: readonly AccessEntry[],
  exceptions: readonly AccessException[],
  nowMs: number,
  normalise: NormaliseSvcId,
): JudgedAccess {
  const open: AccessEntry[] = []
  const accepted: JudgedAccess['accepted'][number][] = []
  const expired: JudgedAccess['expired'][number][] = []
  const used = new Set<AccessException>()
  const find = exceptionFinder(exceptions, normalise)
  for (const entry of entries) {
    const fitting = find(entry)
    for (const each of fitting) used.add(each)
    const valid = fitting.find(({ untilMs }) => nowMs < untilMs)
    const [over] = fitting
    if (valid !== undefined) accepted.push({ entry, by: valid })
    else open.push(entry)
    if (valid === undefined && over !== undefined) expired.push({ entry, by: over })
  }
  return { open, accepted, expired, idle: exceptions.filter((each) => !used.has(each)) }
}

/** What holds for all covers what is limited to one company. */
export function exceptionFinder(
  exceptions: readonly AccessException[],
  normalise: NormaliseSvcId,
): (entry: AccessEntry) => readonly AccessException[] {
  const known = groupBy(exceptions, (each) => exceptionKey(each, normalise))
  return ({ subject, level, address, company }) => {
    if (subject === null || level === null) return []
    const found = known.get(exceptionKey({ person: subject, level, object: address }, normalise)) ?? []
    return found.filter((each) => each.company === undefined || each.company === company)
  }
}

/** Without its company and its target. */
export function exceptionKey(
  { person, level, object }: Pick<AccessException, 'person' | 'level' | 'object'>,
  normalise: NormaliseSvcId,
): string {
  return JSON.stringify([normalise(person), level, object])
}
