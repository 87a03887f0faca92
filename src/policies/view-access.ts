// Shows expressions who gains and who loses access by a change.
import { accessDifference } from '@svcsync/core/access/access-difference.ts'
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import {
  type AccessDocument,
  type AccessEntry,
  type AccessEvent,
  accessEvents,
  describeAccess,
  unlimited,
} from '@svcsync/core/access/describe-access.ts'
import { movesStandIns } from '@svcsync/core/access/stand-ins.ts'
import { type Change, kindOf, nameOf } from '@svcsync/core/compare/change.ts'
import { append } from '@svcsync/core/model/group-by.ts'

/** All of it, not cut. */
type WholeAccess = Pick<AccessDocument, 'gained' | 'lost' | 'unknown'>

interface GrantView extends ReturnType<typeof grantView> {
  readonly why: string
}

/** `company` is empty where it holds for all. `kind`: `substitution` where somebody in the chain is stood in for. */
export function grantView({ subject, level, address, company, via, kind }: AccessEntry) {
  return {
    person: subject ?? '',
    level: level ?? '',
    object: address,
    company: company ?? '',
    chain: via,
    kind,
  } as const
}

type AccessView = Readonly<Record<'gained' | 'lost' | 'unknown', readonly GrantView[]>>

/** The effects of each change: on its object, through it as a group, or to it as an account. Computed on first use. */
export function accessViews(access: () => WholeAccess): (change: Change) => AccessView {
  let known: Readonly<Record<keyof AccessView, ReadonlyMap<string, GrantView[]>>> | undefined
  return (change) => {
    known ??= indexAccess(access())
    const { gained, lost, unknown } = known
    const account = kindOf(change).provides === undefined ? undefined : nameOf(change)
    const of = (found: ReadonlyMap<string, GrantView[]>): GrantView[] => [
      ...(found.get(change.address) ?? []),
      ...(account === undefined ? [] : (found.get(accountKey(account)) ?? [])),
    ]
    // On what was not read, whoever comes into a group or leaves one may have anything.
    const closed = affectsAccess(change) ? (unknown.get(nobody) ?? []) : []
    return { gained: of(gained), lost: of(lost), unknown: [...of(unknown), ...closed] }
  }
}

/** From the changes alone: what they say of accounts and groups. */
export function accessOfChanges(changes: readonly Change[]): WholeAccess {
  const graph = accessGraphOf(changes)
  return describeAccess(graph, accessDifference(graph), 'declared', {}, unlimited)
}

function indexAccess(access: WholeAccess) {
  const byPlace = (entries: readonly AccessEntry[]): ReadonlyMap<string, GrantView[]> => {
    const result = new Map<string, GrantView[]>()
    for (const entry of entries) {
      const { subject, address, via } = entry
      const view = { ...grantView(entry), why: unknownReason(entry) }
      // The plan does not change the members of that account.
      if (subject === null && entry.unseen !== undefined) continue
      if (subject === null) {
        append(result, nobody, view)
        continue
      }
      append(result, address, view)
      for (const account of [view.person, ...via]) append(result, accountKey(account), view)
      for (const standIn of entry.substitutions ?? []) append(result, standIn.address, view)
    }
    return result
  }
  const events = accessEvents(access)
  const those = (isMeant: (event: AccessEvent) => boolean) =>
    byPlace(events.flatMap((event) => (isMeant(event) ? event.entry : [])))
  return {
    // Access that may be held already counts as gained: a rule must not let pass an unknown.
    gained: those(({ effect }) => effect === 'gain'),
    lost: those(({ effect, certain }) => effect === 'lose' && certain),
    unknown: those(({ certain }) => !certain),
  }
}

export const notRead = 'not read'

/** In words that rules can look for. */
function unknownReason({ subject, may, unseen, perhapsGroup }: AccessEntry): string {
  if (subject === null) return notRead
  if (unseen === undefined) return perhapsGroup ? 'may be a group whose members svcsync cannot read' : ''
  const how = may === 'gain' ? 'may have it already' : 'may keep it'
  return unseen === subject ? `${how}: the platform does not tell all of its access` : `${how} through ${unseen}`
}

function affectsAccess(change: Change): boolean {
  const { action, collections } = change
  return (
    movesStandIns(change) || (kindOf(change).provides !== undefined && (action !== 'update' || collections.length > 0))
  )
}

const nobody = ' '

/** No address begins so. */
const accountKey = (svcId: string): string => ` ${svcId}`
