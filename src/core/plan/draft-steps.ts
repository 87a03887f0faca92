// Turns changes into the writes that they take, each with the accounts it needs to exist and those it lets go of.
import { type Change, kindOf } from '../compare/change.ts'
import { specOf } from '../compare/compare-fields.ts'
import { withoutRotations } from '../compare/rotations.ts'
import { takesAll } from '../model/capabilities/takes-all.ts'
import { elementsOf } from '../model/desired.ts'
import { accountKeys, byElement, elementKey, type KeyedElement, subjectKey, subjectKeys } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import { accountsNamed, joinedKeys, type KeyedFields } from '../model/identity.ts'
import type { JsonObject } from '../model/json.ts'
import type { Collection, Element, Section } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Step } from '../model/step.ts'
import { doubtedNames } from './doubted-fields.ts'
import { holdRemovals } from './hold-removals.ts'

/** A step without an id, with its edges still in terms of accounts and of other drafts. */
export interface StepDraft {
  readonly change: Change
  readonly step: { -readonly [Key in keyof Step]: Step[Key] }
  /** Keys of accounts that must exist before. */
  needs: readonly string[]
  /** Keys of accounts that the object no longer refers to afterwards. */
  readonly releases: readonly string[]
  /** Drafts of the same object that must have ended before, well or not. */
  follows?: StepDraft | undefined
  /** Drafts that must have ended well before: of the same object, or by which something is there to give. */
  readonly after: StepDraft[]
  /** The position among all drafts, set when they are ordered. */
  position: number
}

const none: readonly never[] = []

export function draftOf(
  change: Change,
  verb: Step['verb'],
  sent: Pick<Step, 'spec' | 'rotates' | 'collections' | 'collection' | 'elements' | 'restsOn'>,
  { needs = none, releases = none, after = [], follows }: Partial<Omit<StepDraft, 'change' | 'step' | 'position'>>,
): StepDraft {
  const { address, desired, live } = change
  const at = live === undefined ? (desired?.at ?? {}) : { ...desired?.at, ...live.at }
  const step: StepDraft['step'] = { id: '', address, kind: kindOf(change).name, verb, at, dependsOn: none, ...sent }
  // Undeclared parts of an update come from the live object.
  const fieldKeys = sent.spec && joinedKeys(live, desired)
  if (fieldKeys !== undefined) step.fieldKeys = fieldKeys
  return { change, step, needs, releases, follows, after, position: -1 }
}

/** In an order that is right for the object by itself. `isApart`: of accounts that share no write with others. */
export function draftSteps(change: Change, isApart?: (account: string) => boolean): StepDraft[] {
  switch (change.action) {
    case 'none':
      return []
    case 'create':
      return [draftCreate(change)]
    case 'update':
      return draftUpdate(change, isApart)
    case 'delete':
      return [draftOf(change, 'delete', {}, { releases: liveReferences(change) })]
  }
}

function draftCreate(change: Change): StepDraft {
  const { desired } = change
  const wanted = desired === undefined ? {} : (kindOf(change).createSpec?.(desired.spec) ?? desired.spec)
  const spec = withoutNulls(withoutRotations(sectionOf(change), wanted))
  let needs = accountsIn(change, { spec, fieldKeys: desired?.fieldKeys })
  let collections: StepDraft['step']['collections']
  for (const [name, wanted] of Object.entries(desired?.collections ?? {})) {
    if (wanted.elements.size === 0) continue
    const elements = elementsOf(wanted).sort(byElement)
    collections = { ...collections, [name]: elements }
    needs = [...needs, ...accountKeys(elements)]
  }
  return draftOf(change, 'create', { spec, ...(collections && { collections }) }, { needs })
}

/** A create says nothing about what is to be cleared: there is nothing yet. */
function withoutNulls(spec: JsonObject): JsonObject {
  for (const key in spec) {
    if (spec[key] === null) return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))
  }
  return spec
}

