// The part of an object's live state from which its steps were computed: another precondition means another plan.
import { type Change, keyOf } from '../compare/change.ts'
import { canonicalScalar, isEmptyScalar, sameJson, sameScalar } from '../compare/compare-fields.ts'
import { isDeletion } from '../guards/guard.ts'
import { takesAway } from '../guards/judge-guards.ts'
import { takesAll } from '../model/capabilities/takes-all.ts'
import type { Declaration } from '../model/declaration.ts'
import { type Desired, elementsOf } from '../model/desired.ts'
import {
  accountKeys,
  areExclusive,
  elementKey,
  hasUnknownLevel,
  type KeyedElement,
  subjectKey,
} from '../model/elements.ts'
import { getOrInsert, groupBy } from '../model/group-by.ts'
import { accountsNamed, joinedKeys } from '../model/identity.ts'
import { isJsonObject, isMapping, type Json, type JsonObject } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import type { ObjectSchema, Schema } from '../model/schema.ts'
import { fieldsOf, isWriteOnly } from '../model/schema-fields.ts'
import { Sensitive, sensitivesIn, templatesOf } from '../model/sensitive.ts'
import type { Step } from '../model/step.ts'
import type { Plan } from './plan.ts'
import type { PlanFacts } from './plan-digest.ts'

/** For an object that does not exist, only that fact. */
export interface Precondition {
  readonly exists: boolean
  /** The part of the object's paths: another object of the same name has another one. */
  readonly self?: string
  /** The live name, if it may differ from the declared one. */
  readonly name?: string
  /** By dotted path. A sensitive value is only compared with the declared one: a digest could be guessed. */
  readonly fields?: Readonly<Record<string, Json>>
  /** For a deletion: the fields are complete, and any other field is a difference. */
  readonly whole?: true
  /** Elements of what is managed, sorted. */
  readonly collections?: Readonly<Record<string, readonly Element[]>>
}

const missing: Precondition = { exists: false }

/** `steps`: those of the object. */
export function preconditionOf(change: Change, steps: readonly Step[]): Precondition {
  const { live, desired } = change
  if (live === undefined) return missing
  const fields: Record<string, Json> = {}
  if (desired === undefined || change.action === 'delete') {
    const { properties } = live.kind.sections[0].schema
    const known = Object.entries(live.spec).filter(([key]) => properties[key]?.type !== 'open')
    const collections = Object.entries(live.collections).map(([name, elements]) => [name, sorted(elements)] as const)
    flattenFields(Object.fromEntries(known), '', fields)
    return {
      exists: true,
      self: live.self,
      whole: true,
      fields,
      collections: Object.fromEntries(collections),
    }
  }
  const { section } = desired.declarations[0]
  const { schema } = section
  const keys = joinedKeys(live)
  const known = keys === undefined ? live.spec : { ...live.spec, ...keys }
  visitObject(schema, fieldsOf(section).fields, desired.spec, known, '', fields)
  // An update may carry what nobody declared, from the live object.
  for (const { verb, spec } of steps) {
    if (verb !== 'update' || spec === undefined) continue
    visitObject(schema, Object.keys(schema.properties), spec, known, '', fields)
  }
  return {
    exists: true,
    self: live.self,
    ...(desired.previously !== undefined && { name: live.name }),
    fields,
    collections: managedCollections(change),
  }
}

function visitObject(
  schema: ObjectSchema,
  keys: readonly string[],
  wanted: JsonObject,
  live: JsonObject,
  prefix: string,
  fields: Record<string, Json>,
): void {
  for (const key of keys) {
    const part = schema.properties[key]
    const value = wanted[key]
    if (part === undefined || value === undefined || isWriteOnly(part) || part.identity || part.directive) continue
    const path = `${prefix}${key}`
    const before = live[key]
    if (part.type === 'open') {
      visitOpen(value, before, path, fields)
      continue
    }
    const nests = part.type === 'object' && isMapping(value)
    if (nests && isJsonObject(before)) {
      fields[path] = {}
      visitObject(part, Object.keys(part.properties), value, before, `${path}.`, fields)
    } else if (value instanceof Sensitive) {
      fields[path] = { reference: value.template, equal: sameScalar(part, value, before) }
    } else if (fields[path] === undefined) {
      fields[path] = plain(part, before)
    }
  }
}

