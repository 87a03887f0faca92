// What steps have to do with each other's objects, beyond their order.
import type { FoldSvcId } from '../core/model/address.ts'
import type { Kind } from '../core/model/kind.ts'
import type { Step } from '../core/model/step.ts'

/** Addresses with a step that a step on another object depends on. */
export function addressesOthersWaitFor(steps: readonly Step[]): ReadonlySet<string> {
  const addressOf = new Map(steps.map(({ id, address }) => [id, address]))
  const result = new Set<string>()
  for (const { address, dependsOn } of steps) {
    for (const id of dependsOn) {
      const other = addressOf.get(id)
      if (other !== undefined && other !== address) result.add(other)
    }
  }
  return result
}

/** Whether the step makes its object refer to itself: somebody who is their own manager. */
export function refersToItself({ spec, at }: Step, { sections: [section] }: Kind, fold: FoldSvcId): boolean {
  if (spec === undefined || at.name === undefined) return false
  const name = fold(at.name)
  return Object.entries(spec).some(
    ([field, value]) =>
      typeof value === 'string' && section.schema.properties[field]?.reference !== undefined && fold(value) === name,
  )
}
