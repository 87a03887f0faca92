// Two new objects that refer to each other cannot both come after the other: one is created without the reference, and
// gets it by a write of its own afterwards.
import { kindOf } from '../compare/change.ts'
import { accountKeys, subjectKey } from '../model/elements.ts'
import { accountsNamed } from '../model/identity.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import type { Draft } from './draft.ts'

/** Splits creates until no cycle is left among them. Returns the drafts with the follow-up writes appended. */
export function breakCycles(drafts: readonly Draft[], creators: ReadonlyMap<string, Draft>): readonly Draft[] {
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
      extra.push(...defer(first, (account) => members.has(creators.get(account) as Draft)))
    }
    pending = knots.flat()
  }
  return [...drafts, ...extra]
}

/** Takes the references that `isCyclic` names out of a create, and returns the writes that put them back. */
function defer(create: Draft, isCyclic: (account: string) => boolean): Draft[] {
  const { change } = create
  const later: Draft[] = []
  const section = change.desired?.declarations[0].section ?? kindOf(change).sections[0]
  const { spec = {} } = create
  const named = accountsNamed(section, { spec, fieldKeys: change.desired?.fieldKeys })
  const deferred = named.filter(({ key }) => isCyclic(key))
  if (deferred.length > 0) {
    const isDeferred = (name: string): boolean => deferred.some(({ field }) => field === name)
    const put = Object.fromEntries(deferred.map(({ field, svcId }) => [field, svcId]))
    create.spec = Object.fromEntries(Object.entries(spec).filter(([name]) => !isDeferred(name)))
    later.push({
      change,
      verb: 'update',
      spec: kindOf(change).updateSpec?.(put, change.desired?.spec ?? {}, create.spec) ?? put,
      needs: deferred.map(({ key }) => key),
      releases: [],
      after: [create],
      position: -1,
    })
  }
  for (const [collection, elements] of Object.entries(create.collections ?? {})) {
    const cyclic = elements.filter((element) => isCyclic(subjectKey(element)))
    if (cyclic.length === 0) continue
    create.collections = { ...create.collections, [collection]: elements.filter((each) => !cyclic.includes(each)) }
    const needs = accountKeys(cyclic)
    later.push({
      change,
      verb: 'add',
      collection,
      elements: cyclic,
      needs,
      releases: [],
      after: [later.at(-1) ?? create],
      position: -1,
    })
  }
  create.needs = create.needs.filter((account) => !isCyclic(account))
  return later
}
