// Compares a plan with the plans that reviewers approved: what nobody has seen, or what has changed since.
import { type AccessEntry, type AccessEvent, accessEvents, throughChain } from '../access/describe-access.ts'
import type { Verdict } from '../guards/guard.ts'
import { normaliserOf, type SvcIdCase } from '../model/address.ts'
import { append, getOrInsert, groupBy } from '../model/group-by.ts'
import type { Element } from '../model/kind.ts'
import { partsOf } from '../plan/change-digest.ts'
import { documentTexts } from '../plan/plan-digest.ts'
import type { ChangeDocument, PlanDocument } from '../plan/plan-document.ts'
import type { Discrepancy } from './plan-refusal.ts'

type ChangePart = ReturnType<typeof partsOf>[number]

export const notInApprovedPlan = 'in no approved plan'
export const supersededApproval = 'approved, but a later approved plan differs'
export const platformChangedSince = 'approved, but the platform changed since'

/** The newest plan counts for a field, entry or right: an approval that was taken back is none. */
export function checkApproved(
  plan: PlanDocument,
  approved: readonly PlanDocument[],
  svcIds: SvcIdCase,
): { readonly unseen: readonly Discrepancy[]; readonly notNeeded: number } {
  const { comparable } = documentTexts(svcIds)
  const partsIn = ({ changes, steps }: PlanDocument): { change: ChangeDocument; parts: ChangePart[] }[] => {
    const own = groupBy(steps, ({ address }) => address)
    return changes.map((change) => ({ change, parts: partsOf(change, own.get(change.address) ?? [], comparable) }))
  }
  /** By what a part does, each time that it was approved. */
  const seen = new Map<string, ApprovedPart[]>()
  const words = new Map<string, ApprovedPart[]>()
  const note = (of: PlanDocument, change: ChangeDocument, part: ChangePart): ApprovedPart => {
    const said = { plan: of, change, part, words: intendedValues(part, comparable) }
    append(seen, part.effect, said)
    for (const about of said.words.keys()) append(words, `${change.address}\n${about}`, said)
    return said
  }
  for (const each of approved)
    for (const { change, parts } of partsIn(each)) {
      // All parts tell the same about the object itself.
      const [first] = parts.map((part) => note(each, change, part))
      if (first !== undefined) append(words, `${change.address}\n`, first)
    }
  const isOvertaken = (earlier: ApprovedPart): boolean =>
    ['', ...earlier.words.keys()].some((about) =>
      words
        .get(`${earlier.change.address}\n${about}`)
        ?.some((later) => isLater(later.plan, earlier.plan) && contradicts(later, earlier, about)),
    )
  /** Undefined: it was seen, and rests on what it rested on. */
  const lapseOf = ({ effect, basis }: ChangePart): string | undefined => {
    const known = seen.get(effect)
    if (known === undefined) return notInApprovedPlan
    const valid = known.filter((each) => !isOvertaken(each))
    if (valid.length === 0) return supersededApproval
    return valid.some(({ part }) => part.basis === basis) ? undefined : platformChangedSince
  }
  const found: Discrepancy[] = []
  const needed = new Set<string>()
  for (const { change, parts } of partsIn(plan)) {
    for (const { effect } of parts) needed.add(effect)
    for (const [under, own] of groupBy(parts, lapseOf)) found.push(...discrepanciesOf(change, own, under))
  }
  const shown = new Set(plan.changes.map(({ address }) => address))
  for (const { address, verb } of plan.steps)
    if (!shown.has(address))
      found.push({ subject: address, path: '', remark: `${verb} a part of it`, under: notInApprovedPlan })
  const idle = [...seen].flatMap(([effect, [first]]) => (needed.has(effect) || !first ? [] : [first.change.address]))
  const those = (sort: string) => found.filter(({ under }) => under === sort)
  const beside = [...unseenAccess(plan, approved, svcIds), ...unseenAllowances(plan, approved)]
  const unseen = [...those(notInApprovedPlan), ...beside, ...those(supersededApproval), ...those(platformChangedSince)]
  return { unseen, notNeeded: new Set(idle).size }
}

/** If two plans have the same time, either may be the later one. */
const isLater = (later: PlanDocument, earlier: PlanDocument): boolean =>
  later !== earlier && !(Date.parse(later.createdAt) < Date.parse(earlier.createdAt))

interface ApprovedPart {
  readonly plan: PlanDocument
  readonly change: ChangeDocument
  readonly part: ChangePart
  /** By each field or entry that it is about, what is to become of it. */
  readonly words: ReadonlyMap<string, string>
}

function intendedValues(
  { isEntry, differences }: ChangePart,
  comparable: (value: object) => string,
): Map<string, string> {
  return new Map(
    differences.flatMap(({ path, after, masked, added = [], removed = [] }): [string, string][] => {
      if (!isEntry) return [[path, comparable({ after, masked })]]
      return [...added, ...removed].map(({ cause: _, before: __, settings, ...element }) => [
        comparable({ path, element }),
        comparable({ isAdded: added.length > 0, settings }),
      ])
    }),
  )
}

