// Why a difference is there: the manifests moved, the platform was changed by hand, or both.
import { takesAll } from '../model/capabilities/takes-all.ts'
import { type Desired, elementsOf } from '../model/desired.ts'
import { elementKey, hasUnknownLevel, type KeyedElement, subjectKey } from '../model/elements.ts'
import type { KeyedFields } from '../model/identity.ts'
import { canonicalJson, isJsonObject, isMapping, type Json } from '../model/json.ts'
import type { Collection } from '../model/kind.ts'
import type { Schema } from '../model/schema.ts'
import { isWriteOnly, schemaAt } from '../model/schema-fields.ts'
import { Sensitive } from '../model/sensitive.ts'
import { WrittenPassword } from '../model/written-password.ts'
import type { Change } from './change.ts'
import { managesWhole } from './compare-collection.ts'
import { type FieldDifference, sameJson, sameScalar } from './compare-fields.ts'

/** The side that moved; `both`: each to another value. `new`: the base has no declaration of it. */
export type Cause = 'declared' | 'live' | 'both' | 'new'

/** The cause for a field or setting. Undefined: the reference is unchanged, and its value unknown. */
export function causeOfField(
  { desired, live }: { readonly desired: Desired; readonly live: KeyedFields | undefined },
  { path, before, after, rotates }: FieldDifference,
): Cause | undefined {
  // Nothing live has to do with it.
  if (rotates) return 'declared'
  const { since, declarations, at } = desired
  if (since === undefined || since.isBegun || since.base.absent) return 'new'
  const { base, begun = [] } = since
  const { section } = declarations[0]
  const [field] = path as readonly [string]
  if (path.length === 1 && field === section.identity) return base.at.name === at.name ? 'live' : 'declared'
  const known = valueAt(base.spec, path)
  const schema = schemaAt(section.schema, path)
  if (known === undefined || schema === undefined) return 'new'
  if (known instanceof WrittenPassword && after instanceof WrittenPassword && begun.length === 0)
    return causeOfWritten(schema, { known, before, after })
  if (known instanceof Sensitive) {
    const isSame = after instanceof Sensitive && known.template === after.template
    // The value behind a reference is unknown; only its text can be compared.
    return isSame ? undefined : 'declared'
  }
  // Accounts are top-level values, and compare by their keys.
  const keyIn = (side: KeyedFields | undefined, value: Json | undefined): Json | undefined =>
    schema.reference === undefined ? value : (side?.fieldKeys?.[field] ?? value)
  const declared = keyIn(base, known)
  const holdsFor = (side: Desired, value: Json | undefined): boolean =>
    live !== undefined && holds(schema, keyIn(side, value), keyIn(live, before))
  // An unfinished apply may have made this value, so nobody else has to have. An undo restores any earlier value.
  const isBegun = begun.some(({ said, undo }) => {
    const value = said && valueAt(said.spec, path)
    return said === undefined || value === undefined ? undo === true || before == null : holdsFor(said, value)
  })
  if (isBegun) return 'declared'
  // A deleted object holds nothing.
  const liveMoved = !holdsFor(base, known)
  const declaredMoved = after instanceof Sensitive || !same(schema, declared ?? null, keyIn(desired, after))
  if (!declaredMoved) return 'live'
  return liveMoved ? 'both' : 'declared'
}

/** A password in a text is known on each side. */
function causeOfWritten(
  schema: Schema,
  { known, before, after }: { readonly known: WrittenPassword } & Pick<FieldDifference, 'before' | 'after'>,
): Cause {
  const isAsKnown = (value: Json | undefined): boolean => same(schema, known as unknown as Json, value)
  if (isAsKnown(after)) return 'live'
  return isAsKnown(before) ? 'declared' : 'both'
}

function same(schema: Schema, known: Json, after: Json | undefined): boolean {
  if (schema.type === 'open') return sameJson(known, after)
  // Settings are compared one by one, but for an environment that has none or all of its own.
  if (isMapping(known) || isMapping(after)) return canonicalJson(known) === canonicalJson(after ?? null)
  return sameScalar(schema, known, after)
}

/** True if the live value still matches the base, as far as the two can be compared. */
function holds(schema: Schema, known: Json | undefined, live: Json | undefined): boolean {
  if (known === undefined || known instanceof Sensitive || isWriteOnly(schema) || schema.rotation) return true
  if (schema.type === 'open') return sameJson(known, live)
  if (!isJsonObject(known)) return !isMapping(live) && sameScalar(schema, known, live)
  if (schema.type !== 'object' || !isJsonObject(live)) return false
  return Object.entries(schema.properties).every(([key, part]) => holds(part, known[key], live[key]))
}

/** The cause for an object that is created or deleted as a whole. Undefined: it is neither. */
export function causeOfObject(change: Pick<Change, 'action' | 'desired' | 'retired'>): Cause | undefined {
  const { action, desired, retired } = change
  if (action !== 'create' && action !== 'delete') return undefined
  const since = (desired ?? retired)?.since
  if (since === undefined || (action === 'create' && (since.isBegun || since.base.partial))) return 'new'
  if (action === 'delete' && since.standing === 'gone') return 'declared'
  const wasThere = !since.base.absent
  const isBegun = since.begun?.some(({ said }) => (said !== undefined && !said.partial) !== wasThere)
  return wasThere === (action === 'create') && !isBegun ? 'live' : 'declared'
}

