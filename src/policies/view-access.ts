// Who gains and who loses what through a change, as expressions see it.
import { accessDifference } from '../core/access/access-difference.ts'
import { accessGraphOf } from '../core/access/access-graph.ts'
import { aftermathOf } from '../core/access/aftermath.ts'
import { type AccessDocument, type AccessEntry, describeAccess, unlimited } from '../core/access/describe-access.ts'
import { type Change, kindOf } from '../core/compare/change.ts'
import { append } from '../core/model/group-by.ts'

/** All of it, not cut. */
export type WholeAccess = Pick<AccessDocument, 'gained' | 'lost'>

interface GrantView {
  readonly person: string
  readonly level: string
  readonly object: string
  /** Empty: it holds for all. */
  readonly company: string
  readonly chain: readonly string[]
}

type AccessView = Readonly<Record<'gained' | 'lost', readonly GrantView[]>>

/** What comes by each change: on its object, through it as a group, or to it as an account. Worked out when it is first asked for. */
export function accessViews(access: () => WholeAccess): (change: Change) => AccessView {
  let known: Readonly<Record<keyof AccessView, ReadonlyMap<string, GrantView[]>>> | undefined
  return (change) => {
    known ??= indexed(access())
    const { gained, lost } = known
    const account = kindOf(change).provides === undefined ? undefined : nameOf(change)
    const of = (found: ReadonlyMap<string, GrantView[]>): GrantView[] => [
      ...(found.get(change.address) ?? []),
      ...(account === undefined ? [] : (found.get(accountKey(account)) ?? [])),
    ]
    return { gained: of(gained), lost: of(lost) }
  }
}

/** From the changes alone: what they say of accounts and groups. */
export function accessOfChanges(changes: readonly Change[]): WholeAccess {
  const graph = accessGraphOf(changes, aftermathOf(changes))
  return describeAccess(graph, accessDifference(graph), 'declared', [], unlimited)
}

function indexed({ gained, lost }: WholeAccess) {
  const byPlace = (entries: readonly AccessEntry[]): ReadonlyMap<string, GrantView[]> => {
    const result = new Map<string, GrantView[]>()
    for (const entry of entries) {
      const { subject, level, address, company, via } = entry
      const view = { person: subject ?? '', level: level ?? '', object: address, company: company ?? '', chain: via }
      append(result, address, view)
      for (const account of [view.person, ...via]) append(result, accountKey(account), view)
    }
    return result
  }
  return { gained: byPlace(gained), lost: byPlace(lost) }
}

/** No address begins so. */
const accountKey = (svcId: string): string => ` ${svcId}`

function nameOf({ desired, live }: Change): string {
  return desired?.at.name ?? live?.name ?? ''
}
