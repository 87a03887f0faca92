// Two new objects that refer to each other cannot both come after the other: one is created without the reference, and
// gets it by a write of its own afterwards.

import type { FoldSvcId } from '../model/address.ts'
import { accountsIn } from '../model/elements.ts'
import type { Json } from '../model/json.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import type { Draft } from './draft.ts'

/** Splits creates until no cycle is left among them. Returns the drafts with the follow-up writes appended. */
export function breakCycles(
  drafts: readonly Draft[],
  creators: ReadonlyMap<string, Draft>,
  fold: FoldSvcId,
): readonly Draft[] {
  const creates = drafts.filter((draft) => draft.verb === 'create' && draft.needs.some((svcId) => creators.has(svcId)))
  if (creates.length === 0) return drafts
  const extra: Draft[] = []
  let pending: readonly Draft[] = creates
  while (pending.length > 0) {
    const next = (draft: Draft): readonly Draft[] =>
      draft.needs.map((svcId) => creators.get(svcId)).filter((other): other is Draft => other !== undefined)
    const knots = stronglyConnected(pending, next).filter(
      (component) => component.length > 1 || next(component[0] as Draft).includes(component[0] as Draft),
    )
    // The first of each knot, in the order of addresses, gives way; what is left of the knot is looked at again.
    for (const knot of knots) {
      const members = new Set(knot)
      const first = knot.reduce((a, b) => (a.change.address <= b.change.address ? a : b))
      extra.push(...defer(first, (svcId) => members.has(creators.get(fold(svcId)) as Draft), fold))
    }
    pending = knots.flat()
  }
  return [...drafts, ...extra]
}

/** Takes the references that `isCyclic` names out of a create, and returns the writes that put them back. */
function defer(create: Draft, isCyclic: (svcId: string) => boolean, fold: FoldSvcId): Draft[] {
  const { change, kind } = create
  const later: Draft[] = []
  const { properties } = (change.desired?.declarations[0].section ?? kind.sections[0]).schema
  const kept: Record<string, Json | undefined> = {}
  const deferred: Record<string, Json | undefined> = {}
  for (const [field, value] of Object.entries(create.spec ?? {})) {
    const cyclic = properties[field]?.reference !== undefined && typeof value === 'string' && isCyclic(value)
    if (cyclic) deferred[field] = value
    else kept[field] = value
  }
  const deferredFields = Object.values(deferred).filter((value): value is string => typeof value === 'string')
  if (deferredFields.length > 0) {
    create.spec = kept
    later.push({
      change,
      kind,
      verb: 'update',
      spec: kind.updateSpec?.(deferred, change.desired?.spec ?? {}, kept) ?? deferred,
      needs: deferredFields.map(fold),
      releases: [],
      after: [create],
      position: -1,
    })
  }
  for (const [collection, elements] of Object.entries(create.collections ?? {})) {
    const cyclic = elements.filter(({ svcId }) => svcId !== undefined && isCyclic(svcId))
    if (cyclic.length === 0) continue
    create.collections = { ...create.collections, [collection]: elements.filter((each) => !cyclic.includes(each)) }
    const needs = accountsIn(cyclic).map(fold)
    later.push({
      change,
      kind,
      verb: 'add',
      collection,
      elements: cyclic,
      needs,
      releases: [],
      after: [later.at(-1) ?? create],
      position: -1,
    })
  }
  create.needs = create.needs.filter((svcId) => !isCyclic(svcId))
  return later
}
