// The differences of a change as data: what is shown, without any secret.

import type { Change } from '../compare/change.ts'
import type { CollectionDifference } from '../compare/compare-collection.ts'
import type { FieldDifference } from '../compare/compare-fields.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredElement, placeOfElement, placeOfField } from '../model/desired.ts'
import { elementKey, showElement, subjectOf } from '../model/elements.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { Sensitive, sensitivesIn, templatesOf } from '../model/sensitive.ts'
import type { DifferenceDocument } from './plan-document.ts'

/** Every field and collection that a change touches. Of a create: all that is declared. */
export function differencesOf(change: Change): DifferenceDocument[] {
  const { desired } = change
  if (change.action === 'delete') return describeDeletion(change)
  if (desired === undefined || change.action === 'none') return []
  return change.action === 'create' ? describeCreate(desired) : describeUpdate(change, desired)
}

function describeCreate(desired: Desired): DifferenceDocument[] {
  const result: DifferenceDocument[] = []
  for (const field of fieldsOf(desired.declarations[0].section).fields) {
    const after = desired.spec[field]
    if (after !== undefined && after !== null)
      describeField({ path: [field], before: undefined, after }, desired, result)
  }
  for (const [name, { elements }] of Object.entries(desired.collections)) {
    if (elements.size === 0) continue
    const list = [...elements.values()]
    const [first] = list
    result.push({
      path: name,
      added: list.map(({ element }) => element).sort(bySubject),
      removed: [],
      ...(first && { place: placeIn(first.declaration, [first.field]) }),
      ...throughSets(list),
    })
  }
  return result
}

function describeUpdate(change: Change, desired: Desired): DifferenceDocument[] {
  const result: DifferenceDocument[] = []
  for (const difference of change.fields) describeField(difference, desired, result)
  for (const difference of change.collections) {
    const { collection, added, removed } = difference
    const [first] = added
    const place = first !== undefined ? placeOfElement(first) : placeOfField(desired, [fieldOf(desired, collection)])
    result.push({
      path: collection,
      added: added.map(({ element }) => element),
      removed,
      place,
      ...throughSets(added),
      ...whyRemoved(desired, difference),
    })
  }
  return result
}

function throughSets(added: readonly DesiredElement[]): Pick<DifferenceDocument, 'throughSets'> {
  const found = added.flatMap((wanted) => {
    const { element, set, listedAt } = wanted
    if (set === undefined || listedAt === undefined || element.svcId === undefined) return []
    return [{ ...subjectOf(element), set, place: placeOfElement(wanted), listedAt }]
  })
  return found.length === 0 ? {} : { throughSets: found.sort(bySubject) }
}

/** Why elements are removed, as far as lines still stand that have to do with it. */
function whyRemoved(
  desired: Desired,
  { collection, removed }: CollectionDifference,
): Pick<DifferenceDocument, 'notInSets' | 'outsideTime'> {
  const wanted = desired.collections[collection]
  if (removed.length === 0 || wanted === undefined) return {}
  const outside = removed.flatMap((element) => {
    const entry = wanted.outside?.get(elementKey(element))
    return entry === undefined || element.svcId === undefined ? [] : [{ ...entry, ...subjectOf(element) }]
  })
  const levels = new Set(removed.map(({ level }) => level))
  const sets = (wanted.uses ?? []).filter(({ part }) => part === undefined || levels.has(part))
  return {
    ...(sets.length > 0 && {
      notInSets: sets.map(({ set, part, place }) => ({ set, ...(part !== undefined && { level: part }), place })),
    }),
    ...(outside.length > 0 && { outsideTime: outside.sort(bySubject) }),
  }
}

/** Whoever was in it loses that: the elements are shown as removed. */
function describeDeletion({ live }: Change): DifferenceDocument[] {
  return Object.entries(live?.collections ?? {})
    .filter(([, elements]) => elements.length > 0)
    .map(([path, elements]) => ({ path, added: [], removed: [...elements].sort(bySubject) }))
}

function fieldOf(desired: Desired, collection: string): string {
  const fields = fieldsOf(desired.declarations[0].section).collections
  return fields.find((field) => field.collection === collection)?.field ?? collection
}

/** An environment that gets settings of its own is shown setting by setting: some may be secret. */
function describeField(
  { path, before, after, rotates }: FieldDifference,
  desired: Desired,
  result: DifferenceDocument[],
): void {
  // Empty settings are a difference as well: the environment stops inheriting.
  if (isJsonObject(after) && !(after instanceof Sensitive) && Object.keys(after).length > 0) {
    for (const [key, value] of Object.entries(after)) {
      const inner = isJsonObject(before) ? before[key] : undefined
      if (value !== undefined) describeField({ path: [...path, key], before: inner, after: value }, desired, result)
    }
    return
  }
  const place = placeOfField(desired, path)
  const dotted = path.join('.')
  const secrets = sensitivesIn(after)
  if (secrets.length > 0) {
    result.push({ path: dotted, after: templatesOf(secrets), masked: true, place })
  } else {
    result.push({
      path: dotted,
      ...(before !== undefined && { before: before as Json }),
      ...(after !== undefined && { after }),
      ...(rotates && { rotates }),
      place,
    })
  }
}

function bySubject(a: Element, b: Element): number {
  const left = sortText(a)
  const right = sortText(b)
  return left < right ? -1 : left > right ? 1 : 0
}

function sortText(element: Element): string {
  const { level, svcId, company } = element
  return svcId === undefined ? showElement(element) : `${level ?? ''} ${svcId} ${company?.name ?? ''}`
}
