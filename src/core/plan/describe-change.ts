// The differences of a change as data, without any secret.
import type { Place } from '@svcsync/errors/index.ts'
import { type Cause, causeOfField, causeOfObject, causesOfElements } from '../compare/cause.ts'
import type { Change } from '../compare/change.ts'
import { type CollectionDifference, replacedBy } from '../compare/compare-collection.ts'
import type { FieldDifference } from '../compare/compare-fields.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredElement, placeOfElement, placeOfField } from '../model/desired.ts'
import {
  elementKey,
  type KeyedElement,
  type ListedSubject,
  listedElement,
  listedSubject,
  showElement,
  subjectOf,
} from '../model/elements.ts'
import { compareBy } from '../model/group-by.ts'
import { isJsonObject, isMapping, type Json } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import { fieldOfList, fieldsOf } from '../model/schema-fields.ts'
import { sensitivesIn, templatesOf } from '../model/sensitive.ts'
import type { Path } from '../model/source.ts'
import type { CausedElement, DifferenceDocument } from './plan-document.ts'

/** Every field and collection that a change touches; for a create, all that is declared. `hasBase`: with causes. */
export function differencesOf(change: Change, hasBase = false): DifferenceDocument[] {
  const { action, desired, live } = change
  if (action === 'delete') return describeDeletion(change, hasBase)
  if (desired === undefined || action === 'none') return []
  const [fields, lists] =
    action === 'create'
      ? [declaredFields(desired), declaredLists(desired)]
      : [change.fields, change.collections.map((difference) => describeList(difference, desired, live))]
  const result: DifferenceDocument[] = []
  for (const field of fields) {
    for (const difference of splitSettings(field)) {
      const cause = hasBase ? causeOfField({ desired, live }, difference) : undefined
      result.push(describeField(difference, cause ?? null, placeNow(desired, difference.path)))
    }
  }
  for (const list of lists) result.push(hasBase ? withElementCauses(list, change, desired) : list)
  // A copy has no room for more, which in a short list is most of it.
  return result.slice()
}

function withElementCauses(difference: DifferenceDocument, { live }: Change, desired: Desired): DifferenceDocument {
  const { path, added, removed } = difference
  const gone = removed as readonly KeyedElement[]
  const causes = causesOfElements(desired, path, live?.collections[path] ?? [], gone)
  const caused = (elements: readonly KeyedElement[], causeOf: (element: KeyedElement) => Cause): CausedElement[] =>
    elements.map((element) => ({ ...element, cause: causeOf(element) }))
  const both = [caused(added as readonly KeyedElement[], causes.added), caused(gone, causes.removed)] as const
  const cause = joinedCause(both.flat().map((element) => element.cause))
  return { ...difference, added: both[0], removed: both[1], cause: cause ?? null }
}

function declaredFields({ spec, declarations }: Desired): FieldDifference[] {
  const { fields } = fieldsOf(declarations[0].section)
  return fields
    .filter((field) => spec[field] != null)
    .map((field) => ({ path: [field], before: undefined, after: spec[field] }))
}

function declaredLists({ collections }: Desired): DifferenceDocument[] {
  return Object.entries(collections).flatMap(([path, { elements }]): DifferenceDocument[] => {
    const list = [...elements.values()]
    const [first] = list
    if (first === undefined) return []
    const added = list.map(({ element }) => element).sort(bySubject)
    const place = placeIn(first.declaration, [first.field])
    return [{ path, cause: null, added, removed: [], place, ...throughSets(list) }]
  })
}

function describeList(difference: CollectionDifference, desired: Desired, live: Change['live']): DifferenceDocument {
  const { collection, added, removed } = difference
  const [first] = added
  const place =
    first !== undefined
      ? placeOfElement(first)
      : placeNow(desired, [fieldOfList(desired.declarations[0].section, collection) ?? collection])
  return {
    path: collection,
    cause: null,
    added: added.map(({ element }) => withBefore(element, live?.collections[collection])),
    removed,
    ...(place && { place }),
    ...throughSets(added),
    ...whyRemoved(desired, difference),
  }
}

