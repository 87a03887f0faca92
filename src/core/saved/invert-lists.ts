// Takes back the changes of an apply to the lists of one object.
import { believedAs, listAfter } from '../compare/believed-list.ts'
import { missingElements } from '../compare/compare-collection.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { takesAll } from '../model/capabilities/takes-all.ts'
import {
  areExclusive,
  elementKey,
  elementName,
  hasUnknownLevel,
  type KeyedElement,
  keyedElement,
  showElement,
  subjectKey,
} from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { Collection, Element, Kind } from '../model/kind.ts'
import type { Live } from '../model/live.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { SentWork } from './sent-work.ts'

export interface UnrevertedPart {
  readonly address: string
  /** `changed`: by somebody else, since. `lost`: what was there before is not known, or cannot be had again. */
  readonly why: 'changed' | 'lost'
  readonly text: string
}

interface InversionContext {
  readonly normalise: NormaliseSvcId
  readonly leave: (why: UnrevertedPart['why'], text: string) => undefined
  /** See Inverse; grows. */
  readonly held: Record<string, Json | undefined>
  readonly nowMs: number
}

export function listsBefore(
  sent: SentWork,
  kind: Kind,
  live: Live,
  { normalise, leave, held }: InversionContext,
): JsonObject {
  const item: Record<string, Json | undefined> = {}
  for (const { field, collection } of fieldsOf(kind.sections[0]).collections) {
    const definition = kind.collections[collection] as Collection
    const keyed = (elements: SentWork['added']) =>
      (elements.get(collection) ?? []).map(({ element, isSure }) => ({
        element: keyedElement(element, normalise),
        isSure,
      }))
    const added = keyed(sent.added)
    const removed = keyed(sent.removed)
    const known = (sent.before.collections?.[collection] ?? []).map((each) => keyedElement(each, normalise))
    const leaves = listAfter(known, {
      added: added.map(({ element }) => element),
      removed: removed.map(({ element }) => element),
    })
    const believed = believedAs(live, (name) => (name === collection ? leaves : []))
    const list: SentList = { collection, definition, added, removed, known }
    const { target, parts, subjects } = withoutWork(list, believed.collections[collection] ?? [], leave)
    if (parts.size === 0) continue
    const { part: partOf } = definition
    const empty = definition.part === undefined ? {} : Object.fromEntries([...parts].sort().map((part) => [part, []]))
    const inManifest = (elements: readonly KeyedElement[]): Json => {
      const list = manifestValue(definition, elements)
      return isJsonObject(list) ? { ...empty, ...list } : list
    }
    const isManaged = (element: KeyedElement): boolean =>
      partOf === undefined || takesAll.of(definition) === true || parts.has(partOf(element))
    const told = believed.asTold?.[collection]
    const isOwn = (each: KeyedElement): boolean => subjects.has(subjectKey(each))
    if (told?.some((element) => hasUnknownLevel(element, definition))) {
      // Nobody knows who else has these levels: they are given and taken one by one. Other accounts of the plan stay.
      const there = new Set(told.map(subjectKey))
      const sentAbout = new Set([...added, ...removed].map(({ element }) => subjectKey(element)))
      const others = leaves.filter(
        (each) => each.level !== undefined && there.has(subjectKey(each)) && !sentAbout.has(subjectKey(each)),
      )
      held[field] = inManifest([...leaves.filter(isOwn), ...others])
      item[field] = inManifest([...target.filter((each) => isOwn(each) && each.level !== undefined), ...others])
      item.manage = { ...(item.manage as JsonObject | undefined), [field]: 'additive' }
      continue
    }
    if (told !== undefined) held[field] = inManifest(leaves.filter(isOwn))
    item[field] = inManifest(target.filter(isManaged))
  }
  return item
}

interface SentList {
  readonly collection: string
  readonly definition: Collection
  readonly added: readonly { readonly element: KeyedElement; readonly isSure: boolean }[]
  readonly removed: SentList['added']
  /** Its former entries, as far as the plan rested on them. */
  readonly known: readonly KeyedElement[]
}

