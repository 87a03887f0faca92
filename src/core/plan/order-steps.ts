// Orders steps so that each comes after those it needs. If two objects need each other, one gets its reference later.
import { keyOf, kindOf } from '../compare/change.ts'
import { freeOf, itemMovements, type Stock } from '../compare/stock.ts'
import { accountKeys, subjectKey } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import { accountsNamed } from '../model/identity.ts'
import type { Step } from '../model/step.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import { draftOf, type StepDraft } from './draft-steps.ts'

/** Deterministic: by the longest chain before a step, then by the order of `drafts`. */
export function orderSteps(drafts: readonly StepDraft[]): Step[] {
  // Breaking a cycle adds only updates, so that the creators stay the same.
  const creators = providersOf(drafts)
  const all = breakCycles(drafts, creators)
  // By position, as everything here: maps of so many objects would take most of the time of a large plan.
  const before: EarlierDrafts = new Array(all.length)
  const deletions = new Map<string, StepDraft>()
  for (const [position, draft] of all.entries()) {
    draft.position = position
    if (draft.step.verb === 'delete' && kindOf(draft.change).provides !== undefined)
      deletions.set(keyOf(draft.change), draft)
    if (draft.after.length === 0 && draft.needs.length === 0 && draft.follows === undefined) continue
    const first = new Set(draft.after)
    if (draft.follows !== undefined) first.add(draft.follows)
    for (const account of draft.needs) {
      const creator = creators.get(account)
      if (creator !== undefined) first.add(creator)
    }
    if (first.size > 0) before[position] = [...first]
  }
  if (deletions.size > 0) orderDeletions(all, deletions, before)
  return number(all, before)
}

type EarlierDrafts = (StepDraft[] | undefined)[]

function providersOf(drafts: readonly StepDraft[]): Map<string, StepDraft> {
  const creators = new Map<string, StepDraft>()
  for (const draft of drafts) {
    const { step, change } = draft
    if (step.verb === 'create' && kindOf(change).provides !== undefined) creators.set(keyOf(change), draft)
  }
  return creators
}

/** Steps that release an account come before its deletion; two deletions that hold each other may have any order. */
function orderDeletions(
  all: readonly StepDraft[],
  deletions: ReadonlyMap<string, StepDraft>,
  before: EarlierDrafts,
): void {
  const reaches = (from: StepDraft, to: StepDraft): boolean => {
    const seen = new Set([from])
    for (const draft of seen) {
      if (draft === to) return true
      for (const next of before[draft.position] ?? []) seen.add(next)
    }
    return false
  }
  for (const draft of all) {
    for (const account of draft.releases) {
      const deletion = deletions.get(account)
      if (deletion === undefined || deletion === draft) continue
      const list = before[deletion.position] ?? []
      if (list.includes(draft) || reaches(draft, deletion)) continue
      list.push(draft)
      before[deletion.position] = list
    }
  }
}

function number(all: readonly StepDraft[], before: Readonly<EarlierDrafts>): Step[] {
  // Level by level, without recursion: a chain of managers can be thousands long.
  const waitingFor = new Int32Array(all.length)
  const followers: EarlierDrafts = new Array(all.length)
  let level: StepDraft[] = []
  for (const draft of all) {
    const first = before[draft.position]
    if (first === undefined) {
      level.push(draft)
      continue
    }
    waitingFor[draft.position] = first.length
    for (const { position } of first) {
      const list = followers[position]
      if (list === undefined) followers[position] = [draft]
      else list.push(draft)
    }
  }
  const steps: Step[] = []
  while (level.length > 0) {
    for (const draft of level) steps.push(numbered(draft, steps.length + 1, before))
    const next = level
      .flatMap(({ position }) => followers[position] ?? [])
      .filter(({ position }) => {
        const left = (waitingFor[position] as number) - 1
        waitingFor[position] = left
        return left === 0
      })
    level = next.sort((a, b) => a.position - b.position)
  }
  return steps
}

function numbered({ step, follows, position }: StepDraft, id: number, before: Readonly<EarlierDrafts>): Step {
  step.id = String(id)
  const first = before[position]
  if (first !== undefined) step.dependsOn = first.filter((other) => other !== follows).map((other) => other.step.id)
  if (follows !== undefined) step.follows = [follows.step.id]
  return step
}

/** Splits creates until no cycle is left among them. Returns the drafts with the follow-up writes appended. */
function breakCycles(drafts: readonly StepDraft[], creators: ReadonlyMap<string, StepDraft>): readonly StepDraft[] {
  const creates = drafts.filter(
    ({ step, needs }) => step.verb === 'create' && needs.some((account) => creators.has(account)),
  )
  if (creates.length === 0) return drafts
  const extra: StepDraft[] = []
  let pending: readonly StepDraft[] = creates
  while (pending.length > 0) {
    const next = (draft: StepDraft): readonly StepDraft[] =>
      draft.needs.map((svcId) => creators.get(svcId)).filter((other): other is StepDraft => other !== undefined)
    const knots = stronglyConnected(pending, next).filter(
      (component) => component.length > 1 || next(component[0] as StepDraft).includes(component[0] as StepDraft),
    )
    // Drops an edge at the first object of each knot, in the order of addresses, and checks the rest again.
    for (const knot of knots) {
      const members = new Set(knot)
      const first = knot.reduce((a, b) => (a.change.address <= b.change.address ? a : b))
      extra.push(...deferReferences(first, (account) => members.has(creators.get(account) as StepDraft)))
    }
    pending = knots.flat()
  }
  return [...drafts, ...extra]
}

