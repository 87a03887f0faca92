// Identifies a change across plans, whatever else they hold.
import { isByHand } from '../compare/cause.ts'
import { getOrInsert, groupBy } from '../model/group-by.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { Digest } from './plan-digest.ts'
import type { CausedElement, ChangeDocument, DifferenceDocument, PlanDocument, StepDocument } from './plan-document.ts'

/** A unit that is sent in one piece, or one entry of a list: a reviewer who has seen it has seen all of it. */
interface ChangePart {
  /** The old and new state: equal texts, equal effect. */
  readonly effect: string
  /** The live state it rests on, and whether somebody changed it by hand. */
  readonly basis: string
  /** For an entry of a list. Otherwise the object itself: its fields, or its deletion. */
  readonly isEntry: boolean
  /** References without a difference, whose values the request also contains. */
  readonly sentWith?: readonly string[]
  readonly differences: readonly DifferenceDocument[]
}

/** `steps`: those of the object. `comparable`: see documentTexts. */
export function partsOf(
  change: ChangeDocument,
  steps: readonly StepDocument[],
  comparable: (value: object) => string,
): ChangePart[] {
  const { address, kind, action, differences } = change
  const text = (...parts: readonly unknown[]): string => comparable(parts)
  const [{ at = null, liveDigest = '' } = {}] = steps
  if (action === 'delete') {
    // A deletion concerns everything there.
    return [
      {
        effect: text(address, kind, action),
        basis: text(at, liveDigest, isByHand(change)),
        isEntry: false,
        differences,
      },
    ]
  }
  const parts: ChangePart[] = []
  const fields = differences.filter(({ added, removed }) => (added ?? removed) === undefined)
  if (action === 'create' || fields.length > 0) {
    // However many requests carry them: where two new objects need each other, one is completed later.
    const sent: JsonObject = Object.assign({}, ...steps.map(({ spec }) => (isJsonObject(spec) ? spec : {})))
    // They are the manifests' own, also where they are only sent along.
    const references = referencesIn(sent).map(({ reference }) => reference)
    const anew = steps.flatMap(({ rotates = [] }) => rotates).sort()
    const after = fields.map(({ path, after, masked, rotates }) => [path, after ?? null, masked ?? rotates ?? false])
    const before = fields.map((field) => [field.path, field.before ?? null, isByHand(field)])
    parts.push({
      effect: text(address, kind, action, after, anew, references),
      basis: text(at, before, isByHand(change), sent),
      isEntry: false,
      sentWith: references.filter((each) => !fields.some(({ masked, after }) => masked && after === each)),
      differences: fields,
    })
  }
  for (const difference of differences) {
    const keysOf = (list: readonly CausedElement[] = []): ReadonlySet<string> =>
      new Set(list.map(({ cause: _, before: __, settings: ___, ...entry }) => text(entry)))
    const [come, gone] = [keysOf(difference.added), keysOf(difference.removed)]
    for (const sign of ['added', 'removed'] as const) {
      for (const caused of difference[sign] ?? []) {
        const { cause = difference.cause, before, ...element } = caused
        const { settings: _, ...entry } = element
        // An entry that is taken along and given anew stays: its reviewers did not see a removal.
        const isAnew = come.has(text(entry)) && gone.has(text(entry))
        parts.push({
          effect: text(address, isAnew ? `${sign} anew` : sign, difference.path, element),
          basis: text(at, action, isByHand({ cause }), ...(before === undefined ? [] : [before])),
          isEntry: true,
          differences: [{ path: difference.path, added: [], removed: [], [sign]: [caused] }],
        })
      }
    }
  }
  return parts
}

interface Reference {
  readonly path: readonly string[]
  readonly reference: string
}

/** The values that the plan knows only as references: credentials, and values from the environment or a file. */
export function referencesIn(value: Json | undefined, path: readonly string[] = []): readonly Reference[] {
  if (!isJsonObject(value)) return []
  const { reference } = value
  if (typeof reference === 'string') return [{ path, reference }]
  return Object.entries(value).flatMap(([key, part]) => referencesIn(part, [...path, key]))
}

/** Another one where anything differs that is sent, or that it rests on: also how an svcId is written. */
export function changeDigest(change: ChangeDocument, steps: readonly StepDocument[], digest: Digest): string {
  const parts = partsOf(change, steps, (value) => canonicalJson(value as Json)).map(
    ({ effect, basis }) => `${effect}\n${basis}\n`,
  )
  const [{ liveDigest = '' } = {}] = steps
  return digest([change.address, '\n', liveDigest, '\n', ...parts.sort()])
}

/** Computed on demand, since most plans are shown without it. */
export function withDigests(
  changes: readonly ChangeDocument[],
  steps: () => PlanDocument['steps'],
  digest: Digest,
): ChangeDocument[] {
  let byAddress: ReadonlyMap<string, readonly StepDocument[]> | undefined
  const known = new WeakMap<ChangeDocument, string>()
  // One getter for all: with a closure each, V8 keeps 500 bytes of layout for each change.
  const property: PropertyDescriptor & ThisType<ChangeDocument> = {
    enumerable: true,
    get() {
      byAddress ??= groupBy(steps(), ({ address }) => address)
      return getOrInsert(known, this, () => changeDigest(this, byAddress?.get(this.address) ?? [], digest))
    },
  }
  return changes.map((change) => Object.defineProperty(change, 'digest', property))
}
