// Merges declarations of one object; a repeated statement is a problem that names both places.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { hasEnded } from '../model/capabilities/has-ended.ts'
import { type Declaration, declaredTwice, identityOf, placeIn } from '../model/declaration.ts'
import { type Desired, type DesiredCollection, placeOfField } from '../model/desired.ts'
import type { FoundObject } from '../model/directory.ts'
import { fieldKeysOf } from '../model/identity.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { endOf, holderBounds } from './account-ends.ts'
import { overlay, overridesIn, withOverrides } from './apply-overrides.ts'
import type { AssemblyRun } from './flatten-sets.ts'
import { joinLists } from './join-lists.ts'
import { readList, writtenMode } from './read-list.ts'
import { checkUnmanaged, unmanagedIn } from './unmanaged.ts'

type ListPart = ReturnType<typeof readList>

type Declarations = ReturnType<typeof withOverrides>

/** A desired object that is still gathering its declarations. The first is the one that declares the object, if any. */
type DesiredDraft = { -readonly [K in keyof Desired]: K extends 'declarations' ? Declarations : Desired[K] }

/** The object of a declaration, and perhaps of later ones; `mergeDeclarations` completes it. */
export function draftOf(declaration: Declaration, { address, at }: FoundObject, key: string): DesiredDraft {
  return {
    kind: declaration.kind,
    address,
    at,
    key,
    fieldKeys: nothing,
    spec: nothing,
    collections: nothing,
    previously: undefined,
    absent: false,
    partial: false,
    overByMs: undefined,
    declarations: [declaration],
  }
}

const nothing: Readonly<Record<string, never>> = {}

export function mergeDeclarations(draft: DesiredDraft, run: AssemblyRun): void {
  const { problems } = run
  const isOverride = overridesIn(run.overrides)
  checkUnmanaged(draft.declarations, isOverride, run)
  draft.unmanaged = unmanagedIn(draft.declarations)
  const left = draft.unmanaged?.map(({ path }) => path)
  const declarations = withOverrides(draft.declarations, isOverride)
  if (declarations !== draft.declarations) draft.written = draft.declarations
  draft.declarations = declarations
  draft.spec = mergeFields(declarations, isOverride, problems)
  draft.fieldKeys = fieldKeysOf(declarations[0].section, draft.spec, run.normalise)
  draft.absent = declarations.some(({ item }) => item.absent === true)
  const replacing = declarations.findLast(({ item }) => item.replaces !== undefined)
  if (replacing !== undefined) draft.replaces = run.normalise(String(replacing.item.replaces))
  const { nowMs } = run.time
  if (hasEnded.of(draft.kind)?.(draft.spec, nowMs)) draft.overByMs = nowMs
  const isAbsent = draft.absent
  draft.end = endOf(draft, run)
  draft.absent ||= draft.end?.isOver === true
  draft.collections = mergeCollections(draft, run, left)
  const renamed = declarations.find(({ item }) => item.previously !== undefined)
  draft.previously = renamed && String(renamed.item.previously)
  draft.partial = declarations[0].section.partial === true
  if (draft.overByMs !== undefined && !isAbsent) problems.push(overProblem(draft))
}

function overProblem(draft: Desired): Problem {
  const { address, kind } = draft
  const end = fieldsOf(kind.sections[0]).fields.filter((field) => {
    return kind.sections[0].schema.properties[field]?.moment === 'until'
  })
  return {
    code: 'SVC1309',
    severity: 'warning',
    address,
    message: `It ended with ${String(draft.spec[end[0] ?? ''])}`,
    place: placeOfField(draft, end),
    hint: 'svcsync no longer creates it: remove it.',
  }
}

function mergeCollections(
  draft: DesiredDraft,
  run: AssemblyRun,
  left?: readonly string[],
): Readonly<Record<string, DesiredCollection>> {
  const { kind, at, declarations } = draft
  const outer = holderBounds(draft, run)
  let lists: ListPart[] | undefined
  for (const declaration of declarations) {
    for (const { field, collection } of fieldsOf(declaration.section).collections) {
      const value = declaration.item[field]
      if (value === undefined) continue
      lists ??= []
      lists.push(readList({ declaration, field, collection, value }, { at, outer }, run))
    }
  }
  reportWholeNothing(declarations, lists, run.problems)
  if (lists === undefined) return nothing
  const [only] = lists
  if (only !== undefined && lists.length === 1) {
    return { [only.collection]: joinLists(lists, run, left) }
  }
  const collections: Record<string, DesiredCollection> = {}
  for (const name of Object.keys(kind.collections)) {
    const parts = lists.filter(({ collection }) => collection === name)
    if (parts.length > 0) collections[name] = joinLists(parts, run, left)
  }
  return collections
}

