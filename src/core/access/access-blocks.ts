// Groups the effects on access by the way by which they come: many rights and many accounts make one block.
import type { Chain, Numbers } from './graph-model.ts'

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