function visitOpen(wanted: Json, live: Json | undefined, path: string, fields: Record<string, Json>): void {
  const secrets = sensitivesIn(wanted)
  if (isMapping(wanted)) {
    for (const [key, value] of Object.entries(wanted))
      if (value !== undefined) visitOpen(value, isJsonObject(live) ? live[key] : undefined, `${path}.${key}`, fields)
  } else if (secrets.length > 0) {
    fields[path] = { reference: templatesOf(secrets), equal: sameJson(wanted, live) }
  } else fields[path] = live ?? null
}

/** Installations return empty texts and null for each other, where the two mean the same. */
function plain(schema: Schema, live: Json | undefined): Json {
  if (live instanceof Sensitive) return { ...live.toJSON() }
  const value = canonicalScalar(schema, live)
  if (value === undefined || (isEmptyScalar(value) && schema.inherited !== true)) return null
  return value
}

function flattenFields(live: JsonObject, prefix: string, fields: Record<string, Json>): void {
  for (const [key, value] of Object.entries(live)) {
    if (isMapping(value)) flattenFields(value, `${prefix}${key}.`, fields)
    else if (!isEmptyScalar(value)) fields[`${prefix}${key}`] = value as Json
  }
}

function managedCollections(change: Change): Record<string, readonly KeyedElement[]> {
  const { desired, live, collections: differences } = change
  const result: Record<string, readonly KeyedElement[]> = {}
  for (const [name, wanted] of Object.entries(desired?.collections ?? {})) {
    const { mode, parts } = wanted
    const definition = desired?.kind.collections[name]
    const partOf = definition?.part
    const { added = [], removed = [] } = differences.find(({ collection }) => collection === name) ?? {}
    // To take the addition back takes what else the account has: an undo has to know what to give anew.
    const given = new Set(definition && takesAll.of(definition) ? added.map(({ element }) => subjectKey(element)) : [])
    // With one level an installation may take others, or exchange one for another: an undo has to name them.
    const moved =
      partOf === undefined ? given : new Set([...added.map(({ element }) => element), ...removed].map(subjectKey))
    const subjects = new Set(elementsOf(wanted).map(placeKey))
    const accounts = new Set(elementsOf(wanted).map(subjectKey))
    result[name] = sorted(
      (live?.collections[name] ?? []).filter((element) => {
        // An undo must know that the plan did not bring it there.
        if (hasUnknownLevel(element, desired?.kind.collections[name])) return accounts.has(subjectKey(element))
        // Other entries of an additive list are free to change, except those that an addition replaces.
        if (moved.has(subjectKey(element))) return true
        if (mode === 'additive')
          return (
            subjects.has(placeKey(element)) ||
            given.has(subjectKey(element)) ||
            (element.svcId === undefined && isReplaced(element, elementsOf(wanted)))
          )
        return partOf === undefined || parts === 'all' || parts.includes(partOf(element))
      }),
    )
  }
  // A deleted account also loses entries in unmanaged lists.
  for (const { collection, removed } of differences) {
    const managed = result[collection] ?? []
    const more = removed.filter((element) => !managed.includes(element))
    if (more.length > 0) result[collection] = sorted([...managed, ...more])
  }
  return result
}

const isReplaced = (item: KeyedElement, wanted: readonly KeyedElement[]): boolean =>
  wanted.some((each) => areExclusive(item, each))

function placeKey(element: KeyedElement): string {
  return element.level === undefined ? subjectKey(element) : `${subjectKey(element)} ${element.level}`
}

function sorted(elements: readonly KeyedElement[]): KeyedElement[] {
  const keyed = elements.map((element) => ({ key: elementKey(element), element }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ element }) => element)
}

export interface Preconditions extends PlanFacts {
  /** The objects that have steps, in the order of addresses. */
  readonly objects: readonly { readonly address: string; readonly basis: Precondition }[]
}

