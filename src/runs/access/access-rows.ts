// What accounts can do, as rows: live, after an apply, as declared and at the base, of one account after the other.
import type { exceptionFinder } from '@svcsync/core/access/accepted-access.ts'
import type { Time } from '@svcsync/core/access/aftermath.ts'
import type { DeclaredLine, declaredPlaces } from '@svcsync/core/access/declared-places.ts'
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { accessReader } from '@svcsync/core/access/list-access.ts'
import { type AccessGraph, isPerson } from '@svcsync/core/access/walk.ts'
import { byAddress } from '@svcsync/core/model/address.ts'
import { by, getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { AccessRow } from '@svcsync/core/plan/access-report.ts'
import type { declaredSince } from '../open/declared-since.ts'

/** Rights by what they are called, on whichever side: equal numbers, equal names. */
type RightNames = ReturnType<typeof createRightNames>

export function createRightNames() {
  const numbers = new Map<string, number>()
  return (right: Pick<AccessEntry, 'level' | 'address' | 'company' | 'untold'>): number =>
    getOrInsert(numbers, rightOf(right), () => numbers.size)
}

export const rightOf = ({
  level,
  address,
  company,
  untold,
}: Pick<AccessEntry, 'level' | 'address' | 'company' | 'untold'>): string =>
  JSON.stringify([level, address, company, untold ?? null])

/** What accounts can do at one time: of one after the other, since all of it may be very much. */
export interface Side {
  /** Keys and svcIds. */
  accounts(): Iterable<readonly [string, string]>
  /** Of an account, by the numbers of names. */
  rightsOf(account: string): ReadonlyMap<number, number>
  /** About the account whose rights were asked for last. */
  entryOf(right: number): AccessEntry
}

interface SideSettings {
  /** The key of the one account that is asked about. */
  readonly person: string | undefined
  readonly matches: (entry: Pick<AccessEntry, 'address' | 'level'>) => boolean
  /** Companies are not told, and that is said. */
  readonly isUntold: boolean
  readonly nameOf: RightNames
}

const noRights: ReadonlyMap<number, number> = new Map()

export function sideOf(graph: AccessGraph, time: Time, { person, matches, isUntold, nameOf }: SideSettings): Side {
  const reader = accessReader(graph, time)
  const nameOfRight = ({ level: told, address, company }: AccessGraph['rights'][number]): number => {
    const level = told ?? null
    const untold = isUntold && company === undefined ? ('company' as const) : undefined
    const name = { level, address, company: company?.name ?? null, ...(untold && { untold }) }
    return matches(name) ? nameOf(name) : -1
  }
  const names = graph.rights.map(nameOfRight)
  return {
    *accounts() {
      const numbers = person === undefined ? graph.numbers : [[person, graph.numbers.get(person) ?? -1] as const]
      for (const [key, number] of numbers) yield [key, graph.svcIds[number] ?? key]
    },
    rightsOf(key) {
      const number = graph.numbers.get(key)
      if (number === undefined || (person === undefined && !isPerson(graph, number))) return noRights
      const found = new Map<number, number>()
      for (const right of reader.rightsOf(number)) {
        const name = names[right] as number
        if (name >= 0 && !found.has(name)) found.set(name, right)
      }
      return found
    },
    entryOf(right) {
      const entry = reader.entryOf(right)
      if (isUntold || entry.untold === undefined) return entry
      const { untold: _, ...told } = entry
      return told
    },
  }
}

export interface Sides {
  readonly before: Side
  readonly after: Side
  readonly declared: Side
  readonly atBase: Side | undefined
  readonly nameOf: RightNames
  readonly places: ReturnType<typeof declaredPlaces>
  /** The same at the base, where that alone is told. */
  readonly placesThen: ReturnType<typeof declaredPlaces>
  readonly accepting: ReturnType<typeof exceptionFinder>
  readonly nowMs: number
  readonly sinceOf: ReturnType<typeof declaredSince> | undefined
  readonly isPast: boolean
  readonly appliedBy: ((commit: string) => AccessRow['applied']) | undefined
  readonly licensed: (svcId: string) => boolean | null
}

/** One row for what is so anywhere, in the order of svcIds and addresses: made when it is asked for. */
export function* accessRows(sides: Sides): Generator<AccessRow> {
  const { before, after, declared, atBase } = sides
  const accounts = new Map<string, string>()
  for (const side of [before, after, declared, ...(atBase === undefined ? [] : [atBase])])
    for (const [key, svcId] of side.accounts()) if (!accounts.has(key)) accounts.set(key, svcId)
  const ordered = [...accounts].sort(by(([, svcId]) => svcId))
  for (const [account] of ordered) yield* rowsOf(account, sides).sort(byAddress)
}

function rowsOf(account: string, sides: Sides): AccessRow[] {
  const { before, after, declared, atBase, isPast } = sides
  const held: Held = {
    before: before.rightsOf(account),
    after: after.rightsOf(account),
    declared: declared.rightsOf(account),
    atBase: atBase?.rightsOf(account),
  }
  const told = isPast ? (['atBase'] as const) : (['before', 'after', 'declared', 'atBase'] as const)
  const rows: AccessRow[] = []
  const done = new Set<number>()
  for (const side of told) {
    for (const [name, right] of held[side] ?? []) {
      if (done.has(name)) continue
      done.add(name)
      rows.push(rowOf(name, (sides[side] as Side).entryOf(right), held, sides))
    }
  }
  return rows
}

interface Held {
  readonly before: ReadonlyMap<number, number>
  readonly after: ReadonlyMap<number, number>
  readonly declared: ReadonlyMap<number, number>
  readonly atBase: ReadonlyMap<number, number> | undefined
}

function rowOf(name: number, entry: AccessEntry, held: Held, sides: Sides): AccessRow {
  const { declared, nameOf, places, placesThen, accepting, nowMs, sinceOf, isPast, appliedBy, licensed } = sides
  // What is held, or declared, for all covers what is limited to one company.
  const { level, address, company } = entry
  const names = company === null ? [name] : [name, nameOf({ level, address, company: null })]
  const isIn = (side: ReadonlyMap<number, number>): boolean => names.some((each) => side.has(each))
  const [declaredRight] = names.flatMap((each) => held.declared.get(each) ?? [])
  const declaring = declaredRight === undefined ? undefined : declared.entryOf(declaredRight)
  const saying = declaring && (sameWay(entry, declaring, places) ?? declaring)
  const lines = saying === undefined ? [] : places(saying)
  const fitting = accepting(entry)
  const accepted = fitting.find(({ untilMs }) => nowMs < untilMs) ?? fitting[0]
  // What is not told may be what is declared, or something else; where all is declared, it is.
  const isTold = entry.level !== null && (entry.untold === undefined || lines.length === linesOf(entry))
  // The entry was made for this row.
  return Object.assign(entry, {
    live: isIn(held.before),
    afterApply: isIn(held.after),
    declared: saying !== undefined && isTold,
    declaredWay: saying === undefined ? null : wayOf(saying),
    places: lines.map(({ place }) => place),
    atBase: held.atBase === undefined ? null : isIn(held.atBase),
    accepted:
      saying === undefined && accepted
        ? {
            until: accepted.until,
            isOver: nowMs >= accepted.untilMs,
            reason: accepted.reason,
            place: accepted.place,
          }
        : null,
    ...sinceIn(isPast ? placesThen(entry) : wholeWay(saying, lines), sinceOf, appliedBy),
    licensed: licensed(entry.subject ?? ''),
  })
}

/** What was left out of a long way is not known. */
const wholeWay = (saying: AccessEntry | undefined, lines: readonly DeclaredLine[]): readonly DeclaredLine[] =>
  saying?.skipped === undefined ? lines : []

/** No lines: nobody knows. */
function sinceIn(
  lines: readonly DeclaredLine[],
  sinceOf: Sides['sinceOf'],
  appliedBy: Sides['appliedBy'],
): Pick<AccessRow, 'since' | 'applied'> {
  const since = lines.length === 0 ? null : (sinceOf?.(lines) ?? null)
  return { since, ...(since !== null && appliedBy && { applied: appliedBy(since.commit) ?? null }) }
}

/** As many as a way has that is declared from end to end, as far as it is told. */
const linesOf = ({ via, skipped }: AccessEntry): number => via.length + (skipped === undefined ? 1 : 0)

const wayOf = ({ via, skipped, substitutions }: AccessEntry): NonNullable<AccessRow['declaredWay']> => ({
  via,
  ...(skipped !== undefined && { skipped }),
  ...(substitutions && { substitutions }),
})

/**
 * The declared entry by the way of the live one, where every line of it is declared: of several declared ways another
 * was found.
 */
function sameWay(live: AccessEntry, declaring: AccessEntry, places: Sides['places']): AccessEntry | undefined {
  if (live.substitutions !== undefined || declaring.substitutions !== undefined) return undefined
  // What was left out of it may be declared, or not.
  if (live.skipped !== undefined) return undefined
  const { via } = declaring
  if (
    declaring.skipped === undefined &&
    via.length === live.via.length &&
    via.every((each, at) => each === live.via[at])
  )
    return declaring
  const { skipped: _, ...along } = { ...declaring, via: live.via }
  return places(along).length === linesOf(along) ? along : undefined
}
