// Holds a plan against the plans that were approved: what of it nobody has seen, and what rests on something else by now. Pure.
import { type AccessEntry, sayWay, throughSaid } from '../access/describe-access.ts'
import { normaliserOf, type SvcIdCase } from '../model/address.ts'
import { append, groupBy } from '../model/group-by.ts'
import type { Element } from '../model/kind.ts'
import { type ChangePart, partsOf } from '../plan/change-digest.ts'
import { documentTexts } from '../plan/plan-digest.ts'
import type { ChangeDocument, PlanDocument } from '../plan/plan-document.ts'
import type { Discrepancy } from './plan-refusal.ts'

interface Approval {
  /** None: all of the plan was seen, and rests on what it rested on. */
  readonly unseen: readonly Discrepancy[]
  /** Objects whose approved change is not there any more, in whole or in part. */
  readonly notNeeded: number
}

export const neverSeen = 'nobody has seen'
export const movedSince = 'approved, but the platform changed since'

/** Of everything that somebody approves, the union: it does not matter in which of the plans a part of it stands. */
export function checkApproved(plan: PlanDocument, approved: readonly PlanDocument[], svcIds: SvcIdCase): Approval {
  const { comparable } = documentTexts(svcIds)
  const partsIn = ({ changes, steps }: PlanDocument): { change: ChangeDocument; parts: ChangePart[] }[] => {
    const own = groupBy(steps, ({ address }) => address)
    return changes.map((change) => ({ change, parts: partsOf(change, own.get(change.address) ?? [], comparable) }))
  }
  /** By what a part does, all that it was approved to rest on. */
  const seen = new Map<string, string[]>()
  const addresses = new Map<string, string>()
  for (const { change, parts } of approved.flatMap(partsIn)) {
    for (const { effect, basis } of parts) {
      append(seen, effect, basis)
      addresses.set(effect, change.address)
    }
  }
  const unseen: Discrepancy[] = []
  const moved: Discrepancy[] = []
  const needed = new Set<string>()
  for (const { change, parts } of partsIn(plan)) {
    for (const { effect } of parts) needed.add(effect)
    const isNew = ({ effect }: ChangePart): boolean => !seen.has(effect)
    const hasMoved = ({ effect, basis }: ChangePart): boolean => seen.get(effect)?.includes(basis) === false
    unseen.push(...told(change, parts.filter(isNew), neverSeen))
    moved.push(...told(change, parts.filter(hasMoved), movedSince))
  }
  const shown = new Set(plan.changes.map(({ address }) => address))
  // A plan has none; a file may.
  for (const { address, verb } of plan.steps)
    if (!shown.has(address))
      unseen.push({ subject: address, path: '', remark: `${verb} a part of it`, under: neverSeen })
  const idle = [...addresses].filter(([effect]) => !needed.has(effect)).map(([, address]) => address)
  return {
    unseen: [...unseen, ...unseenAccess(plan, approved, svcIds), ...unseenAllowances(plan, approved), ...moved],
    notNeeded: new Set(idle).size,
  }
}

function told(
  { address: subject, action }: ChangeDocument,
  parts: readonly ChangePart[],
  under: string,
): Discrepancy[] {
  const whole = parts.find(({ isEntry }) => !isEntry)
  const remark = action === 'update' ? undefined : `is ${action}d`
  const lists = new Map<string, { readonly added: Element[]; readonly removed: Element[] }>()
  const result: Discrepancy[] = whole && remark ? [{ subject, path: '', remark, under }] : []
  const sent = whole?.sentWith ?? []
  if (sent.length > 0)
    result.push({ subject, path: '', remark: `is sent with what ${sent.join(', ')} stands for`, under })
  for (const { path, before, after, masked, rotates, added, removed } of parts.flatMap((part) => part.differences)) {
    if (added !== undefined || removed !== undefined) {
      const list = lists.get(path) ?? { added: [], removed: [] }
      lists.set(path, list)
      list.added.push(...(added ?? []))
      list.removed.push(...(removed ?? []))
    } else if (rotates) result.push({ subject, path, remark: 'its credentials are sent anew', under })
    else if (masked) result.push({ subject, path, remark: `gets what ${String(after)} stands for`, under })
    else result.push({ subject, path, planned: before, found: after, under })
  }
  return [...result, ...[...lists].map(([path, list]): Discrepancy => ({ subject, path, ...list, under }))]
}