/** Authors who declare unlisted levels empty may believe that they need no list. */
function reportWholeNothing(
  declarations: Declarations,
  lists: readonly ListPart[] | undefined,
  problems: Problem[],
): void {
  for (const declaration of declarations) {
    if (declaration.item.manage === undefined) continue
    for (const { field } of fieldsOf(declaration.section).collections) {
      if (writtenMode(declaration, field) !== 'whole' || lists?.some((list) => list.field === field)) continue
      problems.push({
        code: 'SVC1335',
        severity: 'error',
        message:
          `\`${field}\` of ${declaration.kind.name} ` +
          `${inCode(String(declaration.item[declaration.section.identity]))} are managed whole, but missing`,
        place: placeIn(declaration, ['manage', field], 'key'),
        hint: `Write \`${field}\` with its levels; \`${field}: {}\` means that nobody has any.`,
      })
    }
  }
}

/** The order in which an object is written, and in how many places, must not show in a plan. */
function inOrder<T>(keys: readonly string[], parts: Readonly<Record<string, T>>): Record<string, T> {
  const result: Record<string, T> = {}
  for (const key of keys) if (Object.hasOwn(parts, key)) result[key] = parts[key] as T
  return result
}

function mergeFields(
  declarations: Declarations,
  isOverride: ReturnType<typeof overridesIn>,
  problems: Problem[],
): JsonObject {
  const [first, ...others] = declarations
  // A single declaration needs no merge.
  if (others.length === 0) return declaredFieldsOf(first)
  const spec: Record<string, Json | undefined> = {}
  const owners = new Map<string, Declaration>()
  for (const declaration of declarations) {
    for (const [field, value] of Object.entries(declaredFieldsOf(declaration))) {
      const owner = owners.get(field)
      // Fields that make the name are equal in all declarations.
      if (owner !== undefined && declaration.kind.key?.fields.includes(field)) continue
      if (owner !== undefined && (!isOverride(declaration) || isOverride(owner))) {
        problems.push(declaredTwiceProblem(`\`${field}\``, declaration, [field], owner, [field]))
        continue
      }
      // If both declare parts of a field, the override replaces the parts of the base.
      spec[field] = owner === undefined ? value : overlay(spec[field], value as Json)
      owners.set(field, declaration)
    }
  }
  if (owners.size === 0)
    reportBareRepetition(
      declarations.filter((each) => !isOverride(each)),
      problems,
    )
  return inOrder(fieldsOf(first.section).fields, spec)
}

function declaredFieldsOf({ section, item }: Declaration): JsonObject {
  const spec: Record<string, Json | undefined> = {}
  for (const field of fieldsOf(section).fields) if (item[field] !== undefined) spec[field] = item[field]
  return spec
}

/** Two items that declare the same object and say nothing that could tell them apart are a slip of copying. */
function reportBareRepetition(declarations: readonly Declaration[], problems: Problem[]): void {
  const whole = declarations.filter(({ kind, section }) => !section.partial && kind.lifecycle !== 'found')
  for (const declaration of whole.slice(1)) {
    const collects = fieldsOf(declaration.section).collections.some(
      ({ field }) => declaration.item[field] !== undefined,
    )
    if (!collects) problems.push(declaredTwiceProblem('The object', declaration, [], whole[0] as Declaration, []))
  }
}

function declaredTwiceProblem(
  what: string,
  declaration: Declaration,
  path: readonly (string | number)[],
  earlier: Declaration,
  earlierPath: readonly (string | number)[],
): Problem {
  const called = `${declaration.kind.name} ${inCode(identityOf(declaration))}`
  const message = `${what} of ${called} is declared twice`.replace('The object of ', 'The ')
  const [place, other] = [placeIn(declaration, path, 'key'), placeIn(earlier, earlierPath, 'key')]
  return declaredTwice(message, place, other, 'keep one of the two.')
}
