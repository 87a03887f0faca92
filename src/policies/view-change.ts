// Changes as expressions see them.
import { type Change, kindOf } from '../core/compare/change.ts'
import { elementKey, type KeyedElement } from '../core/model/elements.ts'
import type { Kind } from '../core/model/kind.ts'
import type { Live } from '../core/model/live.ts'
import { fieldsOf, isWriteOnly } from '../core/model/schema-fields.ts'
import {
  type ElementView,
  identityOf,
  type View,
  type ViewSettings,
  viewDesired,
  viewElement,
  viewLive,
  viewValue,
} from './view-object.ts'

type EntryView = ElementView & { readonly collection: string }

interface ChangeView {
  readonly [variable: string]: unknown
  readonly object: View
  readonly action: string
  readonly before: View
  readonly after: View
  readonly added: readonly EntryView[]
  readonly removed: readonly EntryView[]
  /** Dotted paths of fields, and names of collections, that an update changes. */
  readonly changed: readonly string[]
}

/** The variables of a change that differ from those of an object. */
export function viewChange(change: Change, settings: ViewSettings): ChangeView {
  const { action, desired, live, fields, collections } = change
  const kind = kindOf(change)
  const added: EntryView[] = []
  const removed: EntryView[] = []
  const note = (list: EntryView[], collection: string, elements: Iterable<KeyedElement>): void => {
    for (const element of elements) list.push({ ...viewElement(element, settings), collection })
  }
  if (action === 'create') {
    for (const [name, { elements }] of Object.entries(desired?.collections ?? {})) {
      note(
        added,
        name,
        Array.from(elements.values(), ({ element }) => element),
      )
    }
  } else if (action === 'delete') {
    for (const [name, elements] of Object.entries(live?.collections ?? {})) note(removed, name, elements)
  } else {
    for (const difference of collections) {
      note(
        added,
        difference.collection,
        difference.added.map(({ element }) => element),
      )
      note(removed, difference.collection, difference.removed)
    }
  }
  // What prune deletes is declared nowhere, and has its name all the same.
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

/** Of an object that is deleted everything that was read; of others what is declared. All elements in both cases. */
function viewBefore({ action, desired }: Change, live: Live, kind: Kind, settings: ViewSettings): View {
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

/** What is live and stays, and what is added. */
function collectionsAfter({ desired, live, collections }: Change, kind: Kind, settings: ViewSettings): View {
  if (live === undefined || desired === undefined) return {}
  const result: Record<string, unknown> = { [identityOf(kind)]: desired.at.name ?? live.name }
  for (const { field, collection } of fieldsOf(kind.sections[0]).collections) {
    const elements = live.collections[collection]
    if (elements === undefined) continue
    const difference = collections.find((candidate) => candidate.collection === collection)
    const gone = new Set(difference?.removed.map(elementKey))
    const kept = elements.filter((element) => !gone.has(elementKey(element)))
    const more = difference?.added.map(({ element }) => element) ?? []
    result[field] = [...kept, ...more].map((element) => viewElement(element, settings))
  }
  return result
}
