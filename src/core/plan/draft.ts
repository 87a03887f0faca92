import { type Change, kindOf } from '../compare/change.ts'
import { joinedKeys } from '../model/identity.ts'
import type { Step } from '../model/step.ts'

/** A step without an id, with its edges still in terms of accounts and of other drafts. */
export interface Draft {
  readonly change: Change
  readonly step: { -readonly [Key in keyof Step]: Step[Key] }
  /** Keys of accounts that must exist before. */
  needs: readonly string[]
  /** Keys of accounts that the object no longer refers to afterwards. */
  readonly releases: readonly string[]
  /** Drafts of the same object that must have ended before, well or not. */
  follows?: Draft | undefined
  /** Drafts that must have ended well before: of the same object, or by which something is there to give. */
  readonly after: Draft[]
  /** The position among all drafts, set when they are ordered. */
  position: number
}

const none: readonly never[] = []

export function draftOf(
  change: Change,
  verb: Step['verb'],
  sent: Pick<Step, 'spec' | 'rotates' | 'collections' | 'collection' | 'elements' | 'restsOn'>,
  { needs = none, releases = none, after = [], follows }: Partial<Omit<Draft, 'change' | 'step' | 'position'>>,
): Draft {
  const { address, desired, live } = change
  const at = live === undefined ? (desired?.at ?? {}) : { ...desired?.at, ...live.at }
  const step: Draft['step'] = { id: '', address, kind: kindOf(change).name, verb, at, dependsOn: none, ...sent }
  // Undeclared parts of an update come from the live object.
  const fieldKeys = sent.spec && joinedKeys(live, desired)
  if (fieldKeys !== undefined) step.fieldKeys = fieldKeys
  return { change, step, needs, releases, follows, after, position: -1 }
}