/** The list without what was sent: with the parts and the accounts of which something is taken back. */
function withoutWork(list: SentList, live: readonly KeyedElement[], leave: InversionContext['leave']) {
  const { collection, definition, added, removed, known } = list
  const subjects = groupBy([...added, ...removed], ({ element }) => subjectKey(element))
  const sentKeys = new Set([...added, ...removed].map(({ element }) => elementKey(element)))
  const isSent = (element: KeyedElement): boolean => sentKeys.has(elementKey(element))
  let target = live
  /** The platform may have taken them with a level that was sent, or somebody else since. */
  const nameLost = (who: string | undefined, others: readonly KeyedElement[]): void => {
    const gone = missingElements(others, target)
    if (gone.length > 0)
      leave(
        'changed',
        `\`${who}\` was in its ${collection} as ` +
          `${gone.map((each) => showElement(each)).join(' and ')} too, but is not now`,
      )
  }
  const parts = new Set<string>()
  const takenBack = new Set<string>()
  for (const [subject, work] of subjects) {
    const isThere = (element: KeyedElement): boolean => missingElements([element], target).length === 0
    const isOf = (element: KeyedElement): boolean => subjectKey(element) === subject
    const who = work.map(({ element }) => elementName(element))[0]
    const unknown = findUnknownLevel(list, target, isOf, who)
    if (unknown !== undefined) {
      leave(unknown.why, unknown.text)
      continue
    }
    // An element that was taken along and given anew is as it was.
    const isAnew = (element: KeyedElement): boolean =>
      isThere(element) &&
      [added, removed].every((sent) => sent.some((each) => elementKey(each.element) === elementKey(element)))
    // A missing element of an uncertain addition was never added.
    const came = added.filter(
      ({ element, isSure }) => isOf(element) && (isSure || isThere(element)) && !isAnew(element),
    )
    const went = removed.filter(
      ({ element, isSure }) => isOf(element) && (isSure || !isThere(element)) && !isAnew(element),
    )
    const isBefore = came.every(({ element }) => !isThere(element)) && went.every(({ element }) => isThere(element))
    // A removal takes all of an account, and a licence replaces another: a failed undo may have done one half.
    const isBound = (each: KeyedElement): boolean =>
      (takesAll.of(definition) === true && isOf(each)) || work.some(({ element }) => areExclusive(each, element))
    const stays = known.filter((each) => isBound(each) && !isSent(each))
    const lost = missingElements(stays, target).filter((each) => !target.some((other) => areExclusive(each, other)))
    const others = definition.part === undefined || takesAll.of(definition) ? [] : known
    nameLost(
      who,
      others.filter((each) => isOf(each) && !isSent(each)),
    )
    // Somebody may have given another level instead of the one that the apply gave.
    const isRaised =
      definition.part !== undefined && came.length > 0 && missingElements(target.filter(isOf), known).length > 0
    if (isBefore && lost.length === 0 && !isRaised) continue
    if (isBefore || !came.every(({ element }) => isThere(element)) || went.some(({ element }) => isThere(element))) {
      leave('changed', `\`${who}\` is ${formatHeld(target.filter(isOf))} in its ${collection} now`)
      continue
    }
    // One of a sort, such as a licence, was replaced: one without limits by each of its limits.
    const gone = came.map(({ element }) => element)
    const replaced =
      definition.of === 'items'
        ? known.filter((each) => isOf(each) || gone.some((element) => areExclusive(each, element)))
        : []
    // The former entries include the removed ones.
    const back = [
      ...new Map([...went.map(({ element }) => element), ...replaced].map((each) => [elementKey(each), each])).values(),
    ]
    const rest = target.filter((element) => missingElements([element], gone).length > 0 || !isOf(element))
    target = [...rest, ...back.filter((element) => missingElements([element], rest).length > 0)]
    for (const element of [...gone, ...back]) parts.add(definition.part?.(element) ?? '')
    takenBack.add(subject)
  }
  return { target, parts, subjects: takenBack }
}

/** What an account had, or has now, if the platform does not tell the level. */
function findUnknownLevel(
  { collection, definition, added, removed, known }: SentList,
  live: readonly KeyedElement[],
  isOf: (element: KeyedElement) => boolean,
  who: string | undefined,
): Pick<UnrevertedPart, 'why' | 'text'> | undefined {
  const isUnknown = (element: KeyedElement): boolean => isOf(element) && hasUnknownLevel(element, definition)
  if (known.some(isUnknown)) {
    const levels = formatUnknownLevels(added.filter(({ element }) => isOf(element)))
    const text = `\`${who}\` was in its ${collection} before, with levels that the platform does not tell: ${levels}`
    return { why: 'lost', text }
  }
  // What was taken explained every line of the account.
  if (!removed.some(({ element, isSure }) => isSure && isOf(element)) || !live.some(isUnknown)) return undefined
  return {
    why: 'changed',
    text: `\`${who}\` is in its ${collection} now, with a level that the platform does not tell`,
  }
}

function formatHeld(elements: readonly KeyedElement[]): string {
  const now = elements.map((element) => showElement(element))
  return now.length === 0 ? 'not' : `as ${now.join(' and ')}`
}

/** The outcome for an account whose former levels are unknown. */
function formatUnknownLevels(added: SentList['added']): string {
  const given = added.map(({ element }) => element.level)
  return given.length === 0
    ? 'svcsync does not know what it lost'
    : `svcsync does not know whether it had ${given.join(' and ')}: it stays`
}

/** With guids instead of names, which may have changed since. */
export function manifestValue(definition: Collection, elements: readonly Element[]): Json {
  return definition.toManifest(
    elements.map((element): Element => {
      if (element.svcId === undefined) {
        const { about } = element
        return about ? { ...element, about: { ...about, name: about.guid, database: String(about.dbId) } } : element
      }
      const { svcId, level, company } = element
      return {
        svcId,
        ...(level !== undefined && { level }),
        ...(company && { company: { ...company, name: company.guid } }),
      }
    }),
  )
}
