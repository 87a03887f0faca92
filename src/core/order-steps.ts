// Puts drafts into an order in which nothing comes before what it needs, from the references between actual objects.

import type { FoldSvcId } from './address.ts'
import { breakCycles } from './break-cycles.ts'
import type { Draft } from './draft-steps.ts'
import type { Step } from './step.ts'

/**
 * Gives every draft its id and its dependencies. Deterministic: the order of the result follows the length of the longest
 * chain before a step, then the order of `drafts`.
 */
export function orderSteps(drafts: readonly Draft[], fold: FoldSvcId): Step[] {
  const all = breakCycles(drafts, providersOf(drafts, fold), fold)
  const creators = providersOf(all, fold)
  const before = new Map<Draft, Draft[]>()
  const deletions = new Map<string, Draft>()
  for (const draft of all) {
    if (draft.verb === 'delete' && draft.kind.provides !== undefined) deletions.set(fold(nameOf(draft)), draft)
    const first = new Set(draft.after)
    for (const svcId of draft.needs) {
      const creator = creators.get(svcId)
      if (creator !== undefined && creator !== draft) first.add(creator)
    }
    before.set(draft, [...first])
  }
  if (deletions.size > 0) orderDeletions(all, deletions, before)
  return number(all, before)
}

function nameOf(draft: Draft): string {
  return draft.change.live?.name ?? draft.change.desired?.at.name ?? ''
}

function providersOf(drafts: readonly Draft[], fold: FoldSvcId): Map<string, Draft> {
  const creators = new Map<string, Draft>()
  for (const draft of drafts) {
    if (draft.verb === 'create' && draft.kind.provides !== undefined) creators.set(fold(nameOf(draft)), draft)
  }
  return creators
}

/** What lets go of an account comes before the account's deletion; two deletions that hold each other go in any order. */
function orderDeletions(
  all: readonly Draft[],
  deletions: ReadonlyMap<string, Draft>,
  before: ReadonlyMap<Draft, Draft[]>,
): void {
  const reaches = (from: Draft, to: Draft): boolean => {
    const seen = new Set([from])
    for (const draft of seen) {
      if (draft === to) return true
      for (const next of before.get(draft) ?? []) seen.add(next)
    }
    return false
  }
  for (const draft of all) {
    for (const svcId of draft.releases) {
      const deletion = deletions.get(svcId)
      if (deletion === undefined || deletion === draft) continue
      const list = before.get(deletion) as Draft[]
      if (!list.includes(draft) && !reaches(draft, deletion)) list.push(draft)
    }
  }
}

function number(all: readonly Draft[], before: ReadonlyMap<Draft, readonly Draft[]>): Step[] {
  // Level by level, without recursion: a chain of managers can be thousands long.
  const waiting = new Map<Draft, number>()
  const followers = new Map<Draft, Draft[]>()
  for (const draft of all) {
    const first = before.get(draft) ?? []
    waiting.set(draft, first.length)
    for (const other of first) {
      const list = followers.get(other)
      if (list === undefined) followers.set(other, [draft])
      else list.push(draft)
    }
  }
  const position = new Map(all.map((draft, index) => [draft, index]))
  const byLevel: Draft[][] = []
  let level = all.filter((draft) => waiting.get(draft) === 0)
  while (level.length > 0) {
    byLevel.push(level)
    const next: Draft[] = []
    for (const draft of level) {
      for (const follower of followers.get(draft) ?? []) {
        const left = (waiting.get(follower) as number) - 1
        waiting.set(follower, left)
        if (left === 0) next.push(follower)
      }
    }
    level = next.sort((a, b) => (position.get(a) as number) - (position.get(b) as number))
  }
  const ids = new Map<Draft, string>()
  const steps: Step[] = []
  for (const level of byLevel) {
    for (const draft of level) {
      const id = String(steps.length + 1)
      ids.set(draft, id)
      const dependsOn = (before.get(draft) ?? []).map((other) => ids.get(other) as string)
      steps.push(stepOf(draft, id, dependsOn))
    }
  }
  return steps
}

function stepOf(draft: Draft, id: string, dependsOn: readonly string[]): Step {
  const { change, kind, verb } = draft
  const at = { ...change.desired?.at, ...change.live?.at }
  return {
    id,
    address: change.address,
    kind: kind.name,
    verb,
    at,
    ...(draft.spec && { spec: draft.spec }),
    ...(draft.collections && { collections: draft.collections }),
    ...(draft.collection !== undefined && { collection: draft.collection }),
    ...(draft.elements && { elements: draft.elements }),
    dependsOn,
  }
}
