// From declarations to desired objects: where each belongs, what several say of one, and what contradicts.
import { errorAt, formatPlace, inCode, type Place, type Problem } from '@svcsync/errors/index.ts'
import { addressUnder, byAddress } from '../model/address.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import { type AssemblySettings, type Desired, type ProblemPlaces, placeOfField, writtenFor } from '../model/desired.ts'
import type { Directory, FoundObject } from '../model/directory.ts'
import { getOrInsert } from '../model/group-by.ts'
import { nameKey } from '../model/identity.ts'
import type { Kind } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { findOutlived } from './account-ends.ts'
import { visitAccountUses } from './account-uses.ts'
import { flattenSets, type UnlocatedReason } from './flatten-sets.ts'
import { locateDeclaration } from './locate.ts'
import { draftOf, mergeDeclarations } from './merge-declarations.ts'

type DesiredDraft = ReturnType<typeof draftOf>

interface Assembly {
  readonly desired: readonly Desired[]
  readonly problems: readonly Problem[]
  /** Declarations in no desired object, since a list of names was unreadable; with all that may mean the same one. */
  readonly unlocated: ReadonlyMap<Declaration, UnlocatedReason>
}

export function assembleDesired(
  declarations: readonly Declaration[],
  directory: Directory,
  settings: AssemblySettings,
): Assembly {
  const problems: Problem[] = []
  const unlocated = new Map<Declaration, UnlocatedReason>()
  const flat = flattenSets(settings)
  const run = { ...settings, directory, problems, flat, unlocated, lost: new Set<object>() }
  // Only looked-up objects contain others.
  const found = new Map<Declaration, FoundObject | undefined>()
  const byGuid = new Map<string, FoundObject>()
  const tables = new Map<Kind, Map<string, DesiredDraft>>()
  const drafts: DesiredDraft[] = []

  const locate = (declaration: Declaration): FoundObject | undefined => {
    if (declaration.kind.lookup === undefined) return locateDeclaration(declaration, locate, run)
    if (!found.has(declaration)) {
      const place = locateDeclaration(declaration, locate, run)
      const { kind } = declaration
      const isOwn = place?.guid === undefined || kind.scope !== 'database'
      // Several applications may list one process: it is one object, at the first address, within a database.
      const known = isOwn ? place : getOrInsert(byGuid, `${kind.name} ${place.at.dbId} ${place.guid}`, () => place)
      found.set(declaration, known)
    }
    return found.get(declaration)
  }

  for (const declaration of declarations) {
    const place = locate(declaration)
    if (place === undefined) continue
    const { kind, section } = declaration
    const table = tables.get(kind) ?? new Map<string, DesiredDraft>()
    if (table.size === 0) tables.set(kind, table)
    const key = nameKey(kind, place.at.name ?? '', settings.normalise)
    // If the name alone makes the address, the key is looked up. A database may have two names.
    const isNamedAlone = kind.scope === 'database' && kind.lookup === undefined
    const unique = kind.scope === 'installation' ? key : isNamedAlone ? `${place.at.dbId} ${key}` : place.address
    const draft = table.get(unique)
    if (draft === undefined) {
      const fresh = draftOf(declaration, place, key)
      table.set(unique, fresh)
      drafts.push(fresh)
    } else if (draft.declarations[0].section.partial && !section.partial) draft.declarations.unshift(declaration)
    else draft.declarations.push(declaration)
  }

  if (unlocated.size > 0) leaveNamesakes(drafts, unlocated)
  const merged = drafts.filter((draft) => {
    settings.checkRoom?.()
    const why = unlocated.size > 0 && whyUnlocated(draft, unlocated)
    if (why) return markUnlocated(draft, why, unlocated)
    const before = unlocated.size
    mergeDeclarations(draft, run)
    // One of its entries names something in such a list: a list without it would take it away.
    return (
      unlocated.size === before || markUnlocated(draft, [...unlocated.values()].at(-1) as UnlocatedReason, unlocated)
    )
  })
  const desired: Desired[] = merged.sort(byAddress)
  const across = [...usesOfAbsent(desired), ...findOutlived(desired, run), ...findSharedOldNames(desired)]
  return { desired, problems: problems.concat(flat.problems, across), unlocated }
}

/** A found process may be the namesake that an unreadable list contains. */
function leaveNamesakes(drafts: readonly DesiredDraft[], unlocated: Map<Declaration, UnlocatedReason>): void {
  const nameOf = (kind: Kind, dbId: number | undefined, name: string | undefined) => `${kind.name} ${dbId} ${name}`
  const names = new Map(
    [...unlocated]
      .filter(([{ kind, parent }]) => kind.parent !== undefined && parent === undefined)
      .map(([each, why]) => [nameOf(each.kind, why.dbId, identityOf(each)), why]),
  )
  for (const draft of drafts) {
    const why =
      draft.declarations[0].parent === undefined && names.get(nameOf(draft.kind, draft.at.dbId, draft.at.name))
    if (why) markUnlocated(draft, why, unlocated)
  }
}

