// Access on the platform that nobody declared or accepted, as data.
import type { Change } from '../compare/change.ts'
import type { Address, NormaliseSvcId } from '../model/address.ts'
import type { AccessException } from '../model/exception.ts'
import { exceptionFinder, judgeAccess } from './accepted-access.ts'
import { accessDifference } from './access-difference.ts'
import { accessGraphOf } from './access-graph.ts'
import { declaredSide } from './declared-side.ts'
import { type AccessDocument, type AccessEntry, describeAccess, most, unknownOn, unlimited } from './describe-access.ts'
import type { AccessGraph } from './graph-model.ts'
import { heldBy } from './list-access.ts'
import { withOtherLevels } from './other-levels.ts'
import type { Outside } from './outside.ts'

/** The statements of `drift --access` beside the access itself. */
export interface AccessDriftDocument {
  /** Requests that it took beside those of the plan. */
  readonly requests: number
  /**
   * Levels that somebody has and nobody declared or accepted, those included that may be declared through an unread
   * group.
   */
  readonly undeclared: number
  /** The number of accepted undeclared levels. */
  readonly accepted: number
  /** Exceptions that are over, of what is live all the same. */
  readonly expired: readonly ExceptionDocument[]
  /** Exceptions of what nobody can do any more. */
  readonly idle: readonly ExceptionDocument[]
  /** Accounts that can do something, and may be groups whose members nobody knows. */
  readonly mayBeGroups: readonly string[]
  /** Roles outside the interface. Absent in older documents. */
  readonly outside?: Outside
  /** Objects of which nobody knows who can do what there. */
  readonly unread: readonly { readonly address: Address; readonly reason: string }[]
}

interface ExceptionDocument
  extends Pick<AccessException, 'person' | 'level' | 'object' | 'until' | 'reason' | 'place'> {
  readonly company: string | null
}

interface DriftSettings {
  readonly exceptions: readonly AccessException[]
  /** Pending changes are no drift. */
  readonly hasBase: boolean
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly normalise: NormaliseSvcId
  /** True if the target has the object: access to other objects is no drift of it. */
  isWithin(address: Address): boolean
  /** Called before each finding, with how many there are; it throws where there is no room for more. */
  readonly checkRoom?: (made: number) => void
  /** So many findings of each sort are listed, and all are counted. Absent: all are listed. */
  readonly first?: number | undefined
}

interface AccessDrift {
  readonly graph: AccessGraph
  /** `lost` and `unknown` hold all undeclared and unaccepted entries but `unlisted`; the other lists the first ones. */
  readonly access: AccessDocument
  readonly unlisted: Readonly<Record<'lost' | 'unknown', number>>
  readonly judged: ReturnType<typeof judgeAccess>
  /** Objects of which the platform does not tell enough to say whether all of it is declared. */
  readonly untold: readonly Address[]
}

/** `changes`: of everything that the platform lists. */
export function accessDriftOf(changes: readonly Change[], settings: DriftSettings): AccessDrift {
  const { exceptions, hasBase, nowMs, normalise, isWithin, checkRoom, first = Number.POSITIVE_INFINITY } = settings
  const { changes: sides, untold: all } = declaredSide(changes, hasBase ? 'declared-or-base' : 'declared')
  const graph = accessGraphOf(sides, nowMs)
  checkRoom?.(0)
  const blocks = accessDifference(graph)
  const tooMuch = blocks.filter(({ effect }) => effect === 'lose')
  const excepting = exceptionFinder(exceptions, normalise)
  const choice = {
    takes: ({ address }: AccessEntry) => isWithin(address),
    keeps: (entry: AccessEntry) => excepting(entry).length > 0,
    first,
  }
  const here = describeAccess(graph, tooMuch, 'full', { standsAlone: true, checkRoom, choice }, unlimited)
  // Merged changes that are not applied are missing for that reason, not because of an edit by hand.
  const others = hasBase ? [] : blocks.filter(({ effect }) => effect !== 'lose')
  const judged = judgeAccess([...here.lost, ...here.unknown], exceptions, nowMs, normalise)
  const accepted = new Set(judged.accepted.map(({ entry }) => entry))
  const isOpen = (entry: AccessEntry): boolean => !accepted.has(entry)
  const lacking = describeAccess(graph, others, 'full', { standsAlone: true }, most)
  const access = {
    ...lacking,
    lost: here.lost.filter(isOpen),
    unknown: [...here.unknown.filter(isOpen), ...lacking.unknown],
    unread: here.unread,
  }
  return { graph, access, unlisted: here.more, judged, untold: all.filter(isWithin) }
}

/** As a document: the first of each, and what nobody could see. */
export function documentAccessDrift(
  found: AccessDrift &
    Pick<AccessDriftDocument, 'unread' | 'requests'> & { readonly outside: Outside } & Pick<
      Required<AccessDocument>,
      'looked'
    > &
    Pick<AccessDocument, 'unlooked'>,
): { readonly access: AccessDocument; readonly accessDrift: AccessDriftDocument } {
  const { graph, access, unlisted, judged, untold, unread, requests, looked, unlooked, outside } = found
  const hidden = [
    ...unread,
    ...untold.map((address) => ({ address, reason: 'The platform does not tell all access there' })),
  ]
  const closed = [...new Set(hidden.map(({ address }) => address))].sort().slice(0, most.entries)
  const { lost, unknown } = access
  const live = unknown.filter(({ may }) => may !== 'gain')
  return {
    access: {
      ...withOtherLevels(graph, {
        ...access,
        lost: lost.slice(0, most.entries),
        unknown: [...unknown.slice(0, most.entries), ...closed.map(unknownOn)],
      }),
      more: {
        ...access.more,
        lost: Math.max(0, lost.length + unlisted.lost - most.entries),
        unknown: Math.max(0, live.length + unlisted.unknown - most.entries),
      },
      looked,
      ...(unlooked && { unlooked }),
    },
    accessDrift: {
      requests,
      undeclared: judged.open.length + unlisted.lost + unlisted.unknown,
      accepted: judged.accepted.length,
      expired: [...new Set(judged.expired.map(({ by }) => by))].map(asDocument),
      // An exception that seems idle may concern an unread part.
      idle: hidden.length > 0 ? [] : judged.idle.map(asDocument),
      mayBeGroups: heldBy(graph).sort(),
      outside,
      unread,
    },
  }
}

/** With a base, only the drift of the plan tells what an edit took away: pending changes are missing, too. */
export function withMissing(found: AccessDocument, ofPlan: AccessDocument | undefined): AccessDocument {
  if (ofPlan === undefined) return found
  const keyOf = ({ subject, level, address, company, kind }: AccessEntry): string =>
    JSON.stringify([subject, level, address, company, kind])
  // What somebody has by a way that nobody declared is not missing.
  const undeclared = new Set(found.lost.map(keyOf))
  const { gained, changed, unknown, more } = ofPlan
  return {
    ...found,
    gained: gained.filter((entry) => !undeclared.has(keyOf(entry))),
    changed,
    unknown: [...found.unknown, ...unknown.filter(({ may }) => may === 'gain')],
    more: { ...found.more, gained: more.gained, changed: more.changed },
  }
}

function asDocument({ person, level, object, company, until, reason, place }: AccessException): ExceptionDocument {
  return { person, level, object, company: company ?? null, until, reason, place }
}
