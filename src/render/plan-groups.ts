// A plan's changes in the order in which people review them: by kind, and within a kind what destroys first.
import type { Json } from '../core/model/json.ts'
import { isJsonObject } from '../core/model/json.ts'
import type { Element } from '../core/model/kind.ts'
import type { ChangeDocument, DifferenceDocument, PlanDocument, StepDocument } from '../core/plan/plan-document.ts'

export type ChangeAction = ChangeDocument['action']

export interface PlanGroup {
  readonly title: string
  /** The beginning that all addresses of the group share, up to and with a slash. */
  readonly prefix: string
  readonly changes: readonly ReviewedChange[]
  readonly counts: Readonly<Record<ChangeAction, number>>
}

export interface ReviewedChange extends ChangeDocument {
  /** The address without the prefix of its group. */
  readonly name: string
}

export const actions: readonly ChangeAction[] = ['delete', 'update', 'create']

/** Kinds in which something is deleted come first, the others as the plan lists them. */
export function groupChanges(plan: PlanDocument): PlanGroup[] {
  const steps = new Map<string, StepDocument[]>()
  for (const step of plan.steps) {
    const known = steps.get(step.address)
    if (known === undefined) steps.set(step.address, [step])
    else known.push(step)
  }
  const kinds = [...new Set([...Object.keys(plan.kinds), ...plan.changes.map(({ kind }) => kind)])]
  const groups = kinds.flatMap((kind) => {
    const changes = plan.changes.filter((change) => change.kind === kind)
    return changes.length === 0 ? [] : [groupOf(plan.kinds[kind] ?? kind, changes, steps)]
  })
  return [...groups.filter(({ counts }) => counts.delete > 0), ...groups.filter(({ counts }) => counts.delete === 0)]
}

function groupOf(
  title: string,
  changes: readonly ChangeDocument[],
  steps: ReadonlyMap<string, readonly StepDocument[]>,
): PlanGroup {
  const prefix = commonPrefix(changes.map(({ address }) => ({ address, end: nameStart(address, steps.get(address)) })))
  const reviewed = changes.map((change) => ({
    ...change,
    name: change.address.slice(prefix.length),
    differences: differencesOf(change, steps.get(change.address) ?? []),
  }))
  const of = (action: ChangeAction) => reviewed.filter((change) => change.action === action)
  return {
    title,
    prefix,
    changes: actions.flatMap(of),
    counts: { create: of('create').length, update: of('update').length, delete: of('delete').length },
  }
}

/** Without a group: under its whole address. */
export function reviewAlone(change: ChangeDocument): ReviewedChange {
  return { ...change, name: change.address, differences: differencesOf(change, []) }
}

/** Of a create, what there is to say beside its address. */
function differencesOf(change: ChangeDocument, steps: readonly StepDocument[]): readonly DifferenceDocument[] {
  if (change.action !== 'create') return change.differences
  const all = change.differences.length > 0 ? change.differences : sentBy(steps)
  const identity = ['svcId', 'name'].find((field) => all.some(({ path }) => path === field))
  return all.filter(({ path, after }) => path !== identity || !change.address.endsWith(`/${after}`))
}

/** A create that lists no differences is shown by everything that its steps send. */
function sentBy(steps: readonly StepDocument[]): DifferenceDocument[] {
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

/** At least the first word goes, at most everything before the name. A slash that belongs to a name is written `\/`. */
function commonPrefix(all: readonly { readonly address: string; readonly end: number }[]): string {
  const { address: first, end: last } = all[0] as { readonly address: string; readonly end: number }
  const ends = [...first.matchAll(/(?<!\\)\//g)].map(({ index }) => index + 1).filter((end) => end <= last)
  const shared = ends.filter((end) => all.every((one) => end <= one.end && one.address.startsWith(first.slice(0, end))))
  return first.slice(0, shared.at(-1) ?? 0)
}

/** Where the name begins: a svcId, which stands last, keeps its slashes as they are. */
function nameStart(address: string, steps: readonly StepDocument[] = []): number {
  const at = steps[0]?.at
  const name = isJsonObject(at) ? at.name : undefined
  return typeof name === 'string' && address.endsWith(`/${name}`) ? address.length - name.length : address.length
}
