// Judges access beside the declarations by exceptions: one person, one level, one object, for a time and with a reason.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { Address, NormaliseSvcId } from '../model/address.ts'
import { subjectKey } from '../model/elements.ts'
import { type AccessException, showException } from '../model/exception.ts'
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

/** The addresses of lists and groups whose change ends the ways of these entries; an entry that none ends has none. */
export function endingOf(
  entries: readonly AccessEntry[],
  changes: readonly Change[],
  normalise: NormaliseSvcId,
): ReadonlyMap<AccessEntry, Address> {
  const moving = changes.filter(({ action, collections }) => action === 'delete' || collections.length > 0)
  const accounts = groupBy(
    moving.filter((change) => kindOf(change).provides !== undefined),
    keyOf,
  )
  const objects = groupBy(moving, ({ address }) => address)
  const ending = new Map<AccessEntry, Address>()
  for (const entry of entries) {
    const { subject, via, address, level } = entry
    // Its own entry is left alone by the exception itself.
    if (subject === null || via.length === 0) continue
    const way = [subject, ...via].map(normalise)
    const isTaken = (change: Change, who: string | undefined, as?: string | null): boolean =>
      change.action === 'delete' ||
      change.collections.some(({ removed }) =>
        removed.some((each) => subjectKey(each) === who && (as === undefined || (each.level ?? 'owner') === as)),
      )
    const ended =
      via
        .flatMap((_, index) =>
          (accounts.get(way[index + 1] as string) ?? []).filter((each) => isTaken(each, way[index])),
        )
        .at(0) ?? objects.get(address)?.find((each) => isTaken(each, way.at(-1), level))
    if (ended !== undefined) ending.set(entry, ended.address)
  }
  return ending
}

/** Warns of exceptions whose access a plan takes: they leave alone own entries, and no members of groups. */
export function findEndingExceptions(
  lost: readonly AccessEntry[],
  exceptions: readonly AccessException[],
  nowMs: number,
  normalise: NormaliseSvcId,
): Problem[] {
  const find = exceptionFinder(
    exceptions.filter(({ untilMs }) => nowMs < untilMs),
    normalise,
  )
  const ways = new Map(lost.flatMap((entry) => find(entry).map((each) => [each, entry.via] as const)))
  return [...ways].map(([each, [group]]): Problem => {
    const way = group === undefined ? '' : `: it comes through ${inCode(group)}`
    return {
      ...{ code: 'SVC1347', severity: 'warning', place: each.place, address: each.object },
      message: `The plan ends ${inCode(showException(each))} in spite of the exception${way}`,
      hint: 'Except the entry of the list, too, with `svcsync accept --until`, or remove the exception.',
    }
  })
}

/** Without its company and its target. */
function exceptionKey(
  { person, level, object }: Pick<AccessException, 'person' | 'object'> & { readonly level: string | null },
  normalise: NormaliseSvcId,
): string {
  return JSON.stringify([normalise(person), level, object])
}
