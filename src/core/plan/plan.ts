// A plan: what is to change, the writes that it takes, and what could not be known. Everything it was computed from hangs
// on it in memory; the document that is shown and saved is made from it (plan-document.ts).
import { failureCodes, type Problem } from '../../errors/index.ts'
import { type Change, changeOf } from '../compare/change.ts'
import { checkChange } from '../compare/check-changes.ts'
import { untoldCollections } from '../compare/compare-collection.ts'
import { withRotations } from '../compare/rotations.ts'
import type { Verdict } from '../guards/guard.ts'
import { byAddress } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { LiveSnapshot, Unreadable } from '../model/live.ts'
import type { Step } from '../model/step.ts'
import type { Draft } from './draft.ts'
import { draftSteps } from './draft-steps.ts'
import { orderSteps } from './order-steps.ts'
import type { Unmanaged } from './plan-document.ts'
import { type Kept, lettingGo, type PruneFindings, pruningChange } from './prune.ts'

export interface Plan {
  /** Sorted by address; those that need nothing included. */
  readonly changes: readonly Change[]
  /** In an order in which nothing comes before what it depends on. */
  readonly steps: readonly Step[]
  /** Declared objects that could not be read: nothing is planned for them. */
  readonly unreadable: readonly Unreadable[]
  /** Findings that could only be made with the live state at hand. */
  readonly problems: readonly Problem[]
  /** Where the project prunes: what matches a pattern and is kept all the same. */
  readonly prune?: { readonly kept: readonly Kept[] }
  /** What the guards say. A plan that one of them refuses is not applied. */
  readonly guards: readonly Verdict[]
  /** See the document. */
  readonly needs?: readonly string[]
  /** null: nothing was counted. */
  readonly unmanaged?: Unmanaged | null
}

/** Compares desired and live state, and orders the writes. Pure, and deterministic for equal input. No guard was asked yet. */
export function makePlan(desired: readonly Desired[], live: LiveSnapshot, prune?: PruneFindings): Omit<Plan, 'guards'> {
  const changes: Change[] = []
  const unreadable: Unreadable[] = []
  const problems: Problem[] = []
  const orphans = prune?.orphans ?? []
  const peers = new Map<Kind, readonly JsonObject[]>()
  const peersOf = (kind: Kind): readonly JsonObject[] => {
    const known =
      peers.get(kind) ?? [...live.objects.values()].flatMap((each) => (each.kind === kind ? [each.spec] : []))
    peers.set(kind, known)
    return known
  }
  const leaving = new Set(orphans.map(({ live }) => live.key))
  for (const object of desired) {
    const reason = live.unreadable.get(object.address)
    if (reason !== undefined) {
      unreadable.push(reason)
      continue
    }
    const found = live.objects.get(object.address)
    const untold = found === undefined ? [] : untoldCollections(object, found.collections)
    if (untold.length > 0) {
      unreadable.push(levelsNotTold(object, untold))
      continue
    }
    const compared = withRotations(changeOf(object, found))
    const change = leaving.size === 0 ? compared : lettingGo(compared, leaving)
    for (const problem of checkChange(change, peersOf)) problems.push(problem)
    changes.push(change)
  }
  if (prune !== undefined) {
    for (const orphan of orphans) changes.push(pruningChange(orphan))
    changes.sort(byAddress)
    unreadable.push(...prune.unreadable)
  }
  const drafts: Draft[] = []
  for (const change of changes) for (const draft of draftSteps(change)) drafts.push(draft)
  const plan = { changes, steps: orderSteps(drafts), unreadable, problems }
  return prune === undefined ? plan : { ...plan, prune: { kept: prune.kept } }
}

function levelsNotTold({ address }: Desired, collections: readonly string[]): Unreadable {
  return {
    address,
    code: failureCodes.levelsNotTold,
    reason: `The platform tells no levels of ${collections.join(' and ')}: who has one too many is not known, so that nobody can be taken out`,
    hint: 'Write `manage: { privileges: additive }`: then what is declared is added, without a comparison of levels.',
  }
}