function draftUpdate(change: Change, isApart: ((account: string) => boolean) | undefined): StepDraft[] {
  const kind = kindOf(change)
  const drafts: StepDraft[] = []
  const wholes = change.collections.some(({ collection }) => kind.collections[collection]?.whole)
  if ((change.fields.length > 0 || wholes) && change.desired !== undefined && change.live !== undefined) {
    const changed = specOf(change.fields)
    const own = kind.updateSpec?.(changed, change.desired.spec, change.live.spec) ?? changed
    const section = sectionOf(change)
    const spec = withoutRotations(section, withDeclaredExtra(own, section, change.desired.spec))
    const rotates = change.fields.flatMap(({ rotates, path }) => (rotates ? path.slice(0, -1).join('.') : []))
    const needs = accountsIn(change, { spec: changed, fieldKeys: change.desired.fieldKeys })
    // A manager that is sent along must still exist.
    const sent = accountsIn(change, { spec, fieldKeys: joinedKeys(change.live, change.desired) })
    const carried = sent.filter((account) => !needs.includes(account))
    const releases = [...releasedFields(change), ...carried]
    const collections = wholeCollections(change)
    const more = { ...(rotates.length > 0 && { rotates }), ...(collections && { collections }) }
    const held = doubtedNames(change).length > 0 && { restsOn: change.address }
    drafts.push(draftOf(change, 'update', { spec, ...more, ...held }, { needs, releases }))
  }
  const holder = holderOf(change)
  for (const difference of change.collections) {
    const { collection } = difference
    const definition = kind.collections[collection] as Collection
    if (definition.whole) continue
    const removedSubjects = new Set(difference.removed.flatMap(subjectKeys))
    const added = difference.added.map(({ element }) => element)
    // Additions come first, except for a change of level, since a removal may take every level of the subject.
    const early = added.filter((element) => !removedSubjects.has(subjectKey(element)))
    const late = added.filter((element) => removedSubjects.has(subjectKey(element)))
    const partOf = (element: Element): string => definition.part?.(element) ?? ''
    const write = (
      verb: 'add' | 'remove',
      elements: readonly KeyedElement[],
      first: (batch: readonly KeyedElement[]) => StepDraft[],
    ) =>
      (verb === 'remove' && takesAll.of(definition)
        ? [...groupBy(elements, subjectKey).values()]
        : batchesApart(elements, definition.batch, isApart)
      ).map((batch) => {
        const accounts = [...holder, ...accountKeys(batch)]
        const after = first(batch)
        const last = drafts.at(-1)
        // Objects that synchronise take one write at a time; elsewhere the writes of an object go side by side.
        const follows = kind.synchronises && last !== undefined && !after.includes(last) ? last : undefined
        const edges = verb === 'add' ? { needs: accounts } : { releases: accounts }
        const draft = draftOf(change, verb, { collection, elements: batch }, { ...edges, after, follows })
        drafts.push(draft)
        return draft
      })
    const additions = write('add', early, () => [])
    const removals = write('remove', difference.removed.flatMap(namingLevels(definition, difference.removed)), () => [])
    const changes = write('add', late, (batch) => {
      const subjects = batch.map(subjectKey)
      return removals.filter(({ step }) =>
        step.elements?.some((each) => subjectKeys(each).some((key) => subjects.includes(key))),
      )
    })
    holdRemovals(change, difference, { additions, removals, changes }, partOf)
  }
  return drafts
}

/** A removal names a level. If the platform tells none, every possible level is removed, one by one. */
function namingLevels({ allParts = [] }: Collection, removed: readonly KeyedElement[]) {
  const done = new Set(removed.flatMap((each) => (each.level === undefined ? [] : elementKey(each))))
  return (element: KeyedElement): KeyedElement[] => {
    if (element.svcId === undefined || element.level !== undefined || allParts.length === 0) return [element]
    return allParts.flatMap((level) => {
      const own: KeyedElement = { ...element, level, company: null }
      const key = elementKey(own)
      if (done.has(key)) return []
      done.add(key)
      return [own]
    })
  }
}

/** The lists that every update carries: as declared, and as live where nothing is declared. */
function wholeCollections({ desired, live }: Change): StepDraft['step']['collections'] {
  const whole = Object.entries(live?.kind.collections ?? {}).flatMap(([name, { whole }]) => (whole ? name : []))
  if (whole.length === 0) return undefined
  return Object.fromEntries(
    whole.map((name) => {
      const wanted = desired?.collections[name]
      const elements = wanted === undefined ? live?.collections[name] : elementsOf(wanted)
      return [name, [...(elements ?? [])].sort(byElement)]
    }),
  )
}

/** Unknown fields go along as declared: nobody knows whether their live values may be sent back. */
function withDeclaredExtra(spec: JsonObject, section: Section, desired: JsonObject): JsonObject {
  const { open } = fieldsOf(section)
  if (open === undefined || (spec[open] === undefined && desired[open] === undefined)) return spec
  const { [open]: _, ...known } = spec
  return desired[open] === undefined ? known : { ...known, [open]: desired[open] }
}

function holderOf({ desired }: Change): readonly string[] {
  const isHeld = desired !== undefined && fieldsOf(desired.declarations[0].section).holder !== undefined
  return isHeld ? [desired.key] : none
}

function batchesApart(
  elements: readonly KeyedElement[],
  size: number,
  isApart: ((account: string) => boolean) | undefined,
): KeyedElement[][] {
  const apart = isApart === undefined ? [] : elements.filter((element) => accountKeys([element]).some(isApart))
  if (apart.length === 0) return batches(elements, size)
  const others = elements.filter((element) => !apart.includes(element))
  return [...batches(others, size), ...batches(apart, size)]
}

function batches<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = []
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size))
  return result
}

function sectionOf(change: Change): Section {
  return change.desired?.declarations[0].section ?? kindOf(change).sections[0]
}

function accountsIn(change: Change, fields: KeyedFields): readonly string[] {
  const named = accountsNamed(sectionOf(change), fields)
  return named.length === 0 ? none : named.map(({ key }) => key)
}

function releasedFields(change: Change): readonly string[] {
  const changed = new Set(change.fields.map(({ path }) => path[0]))
  return liveFields(change).flatMap(({ field, key }) => (changed.has(field) ? key : []))
}

function liveFields(change: Change) {
  return change.live === undefined ? [] : accountsNamed(sectionOf(change), change.live)
}

function liveReferences(change: Change): readonly string[] {
  const elements = Object.values(change.live?.collections ?? {}).flatMap(accountKeys)
  return [...liveFields(change).map(({ key }) => key), ...elements]
}
