// The preconditions of a plan: what of the live state its steps, and the verdicts about it, were computed from.

import type { Change } from '../compare/change.ts'
import { isDeletion } from '../guards/guard.ts'
import { takesAway } from '../guards/judge-guards.ts'
import type { FoldSvcId } from '../model/address.ts'
import type { Declaration } from '../model/declaration.ts'
import { accountsIn } from '../model/elements.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { type Step, stepsByAddress } from '../model/step.ts'
import type { Plan } from './plan.ts'
import { type Precondition, preconditionOf } from './precondition.ts'

export interface Preconditions {
  /** Those with steps, in the order of addresses. */
  readonly objects: readonly { readonly change: Change; readonly precondition: Precondition }[]
  /** They need nothing themselves, and have to be there. */
  readonly accounts: readonly Change[]
  /** They need nothing themselves, and guards look at who is in them; see guardedBehind. */
  readonly behind: readonly Change[]
}

export function preconditionsOf(plan: Pick<Plan, 'changes' | 'steps'>, fold: FoldSvcId): Preconditions {
  const steps = stepsByAddress(plan.steps)
  const needed = accountsGiven(plan, fold)
  const objects: { change: Change; precondition: Precondition }[] = []
  const accounts: Change[] = []
  for (const change of plan.changes) {
    const own = steps.get(change.address)
    if (own !== undefined) objects.push({ change, precondition: preconditionOf(change, own, fold) })
    else if (isAccount(change) && change.live !== undefined && needed.has(fold(change.live.name))) accounts.push(change)
  }
  return { objects, accounts, behind: guardedBehind(plan.changes, { steps, accounts }, fold) }
}

/**
 * Where something is taken away: objects that lose a deleted account without a step of theirs, and declared groups that stand
 * in lists that were read, through other groups too. With them, guards see of a saved plan what they saw when it was made.
 */
function guardedBehind(
  changes: readonly Change[],
  { steps, accounts }: { readonly steps: ReadonlyMap<string, unknown>; readonly accounts: readonly Change[] },
  fold: FoldSvcId,
): readonly Change[] {
  if (!changes.some(takesAway)) return []
  const isAccountOfSteps = new Set(accounts)
  const beside = changes.filter((change) => !steps.has(change.address) && !isAccountOfSteps.has(change))
  const deleted = new Set(changes.filter(isDeletion).map(({ live }) => fold(live?.name ?? '')))
  const svcIdsIn = ({ live }: Change): string[] =>
    Object.values(live?.collections ?? {}).flatMap((elements) => accountsIn(elements).map(fold))
  const groups = new Map<string, Change>()
  for (const change of beside) {
    const { live } = change
    if (live !== undefined && Object.values(live.kind.collections).some(({ nests }) => nests)) {
      groups.set(fold(live.name), change)
    }
  }
  const result = new Set(beside.filter((change) => svcIdsIn(change).some((svcId) => deleted.has(svcId))))
  const lists = [...changes.filter((change) => change.action !== 'none'), ...result]
  const seen = new Set(lists.flatMap(svcIdsIn))
  // The set grows while it is walked through.
  for (const svcId of seen) {
    const group = groups.get(svcId)
    if (group === undefined) continue
    result.add(group)
    for (const inner of svcIdsIn(group)) seen.add(inner)
  }
  return beside.filter((change) => result.has(change))
}

function isAccount({ desired }: Change): boolean {
  return desired?.kind.provides !== undefined
}

/** Folded svcIds that get something, or that a field comes to refer to. */
function accountsGiven({ changes, steps }: Pick<Plan, 'changes' | 'steps'>, fold: FoldSvcId): ReadonlySet<string> {
  const result = new Set<string>()
  const sections = new Map(changes.map(({ address, desired }) => [address, desired?.declarations[0].section]))
  for (const step of steps) {
    if (step.verb !== 'remove') for (const svcId of accountsIn(elementsOf(step))) result.add(fold(svcId))
    const section = sections.get(step.address)
    if (section !== undefined && fieldsOf(section).holder !== undefined) result.add(fold(step.at.name ?? ''))
    const properties = section?.schema.properties ?? {}
    for (const [field, value] of Object.entries(step.spec ?? {})) {
      if (typeof value === 'string' && properties[field]?.reference !== undefined) result.add(fold(value))
    }
  }
  return result
}

function elementsOf({ elements = [], collections = {} }: Step) {
  return [...elements, ...Object.values(collections).flat()]
}

/**
 * The declarations that these objects were put together from. Before them stands what they stand in, by its name alone: what
 * else it says is about another object.
 */
export function declarationsBehind(changes: readonly Change[]): readonly Declaration[] {
  const containers = new Map<Declaration, Declaration>()
  const result: Declaration[] = []
  const containerOf = (declaration: Declaration | undefined): Declaration | undefined => {
    if (declaration === undefined) return undefined
    const known = containers.get(declaration)
    if (known !== undefined) return known
    const { kind, section, item } = declaration
    // A process may name its application beside it.
    const names = [section.identity, ...(kind.parent === undefined ? [] : [kind.parent])]
    const bare = Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]))
    const container = { ...declaration, item: bare, parent: containerOf(declaration.parent) }
    containers.set(declaration, container)
    result.push(container)
    return container
  }
  for (const { desired } of changes) {
    for (const declaration of desired?.declarations ?? []) {
      const parent = containerOf(declaration.parent)
      result.push({ ...declaration, parent })
    }
  }
  return result
}
