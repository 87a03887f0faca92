// Turns changes into the writes that they take, each with the accounts it needs to exist and those it lets go of.

import type { Change } from '../compare/change.ts'
import { specOf } from '../compare/compare-fields.ts'
import type { FoldSvcId } from '../model/address.ts'
import { accountsIn, subjectKey } from '../model/elements.ts'
import { elementKey } from '../model/identity.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Collection, Element, Kind } from '../model/kind.ts'
import type { ObjectSchema } from '../model/schema.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Draft } from './draft.ts'
import { holdRemovals } from './hold-removals.ts'

const none: readonly string[] = []

/** The writes of one change, in an order that is right for the object by itself. */
export function draftSteps(change: Change, fold: FoldSvcId): Draft[] {
  switch (change.action) {
    case 'none':
      return []
    case 'create':
      return [draftCreate(change, fold)]
    case 'update':
      return draftUpdate(change, fold)
    case 'delete':
      return [
        {
          change,
          kind: kindOf(change),
          verb: 'delete',
          needs: none,
          releases: liveReferences(change, fold),
          after: [],
          position: -1,
        },
      ]
  }
}

function kindOf(change: Change): Kind {
  return (change.desired?.kind ?? change.live?.kind) as Kind
}

function draftCreate(change: Change, fold: FoldSvcId): Draft {
  const { desired } = change
  const kind = kindOf(change)
  const spec = desired === undefined ? {} : withoutNulls(kind.createSpec?.(desired.spec) ?? desired.spec)
  const needs = referencesIn(change, spec, fold)
  const draft: Draft = { change, kind, verb: 'create', spec, needs, releases: none, after: [], position: -1 }
  if (desired !== undefined) {
    for (const [name, wanted] of Object.entries(desired.collections)) {
      if (wanted.elements.size === 0) continue
      const elements = [...wanted.elements.values()].map(({ element }) => element)
      if (elements.length > 1) elements.sort((a, b) => (elementKey(a, fold) < elementKey(b, fold) ? -1 : 1))
      draft.collections ??= {}
      draft.collections[name] = elements
      draft.needs = [...draft.needs, ...accountsIn(elements).map(fold)]
    }
  }
  return draft
}

/** A create says nothing about what is to be cleared: there is nothing yet. */
function withoutNulls(spec: JsonObject): JsonObject {
  for (const key in spec) {
    if (spec[key] === null) return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))
  }
  return spec
}

function draftUpdate(change: Change, fold: FoldSvcId): Draft[] {
  const kind = kindOf(change)
  const drafts: Draft[] = []
  const push = (draft: Omit<Draft, 'change' | 'kind' | 'after' | 'position'>, after: readonly Draft[]): Draft => {
    const whole: Draft = { ...draft, change, kind, after: [...after], position: -1 }
    drafts.push(whole)
    return whole
  }
  if (change.fields.length > 0 && change.desired !== undefined && change.live !== undefined) {
    const changed = specOf(change.fields)
    const spec = kind.updateSpec?.(changed, change.desired.spec, change.live.spec) ?? changed
    const needs = referencesIn(change, changed, fold)
    // Who is sent along as a manager has to be there still.
    const carried = referencesIn(change, spec, fold).filter((svcId) => !needs.includes(svcId))
    push({ verb: 'update', spec, needs, releases: [...releasedFields(change, fold), ...carried] }, [])
  }
  const holder = holderOf(change, fold)
  for (const difference of change.collections) {
    const { collection } = difference
    const definition = kind.collections[collection] as Collection
    const removedSubjects = new Set(difference.removed.map((element) => subjectKey(element, fold)))
    const added = difference.added.map(({ element }) => element)
    // First what is new, so that nobody is without access in between; but who changes level is taken from the old one
    // first, since on some installations removing takes every level of the subject.
    const early = added.filter((element) => !removedSubjects.has(subjectKey(element, fold)))
    const late = added.filter((element) => removedSubjects.has(subjectKey(element, fold)))
    const partOf = (element: Element): string => definition.part?.(element) ?? ''
    const write = (
      verb: 'add' | 'remove',
      elements: readonly Element[],
      first: (batch: readonly Element[]) => Draft[],
    ) =>
      batches(elements, definition.batch).map((batch) => {
        const accounts = [...holder, ...accountsIn(batch).map(fold)]
        const after = first(batch)
        const last = drafts.at(-1)
        // Objects that synchronise take one write at a time; elsewhere the writes of an object go side by side.
        const follows = kind.synchronises && last !== undefined && !after.includes(last) ? last : undefined
        const needs = verb === 'add' ? accounts : none
        const releases = verb === 'remove' ? accounts : none
        return push({ verb, collection, elements: batch, needs, releases, follows }, after)
      })
    const additions = write('add', early, () => [])
    const removals = write('remove', difference.removed, () => [])
    const changes = write('add', late, (batch) => {
      const subjects = batch.map((element) => subjectKey(element, fold))
      return removals.filter(({ elements }) =>
        elements?.some((element) => subjects.includes(subjectKey(element, fold))),
      )
    })
    holdRemovals(change, difference, { additions, removals, changes }, partOf, fold)
  }
  return drafts
}

/** The account of which the object is. */
function holderOf({ desired }: Change, fold: FoldSvcId): readonly string[] {
  const isHeld = desired !== undefined && fieldsOf(desired.declarations[0].section).holder !== undefined
  return isHeld ? [fold(desired.at.name ?? '')] : none
}

function batches<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = []
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size))
  return result
}

function schemaOf(change: Change): ObjectSchema {
  return (change.desired?.declarations[0].section ?? kindOf(change).sections[0]).schema
}

/** Folded svcIds that the fields of `spec` refer to. Reference fields stand at the top of an object. */
function referencesIn(change: Change, spec: JsonObject, fold: FoldSvcId): readonly string[] {
  let found: string[] | undefined
  const { properties } = schemaOf(change)
  const section = change.desired?.declarations[0].section ?? kindOf(change).sections[0]
  for (const field of fieldsOf(section).fields) {
    const value: Json | undefined = spec[field]
    if (typeof value === 'string' && value !== '' && properties[field]?.reference !== undefined) {
      found ??= []
      found.push(fold(value))
    }
  }
  return found ?? none
}

function releasedFields(change: Change, fold: FoldSvcId): readonly string[] {
  const { properties } = schemaOf(change)
  return change.fields
    .filter(({ path, before }) => properties[path[0] as string]?.reference !== undefined && typeof before === 'string')
    .map(({ before }) => fold(before as string))
}

function liveReferences(change: Change, fold: FoldSvcId): readonly string[] {
  const { live } = change
  if (live === undefined) return none
  const fields = referencesIn(change, live.spec, fold)
  const elements = Object.values(live.collections).flatMap((list) => accountsIn(list).map(fold))
  return [...fields, ...elements]
}
