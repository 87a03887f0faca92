// A new login is another account: what the old one has goes only when the new one has its own.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { Draft } from './draft.ts'

/** Keys of the old accounts, by those of the new ones. */
export function replacedAccounts(changes: readonly Change[]): ReadonlyMap<string, string> {
  return new Map(
    changes.flatMap(({ desired }): [string, string][] => {
      const { key = '', replaces, absent } = desired ?? {}
      return replaces === undefined || absent || replaces === key ? [] : [[key, replaces]]
    }),
  )
}

/** In whatever list; but for a gift that waits for what is taken, where there is only so much. */
export function orderReplaced(drafts: readonly Draft[], replaced: ReadonlyMap<string, string>): void {
  for (const [key, old] of replaced) {
    const gives = ({ needs, change, step }: Draft): boolean =>
      needs.includes(key) || (step.verb === 'create' && isAccount(change) && keyOf(change) === key)
    const takes = ({ releases, change, step }: Draft): boolean =>
      releases.includes(old) || (step.verb === 'delete' && isAccount(change) && keyOf(change) === old)
    const takers = drafts.filter((draft) => takes(draft) && !gives(draft))
    if (takers.length === 0) continue
    const givers = drafts.filter(gives)
    givesFirst(drafts, new Set(takers))
    for (const giver of givers) {
      const before = allBefore(giver)
      for (const taker of takers) if (!before.has(taker) && !taker.after.includes(giver)) taker.after.push(giver)
    }
  }
}

const isAccount = (change: Change): boolean => kindOf(change).provides !== undefined

/** Objects that synchronise take one write at a time: their takers last. */
function givesFirst(drafts: readonly Draft[], takers: ReadonlySet<Draft>): void {
  const changes = new Set([...takers].map(({ change }) => change).filter((change) => kindOf(change).synchronises))
  for (const change of changes) {
    const own = drafts.filter((draft) => draft.change === change)
    const row = [...own.filter((draft) => !takers.has(draft)), ...own.filter((draft) => takers.has(draft))]
    for (const [index, draft] of row.entries()) {
      const last = row[index - 1]
      draft.follows = last === undefined || draft.after.includes(last) ? undefined : last
    }
  }
}

function allBefore(draft: Draft): ReadonlySet<Draft> {
  const found = new Set([draft])
  for (const { after, follows } of found) {
    for (const each of after) found.add(each)
    if (follows !== undefined) found.add(follows)
  }
  return found
}
