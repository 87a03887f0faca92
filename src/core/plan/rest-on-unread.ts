// Skips writes that rest on unreadable objects, and everything that depends on them.
import { type Change, kindOf, noDifferences } from '../compare/change.ts'
import type { CollectionDifference } from '../compare/compare-collection.ts'
import type { Address } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import { elementKey, subjectKey, subjectKeys } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import type { Unreadable } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import type { StepDraft } from './draft-steps.ts'
import { deferReferences } from './order-steps.ts'

/** With the account that it is, which others may need. */
export function withAccount(reason: Unreadable, { kind, key }: Pick<Desired, 'kind' | 'key'>): Unreadable {
  return kind.provides === undefined ? reason : { ...reason, account: key }
}

/** Addresses by the keys of the accounts that the objects are. */
export function unreadAccounts(unreadable: readonly Unreadable[]): ReadonlyMap<string, Address> {
  return new Map(unreadable.flatMap(({ account, address }) => (account === undefined ? [] : [[account, address]])))
}

/** A new account goes without those that were not read: writes of its own put them back. */
export function deferUnread(drafts: readonly StepDraft[], isUnread: (account: string) => boolean): StepDraft[] {
  return drafts.flatMap((draft) => {
    const { change, step, needs } = draft
    const isSplit = step.verb === 'create' && kindOf(change).provides !== undefined && needs.some(isUnread)
    return isSplit ? deferReferences(draft, isUnread) : []
  })
}

/** An account that would change level keeps the old one: its removal is held with the addition. */
export function holdDependents(drafts: readonly StepDraft[], accounts: ReadonlyMap<string, Address>): void {
  const held: StepDraft[] = []
  const hold = (draft: StepDraft, address: Address): void => {
    if (draft.step.restsOn !== undefined) return
    draft.step.restsOn = address
    held.push(draft)
  }
  for (const draft of drafts) {
    const account = draft.needs.find((each) => accounts.has(each))
    if (account !== undefined) hold(draft, accounts.get(account) as Address)
  }
  if (held.length === 0) return
  const ofChange = groupBy(drafts, ({ change }) => change)
  for (const draft of held) {
    const { change, after, step } = draft
    const address = step.restsOn as Address
    const others =
      step.verb === 'add'
        ? after.filter((each) => isExchange(each, draft))
        : step.verb === 'remove'
          ? (ofChange.get(change) ?? []).filter((each) => each.after.includes(draft) && isExchange(draft, each))
          : []
    for (const each of others) hold(each, address)
  }
}

/** True if one removes from the list to which the other adds. */
function isExchange(removal: StepDraft, addition: StepDraft): boolean {
  const [from, to] = [removal.step, addition.step]
  if (from.verb !== 'remove' || to.verb !== 'add') return false
  if (from.address !== to.address || from.collection !== to.collection) return false
  const subjects = new Set(to.elements?.map(subjectKey))
  return from.elements?.some((element) => subjectKeys(element).some((key) => subjects.has(key))) === true
}

/** Ids of the steps that are not sent: those that rest on what was not read, and all that depend on them. */
export function skippedSteps(steps: readonly Pick<Step, 'id' | 'dependsOn' | 'restsOn'>[]): ReadonlySet<string> {
  const skipped = new Set<string>()
  for (const { id, dependsOn, restsOn } of steps)
    if (restsOn !== undefined || dependsOn.some((each) => skipped.has(each))) skipped.add(id)
  return skipped
}

/** The changes as far as their steps are sent: what guards, policies and access are about. */
export function executableChanges(changes: readonly Change[], steps: readonly Step[]): readonly Change[] {
  const skipped = skippedSteps(steps)
  if (skipped.size === 0) return changes
  const heldAt = groupBy(
    steps.filter(({ id }) => skipped.has(id)),
    ({ address }) => address,
  )
  return changes.flatMap((change): Change[] => {
    const held = heldAt.get(change.address)
    return held === undefined ? [change] : withoutHeld(change, held)
  })
}

function withoutHeld(change: Change, held: readonly Step[]): Change[] {
  const isHeld = (verb: Step['verb']): boolean => held.some((step) => step.verb === verb)
  if (isHeld('create')) return []
  if (isHeld('delete')) return [{ ...change, ...noDifferences, action: 'none' }]
  const keysOf = (verb: 'add' | 'remove', collection: string): ReadonlySet<string> =>
    new Set(
      held.flatMap((step) =>
        step.verb === verb && step.collection === collection ? (step.elements?.map(elementKey) ?? []) : [],
      ),
    )
  if (change.action === 'create') {
    const { desired } = change
    return [{ ...change, desired: desired && withoutElements(desired, (name) => keysOf('add', name)) }]
  }
  const updates = isHeld('update')
  const collections = change.collections.flatMap((difference): CollectionDifference[] => {
    const { collection } = difference
    if (updates && kindOf(change).collections[collection]?.whole) return []
    const [added, removed] = [keysOf('add', collection), keysOf('remove', collection)]
    const left = {
      collection,
      added: difference.added.filter(({ element }) => !added.has(elementKey(element))),
      removed: difference.removed.filter((element) => !removed.has(elementKey(element))),
    }
    return left.added.length + left.removed.length === 0 ? [] : [left]
  })
  const fields = updates ? noDifferences.fields : change.fields
  const action = fields.length + collections.length === 0 ? 'none' : change.action
  return [{ ...change, action, fields, collections }]
}

function withoutElements(desired: Desired, keysOf: (collection: string) => ReadonlySet<string>): Desired {
  const collections = Object.entries(desired.collections).map(([name, wanted]) => {
    const held = keysOf(name)
    const elements = [...wanted.elements].filter(([, { element }]) => !held.has(elementKey(element)))
    return [name, { ...wanted, elements: new Map(elements) }] as const
  })
  return { ...desired, collections: Object.fromEntries(collections) }
}
