// What could not be read, as people are told of it: objects with one cause together, and the requests that are skipped with them.
import type { Unreadable } from '../../core/model/live.ts'
import { firstFew } from '../../core/model/near-misses.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { skippedSteps } from '../../core/plan/rest-on-unread.ts'
import { hintLines } from '../text/as-called.ts'
import { formatCount } from '../text/counts.ts'
import { codePieces, type Flow, indent, piece, restLines, wrapText } from '../text/line.ts'

interface UnreadGroup extends Omit<Unreadable, 'address'> {
  readonly addresses: readonly string[]
}

/** In the order of the first of each: a list that could not be read is one cause, however many are looked for in it. */
export function groupUnread(unreadable: readonly Unreadable[]): readonly UnreadGroup[] {
  const groups = new Map<string, UnreadGroup & { addresses: string[] }>()
  for (const { address, account: _, ...cause } of unreadable) {
    const key = JSON.stringify([cause.code, cause.reason, cause.hint, cause.isNew])
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { ...cause, addresses: [address] })
    else known.addresses.push(address)
  }
  return [...groups.values()]
}

/** So many objects with one cause are named; the others are counted. */
const namedOfCause = 3

/** For the terminal. `verbose`: all are named. */
export function unreadLines(unreadable: readonly Unreadable[], verbose: boolean): Flow[] {
  return groupUnread(unreadable).flatMap(({ addresses, code, reason, hint }): Flow[] => {
    const named = verbose ? addresses : addresses.slice(0, namedOfCause)
    return [
      ...named.map((address): Flow => [indent(2), piece('! ', 'error'), piece(address, 'strong')]),
      ...restLines(addresses.length - named.length, 4, verbose ? '' : ', --verbose for all'),
      wrapText([indent(6), ...codePieces(code)], reason),
      ...hintLines(6, hint),
    ]
  })
}

/** `2 requests rest on it and are skipped: for \`group/a\` and 1 more`; empty: none does. */
export function saySkipped({ steps, unreadable }: Pick<PlanDocument, 'steps' | 'unreadable'>): string {
  const skipped = skippedSteps(steps)
  if (skipped.size === 0) return ''
  const addresses = [...new Set(steps.flatMap(({ id, address }) => (skipped.has(id) ? address : [])))]
  const [rest, are] = skipped.size === 1 ? ['rests', 'is'] : ['rest', 'are']
  const them = unreadable.length === 1 ? 'it' : 'them'
  return `${formatCount(skipped.size, 'request')} ${rest} on ${them} and ${are} skipped: for ${firstFew(addresses, namedOfCause)}.`
}