/** The parts of the live state that the steps of a plan, and its verdicts, rest on. */
export function preconditionsOf(
  plan: Pick<Plan, 'changes' | 'steps'>,
): Pick<Preconditions, 'objects' | 'accounts' | 'behind'> {
  const steps = groupBy(plan.steps, ({ address }) => address)
  const needed = accountsGiven(plan)
  const objects: { address: string; basis: Precondition }[] = []
  const accounts: Change[] = []
  for (const change of plan.changes) {
    const { address } = change
    const own = steps.get(address)
    if (own !== undefined) objects.push({ address, basis: preconditionOf(change, own) })
    else if (isAccount(change) && change.live !== undefined && needed.has(change.live.key)) accounts.push(change)
  }
  const behind = changesWithoutSteps(plan.changes, { steps, accounts })
  return { objects, accounts: accounts.map(addressOf), behind: behind.map(addressOf) }
}

const addressOf = ({ address }: Change): string => address

/** Objects that lose a deleted account without a step, and groups in lists that were read: guards see them again. */
function changesWithoutSteps(
  changes: readonly Change[],
  { steps, accounts }: { readonly steps: ReadonlyMap<string, unknown>; readonly accounts: readonly Change[] },
): readonly Change[] {
  if (!changes.some(takesAway)) return []
  const isAccountOfSteps = new Set(accounts)
  const beside = changes.filter((change) => !steps.has(change.address) && !isAccountOfSteps.has(change))
  const deleted = new Set(changes.filter(isDeletion).map(keyOf))
  const listedIn = ({ live }: Change): string[] => Object.values(live?.collections ?? {}).flatMap(accountKeys)
  const groups = new Map<string, Change>()
  for (const change of beside) {
    const { live } = change
    if (live !== undefined && Object.values(live.kind.collections).some(({ nests }) => nests)) {
      groups.set(live.key, change)
    }
  }
  const result = new Set(beside.filter((change) => listedIn(change).some((account) => deleted.has(account))))
  const lists = [...changes.filter((change) => change.action !== 'none'), ...result]
  const seen = new Set(lists.flatMap(listedIn))
  for (const account of seen) {
    const group = groups.get(account)
    if (group === undefined) continue
    result.add(group)
    for (const inner of listedIn(group)) seen.add(inner)
  }
  return beside.filter((change) => result.has(change))
}

function isAccount({ desired }: Change): boolean {
  return desired?.kind.provides !== undefined
}

function accountsGiven({ changes, steps }: Pick<Plan, 'changes' | 'steps'>): ReadonlySet<string> {
  const result = new Set<string>()
  const changeAt = new Map(changes.map((change) => [change.address, change]))
  for (const step of steps) {
    const { verb, elements = [], collections = {}, spec = {}, fieldKeys } = step
    const given = verb === 'remove' ? [] : [...elements, ...Object.values(collections).flat()]
    for (const account of accountKeys(given)) result.add(account)
    const { desired } = changeAt.get(step.address) ?? {}
    if (desired === undefined) continue
    const { section } = desired.declarations[0]
    if (fieldsOf(section).holder !== undefined) result.add(desired.key)
    for (const { key } of accountsNamed(section, { spec, fieldKeys })) result.add(key)
  }
  return result
}

/** Their parents come before them, by name only. */
export function declarationsWithParents(desired: readonly Desired[]): readonly Declaration[] {
  const containers = new Map<Declaration, Declaration>()
  const result: Declaration[] = []
  const bare = (declaration: Declaration): Declaration => {
    const { kind, section, item } = declaration
    // A process may name its application beside it.
    const names = [section.identity, ...(kind.parent === undefined ? [] : [kind.parent])]
    const said = Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]))
    const container = { ...declaration, item: said, parent: containerOf(declaration) }
    result.push(container)
    return container
  }
  const containerOf = ({ parent }: Declaration) => parent && getOrInsert(containers, parent, bare)
  for (const { declarations } of desired) {
    for (const declaration of declarations) {
      const parent = containerOf(declaration)
      result.push({ ...declaration, parent })
    }
  }
  return result
}