/** `gone`: all removed elements. Elements that a removal takes along are given anew for the same cause. */
export function causesOfElements(
  { since, kind, collections }: Desired,
  collection: string,
  live: readonly KeyedElement[],
  gone: readonly KeyedElement[],
): { readonly added: (element: KeyedElement) => Cause; readonly removed: (element: KeyedElement) => Cause } {
  const { base, isBegun, begun = [] } = since ?? {}
  const listed = base?.absent || isBegun ? undefined : base?.collections[collection]
  const isGone = (element: KeyedElement): boolean => since?.entries[collection]?.has(elementKey(element)) === true
  if (listed === undefined)
    return { added: () => 'new', removed: (element) => (isBegun && isGone(element) ? 'declared' : 'new') }
  const begunWith = begun.map(({ said }) => said?.collections[collection]?.elements)
  /** An unfinished apply may have taken or given it. */
  const mayLack = (element: KeyedElement): boolean => begunWith.some((each) => !each?.has(elementKey(element)))
  const mayHave = (element: KeyedElement): boolean => begunWith.some((each) => each?.has(elementKey(element)))
  const definition = kind.collections[collection]
  const isWhole = (element: KeyedElement): boolean => {
    if (hasUnknownLevel(element, definition)) return managesWhole(listed, definition as Collection)
    const part = definition?.part?.(element)
    return listed.mode === 'exclusive' && (part === undefined || listed.parts === 'all' || listed.parts.includes(part))
  }
  if (definition?.of === 'items') {
    const before = new Map(elementsOf(listed).map((element) => [subjectKey(element), element]))
    const now = new Map(live.map((element) => [subjectKey(element), element]))
    return {
      added: (element) => {
        const known = before.get(subjectKey(element))
        if (known === undefined) return isWhole(element) ? 'declared' : 'new'
        if (elementKey(known) === elementKey(element)) return mayLack(element) ? 'declared' : 'live'
        const found = now.get(subjectKey(element))
        return found !== undefined && elementKey(found) === elementKey(known) ? 'declared' : 'both'
      },
      removed: (element) => {
        const known = before.get(subjectKey(element))
        if (mayHave(element)) return 'declared'
        if (known === undefined) return isWhole(element) ? 'live' : 'new'
        return elementKey(known) === elementKey(element) ? 'declared' : 'both'
      },
    }
  }
  const known = (element: KeyedElement): boolean => listed.elements.has(elementKey(element))
  const removed = (element: KeyedElement): Cause => {
    if (known(element) || isGone(element) || mayHave(element)) return 'declared'
    return isWhole(element) ? 'live' : 'new'
  }
  const isWanted = (element: KeyedElement): boolean =>
    collections[collection]?.elements.has(elementKey(element)) === true
  const goesWith = (element: KeyedElement): KeyedElement | undefined => {
    if (definition === undefined || !takesAll.of(definition) || !isWanted(element)) return undefined
    const own = gone.filter((other) => subjectKey(other) === subjectKey(element))
    const isTaken = own.some((other) => elementKey(other) === elementKey(element))
    return isTaken ? own.find((other) => !isWanted(other)) : undefined
  }
  return {
    added: (element) => {
      const first = goesWith(element)
      if (first !== undefined) return removed(first)
      if (known(element)) return mayLack(element) ? 'declared' : 'live'
      return isWhole(element) ? 'declared' : 'new'
    },
    removed: (element) => removed(goesWith(element) ?? element),
  }
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let here: Json | undefined = value
  for (const key of path) {
    if (here === null) return null
    if (!isMapping(here)) return undefined
    here = here[key]
  }
  return here
}

/** True if somebody changed the platform, rather than only the manifests. */
export function isByHand({ cause }: { readonly cause?: Cause | null | undefined }): boolean {
  return cause === 'live' || cause === 'both'
}

/** The read state with only these changes, as if the rest were declared as it is. It has all fields. */
export function liveChanges(changes: readonly Change[]): Change[] {
  return changes.flatMap((change): Change[] => {
    const { action, desired, live } = change
    if (action === 'create' || action === 'delete') {
      if (isByHand({ cause: causeOfObject(change) })) return [change]
      return live === undefined ? [] : [{ ...change, action: 'none', collections: [] }]
    }
    if (action === 'none' || desired === undefined) return [change]
    const collections = change.collections.map((difference) => {
      const { collection, added, removed } = difference
      const causes = causesOfElements(desired, collection, live?.collections[collection] ?? [], removed)
      return {
        ...difference,
        added: added.filter(({ element }) => isByHand({ cause: causes.added(element) })),
        removed: removed.filter((element) => isByHand({ cause: causes.removed(element) })),
      }
    })
    return [{ ...change, collections: collections.filter(({ added, removed }) => added.length + removed.length > 0) }]
  })
}