/** Takes the references that `isLater` names out of a create, and returns the writes that put them back. */
export function deferReferences(create: StepDraft, isLater: (account: string) => boolean): StepDraft[] {
  const { change } = create
  const later: StepDraft[] = []
  const section = change.desired?.declarations[0].section ?? kindOf(change).sections[0]
  const { step } = create
  const { spec = {}, collections = {} } = step
  const named = accountsNamed(section, { spec, fieldKeys: change.desired?.fieldKeys })
  const deferred = named.filter(({ key }) => isLater(key))
  if (deferred.length > 0) {
    const isDeferred = (name: string): boolean => deferred.some(({ field }) => field === name)
    const put = Object.fromEntries(deferred.map(({ field, svcId }) => [field, svcId]))
    step.spec = Object.fromEntries(Object.entries(spec).filter(([name]) => !isDeferred(name)))
    const sent = kindOf(change).updateSpec?.(put, change.desired?.spec ?? {}, step.spec) ?? put
    const needs = deferred.map(({ key }) => key)
    later.push(draftOf(change, 'update', { spec: sent }, { needs, after: [create] }))
  }
  for (const [collection, all] of Object.entries(collections)) {
    const elements = all.filter((element) => isLater(subjectKey(element)))
    if (elements.length === 0) continue
    step.collections = { ...step.collections, [collection]: all.filter((each) => !elements.includes(each)) }
    const edges = { needs: accountKeys(elements), after: [later.at(-1) ?? create] }
    later.push(draftOf(change, 'add', { collection, elements }, edges))
  }
  create.needs = create.needs.filter((account) => !isLater(account))
  return later
}

/** Each beyond the free ones waits for one removal, and no two for the same: there is always one to give. */
export function orderByStock(drafts: readonly StepDraft[], stocks: readonly Stock[]): void {
  const touched = new Set<StepDraft>()
  for (const stock of stocks) {
    for (const [gift, removals] of waitsFor(drafts, stock)) {
      const known = new Set(gift.after)
      const fresh = [...new Set(removals)].filter((removal) => !known.has(removal))
      gift.after.push(...fresh)
      if (fresh.length > 0) for (const each of [gift, ...fresh]) touched.add(each)
    }
  }
  if (touched.size > 0) breakTies(drafts)
}

function waitsFor(
  drafts: readonly StepDraft[],
  stock: Stock,
): readonly (readonly [gift: StepDraft, removals: readonly StepDraft[]])[] {
  const writes = drafts.filter(
    ({ change, step }) => kindOf(change) === stock.kind && step.collection === stock.collection,
  )
  const writesOf = (verb: 'add' | 'remove', item: string): ReadonlyMap<object, readonly StepDraft[]> =>
    groupBy(
      writes.filter(({ step }) => step.verb === verb && step.elements?.some((element) => element.item === item)),
      ({ change }) => change,
    )
  const deletions = new Map(
    drafts.filter(({ step }) => step.verb === 'delete').map((draft) => [keyOf(draft.change), draft]),
  )
  const movements = itemMovements([...new Set(writes.map(({ change }) => change))], stock)
  return [...movements].flatMap(([item, { given, freed }]) => {
    const supply = stock.supplies.get(item)
    if (supply === undefined) return []
    const [giving, freeing] = [writesOf('add', item), writesOf('remove', item)]
    // All writes of an object that free it: of many processes, each batch.
    const back = [
      ...freed.map((change) => freeing.get(change) ?? []),
      ...(stock.deletedHolders.get(item) ?? []).map((key) => [deletions.get(key)].flatMap((each) => each ?? [])),
    ]
    const owed = back.splice(0, Math.max(0, supply.assigned - supply.total)).flat()
    return given
      .slice(freeOf(supply))
      .flatMap((change, index) =>
        (giving.get(change) ?? []).map((gift) => [gift, [...owed, ...(back[index] ?? [])]] as const),
      )
  })
}

/** An object has what is new before it gives anything away; of each circle, one has to give first. */
function breakTies(drafts: readonly StepDraft[]): void {
  let pending = drafts
  while (pending.length > 0) {
    const knots = stronglyConnected(pending, ({ after }) => after).filter(({ length }) => length > 1)
    for (const knot of knots) {
      const inside = new Set(knot)
      const giver = knot
        .filter(
          ({ step, change, after }) =>
            step.verb === 'remove' && after.some((each) => inside.has(each) && each.change === change),
        )
        .reduce((a, b) => (a.change.address <= b.change.address ? a : b))
      const kept = giver.after.filter((each) => !inside.has(each) || each.change !== giver.change)
      giver.after.splice(0, giver.after.length, ...kept)
    }
    pending = knots.flat()
  }
}
