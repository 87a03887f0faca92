// Objects and changes as expressions see them: plain data as in manifests, without anything that must not be shown.
import { type Change, kindOf } from '@svcsync/core/compare/change.ts'
import type { Desired, DesiredCollection } from '@svcsync/core/model/desired.ts'
import { elementKey, type KeyedElement, listedElement, subjectKey } from '@svcsync/core/model/elements.ts'
import { remembered } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import { fieldsOf, isWriteOnly } from '@svcsync/core/model/schema-fields.ts'
import { Sensitive } from '@svcsync/core/model/sensitive.ts'

/** The values of expressions: integers are bigint, as CEL counts. */
type ObjectView = Readonly<Record<string, unknown>>

/** The declared kind of an account, by its key. */
type AccountKinds = ReadonlyMap<string, 'user' | 'group'>

interface ViewSettings {
  readonly accounts: AccountKinds
}

type ElementView = AccountView | ItemView

/** An item is not an account, as a licence is. */
interface ItemView {
  readonly item: string
  readonly about?: string
  readonly settings?: unknown
  readonly from?: string
  readonly until?: string
}

interface AccountView {
  readonly svcId: string
  readonly account: 'user' | 'group' | 'undeclared'
  readonly level?: string
  /** Privileges that are limited to a company. */
  readonly company?: string
  /** As manifests bound it in time: a day, or a moment with its offset. */
  readonly from?: string
  readonly until?: string
}

type TimeBounds = Pick<AccountView, 'from' | 'until'>

export function accountKinds(desired: readonly Desired[]): AccountKinds {
  const result = new Map<string, 'user' | 'group'>()
  for (const { kind, key, partial } of desired) {
    if (kind.provides !== undefined && !partial) result.set(key, kind.provides)
  }
  return result
}

/** The object as declared, without undeclared fields. */
export function viewDesired({ kind, at, spec, collections }: Desired, settings: ViewSettings): ObjectView {
  const result: Record<string, unknown> = { [identityOf(kind)]: at.name ?? '' }
  for (const [field, value] of Object.entries(spec)) if (value !== undefined) result[field] = viewValue(value)
  for (const { field, collection } of fieldsOf(kind.sections[0]).collections) {
    const wanted = collections[collection]
    if (wanted === undefined) continue
    const bounds = createBoundsLookup(wanted)
    result[field] = Array.from(wanted.elements.values(), ({ element }) => viewElement(element, settings, bounds))
  }
  return result
}

function identityOf(kind: Kind): string {
  return kind.sections[0].identity
}

type FindBounds = (element: KeyedElement) => TimeBounds | undefined

/** When entries of a list begin and end, where manifests say so. */
function createBoundsLookup({ upcoming, begun, elements }: DesiredCollection): FindBounds | undefined {
  const ends = upcoming.filter(({ event }) => event === 'ends').sort((a, b) => (a.at < b.at ? -1 : 1))
  if (ends.length === 0 && begun === undefined) return undefined
  const found = new Map<string, TimeBounds>()
  for (const [key, { shown }] of begun ?? []) {
    const wanted = elements.get(key)
    if (wanted !== undefined) found.set(boundKey(wanted.element), { from: shown })
  }
  for (const each of ends) {
    const key = boundKey(listedElement(each))
    if (found.get(key)?.until === undefined) found.set(key, { ...found.get(key), until: each.shown ?? each.at })
  }
  return (element) => found.get(boundKey(element))
}

/** An item ends with whatever settings it has. */
const boundKey = (element: KeyedElement): string =>
  element.svcId === undefined ? subjectKey(element) : elementKey(element)

function viewElement(element: KeyedElement, { accounts }: ViewSettings, boundsOf?: FindBounds): ElementView {
  const { svcId, level, company, item, about, settings } = element
  if (svcId === undefined) {
    const limits = { ...(about && { about: about.name }), ...(settings && { settings: viewValue(settings) }) }
    return { item, ...limits, ...boundsOf?.(element) }
  }
  return {
    svcId,
    account: accounts.get(subjectKey(element)) ?? 'undeclared',
    ...(level !== undefined && { level }),
    ...(company != null && { company: company.name }),
    ...boundsOf?.(element),
  }
}

