// The parts of the live state that the steps of a plan, and its verdicts, rest on.
import { type Change, keyOf } from '../compare/change.ts'
import { isDeletion } from '../guards/guard.ts'
import { takesAway } from '../guards/judge-guards.ts'
import type { Declaration } from '../model/declaration.ts'
import type { Desired } from '../model/desired.ts'
import { accountKeys } from '../model/elements.ts'
import { getOrInsert, groupBy } from '../model/group-by.ts'
import { accountsNamed } from '../model/identity.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Plan } from './plan.ts'
import type { PlanFacts } from './plan-digest.ts'
import { type Precondition, preconditionOf } from './precondition.ts'

export interface Preconditions extends PlanFacts {
  /** The objects that have steps, in the order of addresses. */
  readonly objects: readonly { readonly address: string; readonly basis: Precondition }[]
}

export function preconditionsOf(
  plan: Pick<Plan, 'changes' | 'steps'>,
): Pick<Preconditions, 'objects' | 'accounts' | 'behind'> {
  const steps = groupBy(plan.steps, ({ address }) => address)
  const needed = accountsGiven(plan)
  const objects: { address: string; basis: Precondition }[] = []
  const accounts: Change[] = []
  for (const change of plan.changes) {
    const { address } = change
    const own = steps.get(address)
    if (own !== undefined) objects.push({ address, basis: preconditionOf(change, own) })
    else if (isAccount(change) && change.live !== undefined && needed.has(change.live.key)) accounts.push(change)
  }
  const behind = guardedBehind(plan.changes, { steps, accounts })
  return { objects, accounts: accounts.map(addressOf), behind: behind.map(addressOf) }
}

const addressOf = ({ address }: Change): string => address

/** Objects that lose a deleted account without a step, and groups in lists that were read: guards see them again. */
function guardedBehind(
  changes: readonly Change[],
  { steps, accounts }: { readonly steps: ReadonlyMap<string, unknown>; readonly accounts: readonly Change[] },
): readonly Change[] {
  if (!changes.some(takesAway)) return []
  const isAccountOfSteps = new Set(accounts)
  const beside = changes.filter((change) => !steps.has(change.address) && !isAccountOfSteps.has(change))
  const deleted = new Set(changes.filter(isDeletion).map(keyOf))
  const listedIn = ({ live }: Change): string[] => Object.values(live?.collections ?? {}).flatMap(accountKeys)
  const groups = new Map<string, Change>()
  for (const change of beside) {
    const { live } = change
    if (live !== undefined && Object.values(live.kind.collections).some(({ nests }) => nests)) {
      groups.set(live.key, change)
    }
  }
  const result = new Set(beside.filter((change) => listedIn(change).some((account) => deleted.has(account))))
  const lists = [...changes.filter((change) => change.action !== 'none'), ...result]
  const seen = new Set(lists.flatMap(listedIn))
  for (const account of seen) {
    const group = groups.get(account)
    if (group === undefined) continue
    result.add(group)
    for (const inner of listedIn(group)) seen.add(inner)
  }
  return beside.filter((change) => result.has(change))
}

function isAccount({ desired }: Change): boolean {
  return desired?.kind.provides !== undefined
}

function accountsGiven({ changes, steps }: Pick<Plan, 'changes' | 'steps'>): ReadonlySet<string> {
  const result = new Set<string>()
  const changeAt = new Map(changes.map((change) => [change.address, change]))
  for (const step of steps) {
    const { verb, elements = [], collections = {}, spec = {}, fieldKeys } = step
    const given = verb === 'remove' ? [] : [...elements, ...Object.values(collections).flat()]
    for (const account of accountKeys(given)) result.add(account)
    const { desired } = changeAt.get(step.address) ?? {}
    if (desired === undefined) continue
    const { section } = desired.declarations[0]
    if (fieldsOf(section).holder !== undefined) result.add(desired.key)
    for (const { key } of accountsNamed(section, { spec, fieldKeys })) result.add(key)
  }
  return result
}

/** Before them stands what they stand in, by its name alone. */
export function declarationsBehind(desired: readonly Desired[]): readonly Declaration[] {
  const containers = new Map<Declaration, Declaration>()
  const result: Declaration[] = []
  const bare = (declaration: Declaration): Declaration => {
    const { kind, section, item } = declaration
    // A process may name its application beside it.
    const names = [section.identity, ...(kind.parent === undefined ? [] : [kind.parent])]
    const said = Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]))
    const container = { ...declaration, item: said, parent: containerOf(declaration) }
    result.push(container)
    return container
  }
  const containerOf = ({ parent }: Declaration) => parent && getOrInsert(containers, parent, bare)
  for (const { declarations } of desired) {
    for (const declaration of declarations) {
      const parent = containerOf(declaration)
      result.push({ ...declaration, parent })
    }
  }
  return result
}