function whyUnlocated(
  { declarations }: DesiredDraft,
  unlocated: ReadonlyMap<Declaration, UnlocatedReason>,
): UnlocatedReason | undefined {
  const whyOf = (each: Declaration): UnlocatedReason | undefined =>
    unlocated.get(each) ?? (each.parent && whyOf(each.parent))
  return declarations.map(whyOf).find((why) => why !== undefined)
}

function markUnlocated(draft: DesiredDraft, why: UnlocatedReason, unlocated: Map<Declaration, UnlocatedReason>): false {
  for (const each of writtenFor(draft)) if (!unlocated.has(each)) unlocated.set(each, why)
  return false
}

const given = 'given something'

/** Every use of an account declared absent, and all else declared of it; what it has may be declared empty. */
function usesOfAbsent(desired: readonly Desired[]): Problem[] {
  const absent = new Map<string, Desired>()
  for (const object of desired) {
    if (object.absent && object.end === undefined && object.kind.provides !== undefined) absent.set(object.key, object)
  }
  if (absent.size === 0) return []
  const problems = new Map<string, Problem>()
  const report = (
    svcId: string,
    gone: Desired,
    user: Desired,
    { place, related = [] }: ProblemPlaces,
    how: string,
  ): void => {
    const key = `${formatPlace(place)} ${how}`
    if (problems.has(key)) return
    const other = placeOfField(gone, ['absent'])
    problems.set(key, {
      code: 'SVC1314',
      severity: 'error',
      address: user.address,
      message: `${inCode(svcId)} is declared absent, but ${how} here`,
      place,
      hint:
        `${how === given ? `Write an empty list here, or remove it` : 'Remove it here'}, ` +
        'or remove `absent: true` there.',
      related: [...related, { message: 'declared absent here', place: other }],
    })
  }
  for (const object of absent.values()) {
    for (const declaration of object.declarations) {
      if (declaration.section.partial || declaration.item.absent === true) continue
      report(object.at.name ?? '', object, object, { place: placeIn(declaration, []) }, 'declared')
    }
  }
  visitAccountUses(
    desired,
    (key) => absent.has(key),
    ({ svcId, key, object, places }) => {
      const isOwn = holderOf(object) === key
      if (isOwn && isDeclaredEmpty(object)) return
      report(svcId, absent.get(key) as Desired, object, places(), isOwn ? given : 'used')
    },
  )
  return [...problems.values()]
}

/** The account of which the object is: what it has is released before the account is deleted. */
function holderOf({ kind, declarations: [{ section }], key }: Desired): string | undefined {
  return kind.provides !== undefined || fieldsOf(section).holder === undefined ? undefined : key
}

function isDeclaredEmpty({ collections }: Desired): boolean {
  return Object.values(collections).every(
    ({ elements, outside }) =>
      elements.size === 0 && ![...(outside?.values() ?? [])].some(({ event }) => event === 'begins'),
  )
}

/** Old names that are declared themselves, and those that several objects had. */
function findSharedOldNames(desired: readonly Desired[]): Problem[] {
  const renamed = desired.filter(({ previously }) => previously !== undefined)
  if (renamed.length === 0) return []
  const declared = new Map(desired.map((object) => [object.address, object]))
  const known = new Map<string, Desired>()
  const problems: Problem[] = []
  for (const object of renamed) {
    const { kind, address, at, previously = '' } = object
    // A kind that can be renamed finds objects by the name as written.
    const key = addressUnder(previously, address, at.name ?? '')
    const [here, earlier] = [declared.get(key), known.get(key)]
    if (earlier === undefined) known.set(key, object)
    const report = (message: string, hint: string, related?: { readonly message: string; readonly place: Place }) => {
      const own = errorAt('SVC1320', message, placeOfField(object, ['previously']), hint)
      problems.push({ ...own, address, ...(related && { related: [related] }) })
    }
    if (here === object) {
      const message = `${inCode(previously)} is the current name of the ${kind.name}`
      report(message, 'Write the former name, or remove `previously`.')
    } else if (here !== undefined) {
      const place = placeIn(here.declarations[0], [])
      const other = `a ${kind.name} of that name`
      const message = `${inCode(at.name)} was called ${inCode(previously)}, and ${other} is declared as well`
      const way =
        here.previously === undefined
          ? 'Remove it, or `previously` once the renaming is done.'
          : 'It is renamed, too: apply this renaming alone, then the other one. To swap two names, use a third.'
      const hint = `The other place is ${formatPlace(place)}. ${way}`
      report(message, hint, { message: 'declared here', place })
    } else if (earlier !== undefined) {
      const place = placeOfField(earlier, ['previously'])
      const message = `${inCode(at.name)} and ${inCode(earlier.at.name)} cannot both have been ${inCode(previously)}`
      const hint = `The other place is ${formatPlace(place)}: keep \`previously\` at the one that is to be renamed.`
      report(message, hint, { message: 'the other one', place })
    }
  }
  return problems
}