/** A sensitive value appears as its reference. */
function viewValue(value: Json): unknown {
  if (typeof value === 'string' || value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(viewValue)
  if (value instanceof Sensitive) return value.template
  const result: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value as JsonObject)) if (part !== undefined) result[key] = viewValue(part)
  return result
}

/** The declared part of a live value, without sensitive fields. */
function viewLive(live: Json | undefined, declared: Json): unknown {
  if (live === undefined) return undefined
  if (declared instanceof Sensitive) return declared.template
  if (!isJsonObject(declared) || !isJsonObject(live)) return viewValue(live)
  const result: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(declared)) {
    const value = part === undefined ? undefined : viewLive(live[key], part)
    if (value !== undefined) result[key] = value
  }
  return result
}

type EntryView = ElementView & { readonly collection: string }

/** The variables of a change that differ from those of an object. */
export function viewChange(change: Change, settings: ViewSettings) {
  const { action, desired, live, fields, collections } = change
  const kind = kindOf(change)
  const added: EntryView[] = []
  const removed: EntryView[] = []
  const bounds = boundsByCollection(desired)
  const note = (list: EntryView[], collection: string, elements: Iterable<KeyedElement>): void => {
    for (const element of elements) list.push({ ...viewElement(element, settings, bounds(collection)), collection })
  }
  if (action === 'create') {
    for (const [name, { elements }] of Object.entries(desired?.collections ?? {})) {
      const all = Array.from(elements.values(), ({ element }) => element)
      note(added, name, all)
    }
  } else if (action === 'delete') {
    for (const [name, elements] of Object.entries(live?.collections ?? {})) note(removed, name, elements)
  } else {
    for (const { collection, added: more, removed: gone } of collections) {
      for (const { element } of more) note(added, collection, [element])
      note(removed, collection, gone)
    }
  }
  // A pruned object has no declaration, but a name.
  const object = desired === undefined ? { [identityOf(kind)]: live?.name ?? '' } : viewDesired(desired, settings)
  return {
    object,
    action,
    before: live === undefined ? {} : viewBefore(change, live, kind, settings),
    after: action === 'delete' ? {} : { ...object, ...collectionsAfter(change, kind, settings) },
    added,
    removed,
    changed: [...fields.map(({ path }) => path.join('.')), ...collections.map(({ collection }) => collection)],
  }
}

function boundsByCollection(desired: Desired | undefined): (collection: string) => FindBounds | undefined {
  return remembered((collection) => {
    const wanted = desired?.collections[collection]
    return wanted && createBoundsLookup(wanted)
  })
}

/** Everything that was read, for a deleted object; the declared fields, for others. All elements in both cases. */
function viewBefore({ action, desired }: Change, live: Live, kind: Kind, settings: ViewSettings): ObjectView {
  const [section] = kind.sections
  const result: Record<string, unknown> = { [section.identity]: live.name }
  for (const field of fieldsOf(section).fields) {
    const schema = section.schema.properties[field]
    const value = live.spec[field]
    const declared = desired?.spec[field]
    if (value === undefined || schema === undefined || isWriteOnly(schema)) continue
    if (action === 'delete') result[field] = viewValue(value)
    else if (declared !== undefined) result[field] = viewLive(value, declared)
  }
  for (const { field, collection } of fieldsOf(section).collections) {
    const elements = live.collections[collection]
    if (elements !== undefined) result[field] = elements.map((element) => viewElement(element, settings))
  }
  return result
}

/** The live elements that stay, and the added ones. */
function collectionsAfter({ desired, live, collections }: Change, kind: Kind, settings: ViewSettings): ObjectView {
  if (live === undefined || desired === undefined) return {}
  const result: Record<string, unknown> = { [identityOf(kind)]: desired.at.name ?? live.name }
  for (const { field, collection } of fieldsOf(kind.sections[0]).collections) {
    const elements = live.collections[collection]
    if (elements === undefined) continue
    const difference = collections.find((candidate) => candidate.collection === collection)
    const removedKeys = new Set(difference?.removed.map(elementKey))
    const kept = elements.filter((element) => !removedKeys.has(elementKey(element)))
    const more = difference?.added.map(({ element }) => element) ?? []
    const bounds = desired.collections[collection] && createBoundsLookup(desired.collections[collection])
    result[field] = [...kept, ...more].map((element) => viewElement(element, settings, bounds))
  }
  return result
}
