// Groups the effects on access by the way by which they come: many rights and many accounts make one block.
import type { Time } from './aftermath.ts'
import { type AccessGraph, bySvcId, type Chain, type Numbers, type Right } from './graph-model.ts'

/** Accounts to which the same happens, with rights that come the same way. */
export interface AccessBlock {
  /** `keep`: it comes through other groups. */
  readonly effect: 'gain' | 'lose' | 'keep'
  /** False: what is gained may be held already, and what is lost on the way that was seen may be kept. */
  readonly certain: boolean
  readonly subjects: Numbers
  readonly rights: number[]
  /** The way through which a lost right was held. */
  readonly via: () => Chain
  /** For a kept right: the former way. */
  readonly before?: () => Chain
  /**
   * For an uncertain effect: the account that may be a group with unknown members, through whom others may have had the
   * right, or keep it. The subject itself: the platform does not tell the level, or the company.
   */
  readonly through?: number
}

/** One way to a right: its number, unique for the account and time, and a function that builds the way on demand. */
interface FoundWay {
  readonly place: number
  /** Called at once, and for a way that no block has yet. */
  readonly wayLater: () => () => Chain
}

interface Finding {
  readonly effect: AccessBlock['effect']
  readonly right: number
  readonly via: FoundWay
  readonly before?: FoundWay | undefined
  readonly through?: number | undefined
}

/** The blocks of one class, by what makes them one. */
export type ClassBlocks = Map<string | number, AccessBlock>

export function tell(blocks: ClassBlocks, subjects: Numbers, found: Finding): void {
  const { effect, right, via, before, through } = found
  const certain = through === undefined
  // Nearly all of them are gained or lost, and for certain: a number is found sooner than a text.
  const isPlain = before === undefined && certain
  const key = isPlain
    ? 2 * via.place + (effect === 'gain' ? 1 : 0)
    : `${effect} ${via.place} ${before?.place} ${through}`
  const known = blocks.get(key)
  if (known !== undefined) {
    known.rights.push(right)
    return
  }
  blocks.set(key, {
    ...{ effect, certain, subjects, rights: [right], via: via.wayLater() },
    ...(before !== undefined && { before: before.wayLater() }),
    ...(through !== undefined && { through }),
  })
}

/** Through whom somebody may have a right beside what is seen: an account, or the subject itself. */
export function unseenWay(
  graph: AccessGraph,
  subject: number,
  right: number,
  time: Time,
  { behind, seesVague }: { readonly behind: (time: Time) => ReadonlyMap<number, number>; readonly seesVague: boolean },
): number | undefined {
  if (time === 'before' ? graph.created.has(subject) : graph.deleted.has(subject)) return undefined
  if (seesVague) return subject
  const { covering, vague } = graph.rights[right] as Right
  const held = behind(time)
  const known = held.get(right) ?? held.get(covering)
  if (known !== undefined || vague.length === 0) return known
  return vague.flatMap((each) => held.get(each) ?? []).sort(bySvcId(graph))[0]
}

/**
 * `limit`: of entries. `least`: the last listed rank, so that less serious entries are skipped. `all`: the number of
 * entries.
 */
export function seriousEnough(blocks: readonly AccessBlock[], rankOf: (right: number) => number, limit: number) {
  const counts: number[] = []
  for (const { rights, subjects } of blocks) {
    for (const right of rights) counts[rankOf(right)] = (counts[rankOf(right)] ?? 0) + subjects.length
  }
  let [least, all] = [-1, 0]
  counts.forEach((count, rank) => {
    if (all < limit) least = rank
    all += count
  })
  return { least, all }
}
