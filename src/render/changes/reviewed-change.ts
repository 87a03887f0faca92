// A plan's changes as people review them: without digests, and with what the steps of a create send.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type {
  ChangeDocument,
  DifferenceDocument,
  PlanDocument,
  StepDocument,
} from '@svcsync/core/plan/plan-document.ts'

export type ReviewedChange = Omit<ChangeDocument, 'digest'>

export function reviewChanges({ changes, steps }: Pick<PlanDocument, 'changes' | 'steps'>): ReviewedChange[] {
  const own = groupBy(steps, ({ address }) => address)
  return changes.map((change) => review(change, own.get(change.address)))
}

/** The digest, which is made when somebody asks for it, is nothing to show: copying it would ask for thousands. */
export function review(change: ChangeDocument, steps: readonly StepDocument[] = []): ReviewedChange {
  const { address, kind, action, prunedBy, ended, cause, place } = change
  return {
    ...{ address, kind, action, differences: differencesOf(change, steps) },
    ...(prunedBy !== undefined && { prunedBy }),
    ...(ended !== undefined && { ended }),
    ...(cause !== undefined && { cause }),
    ...(place !== undefined && { place }),
  }
}

function differencesOf(change: ChangeDocument, steps: readonly StepDocument[]): readonly DifferenceDocument[] {
  if (change.action !== 'create') return change.differences
  const all = change.differences.length > 0 ? change.differences : sentValues(steps)
  const identity = ['svcId', 'name'].find((field) => all.some(({ path }) => path === field))
  return all.filter(({ path, after }) => path !== identity || !change.address.endsWith(`/${after}`))
}

/** A create that lists no differences is shown by everything that its steps send. */
function sentValues(steps: readonly StepDocument[]): DifferenceDocument[] {
  const fields = new Map<string, Json>()
  const collections = new Map<string, Element[]>()
  const collect = (name: string, elements: readonly Element[]): void => {
    collections.set(name, [...(collections.get(name) ?? []), ...elements])
  }
  for (const step of steps) {
    if (isJsonObject(step.spec)) {
      for (const [path, after] of Object.entries(step.spec)) if (after !== undefined) fields.set(path, after)
    }
    for (const [name, elements] of Object.entries(step.collections ?? {})) collect(name, elements)
    if (step.verb === 'add' && step.collection !== undefined) collect(step.collection, step.elements ?? [])
  }
  return [
    ...[...fields].map(([path, after]) => ({ path, after })),
    ...[...collections].map(([path, added]) => ({ path, added })),
  ]
}
