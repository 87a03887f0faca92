// What of a plan's changes was done: the steps that were carried out, told as the plan tells its changes.

import type { Element } from '../model/kind.ts'
import type { ChangeDocument, DifferenceDocument, StepDocument } from './plan-document.ts'

/** What a step sends, in a plan and in its document alike. */
type SentStep = Pick<StepDocument, 'address' | 'verb' | 'collections' | 'collection' | 'elements'> & {
  readonly spec?: unknown
}

/** `all`: the steps of the plan. `isDone`: whether one was carried out. A change of which nothing was is not in the result. */
export function changedBy<Sent extends SentStep>(
  changes: readonly ChangeDocument[],
  all: readonly Sent[],
  isDone: (step: Sent) => boolean,
): ChangeDocument[] {
  const stepsOf = new Map<string, { readonly done: Sent[]; total: number }>()
  for (const step of all) {
    const known = stepsOf.get(step.address) ?? { done: [], total: 0 }
    known.total++
    if (isDone(step)) known.done.push(step)
    stepsOf.set(step.address, known)
  }
  return changes.flatMap((change) => {
    const { done = [], total = 0 } = stepsOf.get(change.address) ?? {}
    if (done.length === 0) return []
    if (done.length === total) return [change]
    return [{ ...change, differences: change.differences.flatMap((difference) => partOf(difference, done)) }]
  })
}

function partOf(difference: DifferenceDocument, done: readonly SentStep[]): DifferenceDocument[] {
  const { path, added, removed } = difference
  if (added === undefined && removed === undefined) {
    const [field] = path.split('.') as [string]
    return done.some(({ spec }) => typeof spec === 'object' && spec !== null && Object.hasOwn(spec, field))
      ? [difference]
      : []
  }
  const sent = (verb: 'add' | 'remove') =>
    new Set(
      done
        .flatMap((step) => [
          ...(verb === 'add' ? (step.collections?.[path] ?? []) : []),
          ...(step.verb === verb && step.collection === path ? (step.elements ?? []) : []),
        ])
        .map(keyOf),
    )
  const [came, went] = [sent('add'), sent('remove')]
  const { throughSets, notInSets, outsideTime, ...plain } = difference
  const left = {
    added: (added ?? []).filter((element) => came.has(keyOf(element))),
    removed: (removed ?? []).filter((element) => went.has(keyOf(element))),
  }
  if (left.added.length + left.removed.length === 0) return []
  return [
    {
      ...plain,
      ...left,
      ...(throughSets && { throughSets: throughSets.filter((entry) => came.has(keyOf(entry))) }),
      ...(notInSets && left.removed.length > 0 && { notInSets }),
      ...(outsideTime && { outsideTime: outsideTime.filter((entry) => went.has(keyOf(entry))) }),
    },
  ]
}

function keyOf({ svcId, level, company }: Element): string {
  return JSON.stringify([svcId, level, company?.guid])
}