function withBefore(element: KeyedElement, live: readonly KeyedElement[] | undefined): CausedElement {
  const before = replacedBy(element, live)?.settings
  return before === undefined ? element : { ...element, before }
}

function placeNow(desired: Desired, path: Path): Place | undefined {
  return desired.since?.standing === 'gone' ? undefined : placeOfField(desired, path)
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
): Pick<DifferenceDocument, 'notInSets' | 'unlisted' | 'outsideTime'> {
  const wanted = desired.collections[collection]
  if (removed.length === 0 || wanted === undefined) return {}
  const outside = removed.flatMap((element) => {
    const entry = wanted.outside?.get(elementKey(element))
    return entry === undefined ? [] : [{ ...entry, ...listedSubject(element, desired.at.name ?? '') }]
  })
  const levels = new Set(removed.map(({ level }) => level))
  const sets = (wanted.uses ?? []).filter(({ part }) => part === undefined || levels.has(part))
  const unlisted = (wanted.unlisted ?? []).filter((level) => levels.has(level))
  return {
    ...(unlisted.length > 0 && { unlisted }),
    ...(sets.length > 0 && {
      notInSets: sets.map(({ set, part, place }) => ({ set, ...(part !== undefined && { level: part }), place })),
    }),
    ...(outside.length > 0 && { outsideTime: outside.sort(byListed) }),
  }
}

/** Members of a deleted list lose their entries, so these are shown as removed. */
function describeDeletion(change: Change, hasBase: boolean): DifferenceDocument[] {
  const whole = hasBase ? causeOfObject(change) : undefined
  const cause = whole ?? null
  return Object.entries(change.live?.collections ?? {})
    .filter(([, elements]) => elements.length > 0)
    .map(([path, elements]) => ({ path, added: [], removed: [...elements].sort(bySubject), cause }))
}

/** An environment that gets settings of its own is shown setting by setting: some may be secret. */
export function splitSettings(difference: FieldDifference): FieldDifference[] {
  const { path, before, after } = difference
  // Empty settings are a difference as well: the environment stops inheriting.
  if (!isMapping(after) || Object.keys(after).length === 0) return [difference]
  return Object.entries(after).flatMap(([key, value]) =>
    value === undefined
      ? []
      : splitSettings({ path: [...path, key], before: isJsonObject(before) ? before[key] : undefined, after: value }),
  )
}

function describeField(
  { path, before, after, rotates }: FieldDifference,
  cause: Cause | null,
  place: Place | undefined,
): DifferenceDocument {
  const dotted = path.join('.')
  const secrets = sensitivesIn(after)
  if (secrets.length > 0 || sensitivesIn(before).length > 0) {
    const shown = secrets.length > 0 ? templatesOf(secrets) : after
    return { path: dotted, ...(shown !== undefined && { after: shown }), masked: true, cause, ...(place && { place }) }
  }
  const document: { -readonly [Key in keyof DifferenceDocument]: DifferenceDocument[Key] } = { path: dotted }
  if (before !== undefined) document.before = before as Json
  if (after !== undefined) document.after = after
  if (rotates) document.rotates = rotates
  document.cause = cause
  if (place) document.place = place
  return document
}

/** The common cause of the parts of one difference: `both` if parts moved on either side. */
function joinedCause(causes: readonly (Cause | undefined)[]): Cause | undefined {
  const [first, ...others] = [...new Set(causes)]
  if (others.length === 0) return first
  return causes.includes('live') || causes.includes('both') ? 'both' : 'declared'
}

function subjectText(element: Element): string {
  const { level, svcId, company } = element
  return svcId === undefined ? showElement(element) : `${level ?? ''} ${svcId} ${company?.name ?? ''}`
}

const bySubject = compareBy(subjectText)

const byListed = compareBy((listed: ListedSubject) => subjectText(listedElement(listed)))