/**
 * The same change may give somebody else something, when others are in its groups by now; and two changes may do together what
 * neither does alone. What an entry of a list gives directly is the entry itself; but where `--only` leaves groups out, an account
 * may be one, and who is in it is not known.
 */
function unseenAccess(
  { access, only, digest }: PlanDocument,
  approved: readonly PlanDocument[],
  svcIds: SvcIdCase,
): Discrepancy[] {
  if (access === undefined) return []
  const normalise = normaliserOf(svcIds)
  const verbOf = (event: Event, { may = 'lose', subject }: AccessEntry): string =>
    event !== 'unknown' ? verbs[event] : subject === null ? verbs.unknown : `may ${may}`
  const keyOf = (verb: string, { subject, level, address, company, kind }: AccessEntry): string =>
    JSON.stringify([verb, subject === null ? null : normalise(subject), level, address, company, kind])
  const seen = new Set(
    approved.flatMap((each) =>
      events.flatMap((event) =>
        (each.access?.[event] ?? []).flatMap((entry) => {
          const verb = verbOf(event, entry)
          // Who has seen that it is so has seen that it may be.
          return [verb, ...(event === 'unknown' ? [] : [`may ${verb.slice(0, -1)}`])].map((said) => keyOf(said, entry))
        }),
      ),
    ),
  )
  const isTold = ({ via, subject }: AccessEntry, verb: string): boolean =>
    verb.endsWith('lose') || verb.endsWith('loses') || via.length > 0 || subject === null || only.length > 0
  return events.flatMap((event) => [
    ...access[event].flatMap((entry): Discrepancy[] => {
      const verb = verbOf(event, entry)
      if (seen.has(keyOf(verb, entry)) || !isTold(entry, verb)) return []
      const { subject, level, address, company, via } = entry
      const who = subject === null ? verb : `${subject} ${verb} ${level ?? 'a level'}`
      const where = company === null ? '' : ` for ${company}`
      const through = throughSaid(sayWay(via, entry.substitutions), entry.substitutions)
      const how = through === '' ? '' : ` ${through}`
      return [{ subject: address, path: '', remark: `${who}${where}${how}`, under: neverSeen }]
    }),
    // Of the very plan that was approved the lists are as long.
    ...(access.more[event] === 0 || approved.some((each) => each.digest === digest)
      ? []
      : [{ subject: 'access', path: '', remark: `${access.more[event]} more: ${event}`, under: neverSeen }]),
  ])
}

const events = ['gained', 'lost', 'unknown'] as const
type Event = (typeof events)[number]
const verbs = { gained: 'gains', lost: 'loses', unknown: 'who has what there is not known' }

/** What a guard is made to let pass has to stand as such in what was reviewed, by the same allowance. */
function unseenAllowances({ guards }: PlanDocument, approved: readonly PlanDocument[]): Discrepancy[] {
  const found = (plans: readonly Pick<PlanDocument, 'guards'>[]) =>
    plans.flatMap((plan) => plan.guards.filter(({ verdict }) => verdict !== 'passed'))
  const seen = new Set(found(approved).map(({ guard, allow }) => `${guard} ${allow ?? ''}`))
  return found([{ guards }])
    .filter(({ guard, allow }) => !seen.has(`${guard} ${allow ?? ''}`))
    .map(({ guard, sentence }) => ({ subject: `guard ${guard}`, path: '', remark: sentence, under: neverSeen }))
}