/** For the object itself (`about` is empty): it goes or stays, or was gone in between. */
function contradicts(later: ApprovedPart, earlier: ApprovedPart, about: string): boolean {
  if (about !== '') return later.words.get(about) !== earlier.words.get(about)
  const [now, before] = [later.change.action, earlier.change.action]
  if (before === 'delete' || now === 'delete') return before !== now
  return before === 'update' && now === 'create'
}

function discrepanciesOf(
  { address: subject, action }: ChangeDocument,
  parts: readonly ChangePart[],
  under: string | undefined,
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
      const list = getOrInsert(lists, path, () => ({ added: [], removed: [] }))
      list.added.push(...(added ?? []))
      list.removed.push(...(removed ?? []))
    } else if (rotates) result.push({ subject, path, remark: 'its credentials are sent anew', under })
    else if (masked) result.push({ subject, path, remark: `gets what ${String(after)} stands for`, under })
    else result.push({ subject, path, planned: before, found: after, under })
  }
  return [...result, ...[...lists].map(([path, list]): Discrepancy => ({ subject, path, ...list, under }))]
}

/** The same change may give somebody else something; and two changes may do together what neither does alone. */
function unseenAccess(
  { access, only, digest }: PlanDocument,
  approved: readonly PlanDocument[],
  svcIds: SvcIdCase,
): Discrepancy[] {
  if (access === undefined) return []
  const normalise = normaliserOf(svcIds)
  const keyOf = ({ subject, level, address, company, kind, unseen = '' }: AccessEntry): string =>
    JSON.stringify([subject === null ? [normalise(unseen)] : normalise(subject), level, address, company, kind])
  const seen = new Map<string, SeenAccess[]>()
  for (const each of approved)
    for (const event of each.access ? movesIn(each.access) : [])
      append(seen, keyOf(event.entry), { ...event, plan: each })
  const unseen = movesIn(access).flatMap((event): Discrepancy[] => {
    const { effect, entry } = event
    const under = accessLapse(event, seen.get(keyOf(entry)) ?? [])
    // An entry of a list shows its own direct access.
    const isTold = effect !== 'gain' || entry.via.length > 0 || only.length > 0
    return under === undefined || !isTold ? [] : [accessDiscrepancy(event, under)]
  })
  // The lists of the approved plan itself are complete.
  if (approved.some((each) => each.digest === digest)) return unseen
  const uncounted = (['gained', 'lost', 'unknown'] as const).flatMap((list): Discrepancy[] => {
    const more = access.more[list]
    return more === 0
      ? []
      : [{ subject: 'access', path: '', remark: `${more} more: ${list}`, under: notInApprovedPlan }]
  })
  return [...unseen, ...uncounted]
}

interface SeenAccess extends AccessEvent {
  readonly plan: PlanDocument
}

/** By which way somebody keeps what they have is nothing to approve. */
const movesIn = (access: NonNullable<PlanDocument['access']>): AccessEvent[] =>
  accessEvents(access).filter(({ effect }) => effect !== 'keep')

/** Undefined: it was seen, and nobody saw the opposite later. */
function accessLapse({ effect, certain }: AccessEvent, seen: readonly SeenAccess[]): string | undefined {
  // An approval of certain access covers uncertain access.
  const same = seen.filter((each) => each.effect === effect && (each.certain || !certain))
  if (same.length === 0) return notInApprovedPlan
  const opposite = seen.filter((each) => (each.effect === 'gain') !== (effect === 'gain'))
  return same.some((each) => !opposite.some((other) => isLater(other.plan, each.plan))) ? undefined : supersededApproval
}

function accessDiscrepancy({ entry, effect, certain }: AccessEvent, under: string): Discrepancy {
  const { subject, level, address, company } = entry
  const verb = certain ? `${effect}s` : `may ${effect}`
  const who = subject === null ? 'who has what there is not known' : `${subject} ${verb} ${level ?? 'a level'}`
  const through = throughChain(entry)
  const remark = [who, ...(company === null ? [] : [`for ${company}`]), ...(through === '' ? [] : [through])].join(' ')
  return { subject: address, path: '', remark, under }
}

/** An allowance must be in the reviewed plan for the same guard and value. */
function unseenAllowances({ guards }: PlanDocument, approved: readonly PlanDocument[]): Discrepancy[] {
  const keyOf = ({ guard, allow = '' }: Verdict): string => `${guard} ${allow}`
  const isBroken = ({ verdict }: Verdict): boolean => verdict !== 'passed'
  const seen = new Set(approved.flatMap((plan) => plan.guards.filter(isBroken).map(keyOf)))
  return guards
    .filter((each) => isBroken(each) && !seen.has(keyOf(each)))
    .map(({ guard, sentence }) => ({ subject: `guard ${guard}`, path: '', remark: sentence, under: notInApprovedPlan }))
}
