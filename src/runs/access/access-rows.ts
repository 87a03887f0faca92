// The access of accounts, as rows: live, after an apply, as declared and at the base, one account after the other.
import type { exceptionFinder } from '@svcsync/core/access/accepted-access.ts'
import type { Time } from '@svcsync/core/access/aftermath.ts'
import type { declaredPlaces } from '@svcsync/core/access/declared-places.ts'
import type { AccessEntry, AccessPath } from '@svcsync/core/access/describe-access.ts'
import { type AccessGraph, isPerson } from '@svcsync/core/access/graph-model.ts'
import { accessReader } from '@svcsync/core/access/list-access.ts'
import { byAddress } from '@svcsync/core/model/address.ts'
import { compareBy, getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { AccessRow } from '@svcsync/core/plan/access-report.ts'
import { createRoomCheck } from '@svcsync/platform/memory-budget.ts'
import type { declaredSince } from '../open/declared-since.ts'

/** Rights by what they are called, on whichever side: equal numbers, equal names. */
type RightNames = ReturnType<typeof createRightNames>

export function createRightNames() {
  const numbers = new Map<string, number>()
  return (right: Right): number => getOrInsert(numbers, rightOf(right), () => numbers.size)
}

type Right = Pick<AccessEntry, 'level' | 'address' | 'company' | 'untold'>

export const rightOf = ({ level, address, company, untold }: Right): string =>
  JSON.stringify([level, address, company, untold ?? null])

/** The access of accounts at one time: one by one, since all of it may be very much. */
interface Side {
  /** Keys and svcIds. */
  accounts(): Iterable<readonly [string, string]>
  /** Goes on to an account: the names of what it has, by their numbers. */
  namesOf(account: string): readonly number[]
  has(name: number): boolean
  entryOf(name: number): AccessEntry
}

interface SideSettings {
  readonly person: string | undefined
  readonly matches: (entry: Pick<AccessEntry, 'address' | 'level'>) => boolean
  /** The platform does not tell companies, and the row says so. */
  readonly isUntold: boolean
  readonly nameOf: RightNames
}

export function sideOf(graph: AccessGraph, time: Time, { person, matches, isUntold, nameOf }: SideSettings): Side {
  const reader = accessReader(graph, time, isUntold)
  const nameOfRight = ({ level: told, address, company }: AccessGraph['rights'][number]): number => {
    const level = told ?? null
    const untold = isUntold && company === undefined ? ('company' as const) : undefined
    const name = { level, address, company: company?.name ?? null, ...(untold && { untold }) }
    return matches(name) ? nameOf(name) : -1
  }
  const names = graph.rights.map(nameOfRight)
  // By names: the right, and the round in which it was found. Each account is a round.
  const [rightAt, foundIn]: [number[], number[]] = [[], []]
  let round = 0
  return {
    *accounts() {
      const numbers = person === undefined ? graph.numbers : [[person, graph.numbers.get(person) ?? -1] as const]
      for (const [key, number] of numbers) yield [key, graph.svcIds[number] ?? key]
    },
    namesOf(key) {
      round++
      const number = graph.numbers.get(key)
      const found: number[] = []
      if (number === undefined || (person === undefined && !isPerson(graph, number))) return found
      for (const right of reader.rightsOf(number)) {
        const name = names[right] as number
        if (name < 0 || foundIn[name] === round) continue
        foundIn[name] = round
        rightAt[name] = right
        found.push(name)
      }
      return found
    },
    has: (name) => foundIn[name] === round,
    entryOf: (name) => reader.entryOf(rightAt[name] as number),
  }
}

interface Sides {
  readonly before: Side
  readonly after: Side
  readonly declared: Side
  readonly atBase: Side | undefined
  readonly nameOf: RightNames
  readonly places: ReturnType<typeof declaredPlaces>
  /** The same at the base, for a list of the base only. */
  readonly placesThen: ReturnType<typeof declaredPlaces>
  readonly accepting: ReturnType<typeof exceptionFinder>
  readonly nowMs: number
  readonly sinceOf: ReturnType<typeof declaredSince> | undefined
  readonly isPast: boolean
  readonly appliedBy: ((commit: string) => AccessRow['applied']) | undefined
  /** By the key of an account. */
  readonly licensed: (account: string) => boolean | null
}

/** Called for each row, or account: it throws where there is no room for more. */
export const roomForList = () => createRoomCheck('The list of access', 'Ask about one account or object')

/** One row for each access on any side, in the order of svcIds and addresses, computed on demand. */
export function* accessRows(sides: Sides): Generator<AccessRow> {
  const { before, after, declared, atBase } = sides
  // One side may be another one as well.
  const told = [...new Set([before, after, declared, ...(atBase === undefined ? [] : [atBase])])]
  const accounts = new Map<string, string>()
  for (const side of told) for (const [key, svcId] of side.accounts()) if (!accounts.has(key)) accounts.set(key, svcId)
  const checkRoom = roomForList()
  const ordered = [...accounts].sort(compareBy(([, svcId]) => svcId))
  for (const [account] of ordered) {
    checkRoom()
    yield* rowsOf(account, told, sides).sort(byAddress)
  }
}

function rowsOf(account: string, told: readonly Side[], sides: Sides): AccessRow[] {
  const { atBase, isPast } = sides
  const names = told.map((side) => side.namesOf(account))
  const licensed = sides.licensed(account)
  return told.flatMap((side, at) => {
    if (isPast && side !== atBase) return []
    const earlier = isPast ? [] : told.slice(0, at)
    const own = (names[at] ?? []).filter((name) => !earlier.some((other) => other.has(name)))
    return own.map((name) => rowOf(name, side, sides, licensed))
  })
}

function rowOf(name: number, side: Side, sides: Sides, licensed: boolean | null): AccessRow {
  const entry = side.entryOf(name)
  const { before, after, declared, atBase, places, placesThen, accepting } = sides
  const { nowMs, sinceOf, isPast } = sides
  // A right for all companies covers an entry for one.
  const { level, address, company } = entry
  const whole = company === null ? name : sides.nameOf({ level, address, company: null })
  const isIn = (other: Side): boolean => other.has(name) || other.has(whole)
  const entryIn = (other: Side, named: number) => (other === side && named === name ? entry : other.entryOf(named))
  const declaring = isIn(declared) ? entryIn(declared, declared.has(name) ? name : whole) : undefined
  const saying = declaring && (declaredCounterpart(entry, declaring, places) ?? declaring)
  const lines = saying === undefined ? [] : places(saying)
  // An untold level may be the declared one, or another; if all levels are declared, it is declared.
  const isTold = entry.level !== null && (entry.untold === undefined || lines.length === linesOf(entry))
  // The lines of omitted steps are unknown.
  const origin = isPast ? placesThen(entry) : saying?.skipped === undefined ? lines : []
  const row = {
    subject: entry.subject,
    level,
    address,
    company,
    via: entry.via,
    kind: entry.kind,
    live: isIn(before),
    afterApply: isIn(after),
    declared: saying !== undefined && isTold,
    declaredWay: saying === undefined ? null : wayOf(saying),
    places: lines.map(({ place }) => place),
    atBase: atBase === undefined ? null : isIn(atBase),
    accepted: saying === undefined ? acceptedBy(accepting(entry), nowMs) : null,
    since: origin.length === 0 ? null : (sinceOf?.(origin) ?? null),
    licensed,
  }
  return withRareFields(row, entry, sides)
}

/** Fields that few rows have, in their places: what is spread takes most of the time of a list. */
function withRareFields(row: AccessRow, entry: AccessEntry, { appliedBy }: Sides): AccessRow {
  const applied =
    row.since && row.since.begins === undefined && appliedBy
      ? { applied: appliedBy(row.since.commit) ?? null }
      : undefined
  if (isPlain(entry) && entry.untold === undefined && applied === undefined) return row
  const { subject: _, via: __, kind: ___, licensed, ...told } = row
  return { ...entry, ...told, ...applied, licensed }
}

const isPlain = ({ skipped, substitutions }: AccessPath): boolean =>
  skipped === undefined && substitutions === undefined

function acceptedBy(fitting: ReturnType<Sides['accepting']>, nowMs: number): AccessRow['accepted'] {
  const accepted = fitting.find(({ untilMs }) => nowMs < untilMs) ?? fitting[0]
  if (accepted === undefined) return null
  const { until, untilMs, reason, place } = accepted
  return { until, isOver: nowMs >= untilMs, reason, place }
}

/** The number of lines of a completely declared way, as far as it is known. */
const linesOf = ({ via, skipped }: AccessEntry): number => via.length + (skipped === undefined ? 1 : 0)

function wayOf(entry: AccessEntry): NonNullable<AccessRow['declaredWay']> {
  const { via, skipped, substitutions } = entry
  if (isPlain(entry)) return { via }
  return { via, ...(skipped !== undefined && { skipped }), ...(substitutions && { substitutions }) }
}

/** The declared entry by the live one's way, if every line of it is declared. */
function declaredCounterpart(
  live: AccessEntry,
  declaring: AccessEntry,
  places: Sides['places'],
): AccessEntry | undefined {
  if (live.substitutions !== undefined || declaring.substitutions !== undefined) return undefined
  // The omitted steps may be declared, or not.
  if (live.skipped !== undefined) return undefined
  const { via } = declaring
  const isSame = via === live.via || (via.length === live.via.length && via.every((each, at) => each === live.via[at]))
  if (declaring.skipped === undefined && isSame) return declaring
  const { skipped: _, ...along } = { ...declaring, via: live.via }
  return places(along).length === linesOf(along) ? along : undefined
}
