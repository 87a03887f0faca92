// Judges access beside the declarations by exceptions: one person, one level, one object, for a time and with a reason.
import type { NormaliseSvcId } from '../model/address.ts'
import type { AccessException } from '../model/exception.ts'
import { groupBy } from '../model/group-by.ts'
import type { AccessEntry } from './describe-access.ts'

/** The accepted access, and the rest; each entry once. */
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

/** An exception for all companies covers an entry for one. */
export function exceptionFinder(
  exceptions: readonly AccessException[],
  normalise: NormaliseSvcId,
): (entry: AccessEntry) => readonly AccessException[] {
  if (exceptions.length === 0) return () => []
  const known = groupBy(exceptions, (each) => exceptionKey(each, normalise))
  return ({ subject, level, address, company }) => {
    if (subject === null) return []
    const found = known.get(exceptionKey({ person: subject, level, object: address }, normalise)) ?? []
    return found.filter((each) => each.company === undefined || each.company === company)
  }
}

/** Without its company and its target. */
function exceptionKey(
  { person, level, object }: Pick<AccessException, 'person' | 'object'> & { readonly level: string | null },
  normalise: NormaliseSvcId,
): string {
  return JSON.stringify([normalise(person), level, object])
}
