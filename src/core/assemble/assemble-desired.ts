// From declarations to desired objects: finds where each belongs, puts together what several say of one object, and
// reports what contradicts.
import type { Problem } from '../../errors/index.ts'
import { byAddress } from '../model/address.ts'
import type { Declaration } from '../model/declaration.ts'
import type { AssemblySettings, Desired } from '../model/desired.ts'
import type { Directory, Found } from '../model/directory.ts'
import { nameKey } from '../model/identity.ts'
import type { Kind } from '../model/kind.ts'
import { usesOfAbsent } from './check-absent.ts'
import { findSharedOldNames } from './check-renaming.ts'
import { keepAccounts } from './declared-accounts.ts'
import { flattenSets } from './flatten-sets.ts'
import { locateDeclaration } from './locate.ts'
import { type Draft, draftOf, mergeDeclarations } from './merge-declarations.ts'

/** Puts declarations together, sorted by address. Names that lead nowhere and contradictions become problems, all of them. */
export function assembleDesired(
  declarations: readonly Declaration[],
  directory: Directory,
  settings: AssemblySettings,
): { readonly desired: readonly Desired[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  // Of what is looked up: nothing else holds other objects.
  const found = new Map<Declaration, Found | undefined>()
  const byGuid = new Map<string, Found>()
  const lost = new Set<object>()
  const tables = new Map<Kind, Map<string, Draft>>()
  const drafts: Draft[] = []

  const locate = (declaration: Declaration): Found | undefined => {
    if (declaration.kind.lookup === undefined) return locateDeclaration(declaration, directory, locate, problems, lost)
    if (!found.has(declaration)) {
      const place = locateDeclaration(declaration, directory, locate, problems, lost)
      const { kind } = declaration
      // Several applications may list one process, and not say whose it is: it is one object, at the first address.
      const guid = kind.scope === 'database' && place?.guid !== undefined ? `${kind.name} ${place.guid}` : undefined
      const known = guid === undefined ? place : (byGuid.get(guid) ?? place)
      if (guid !== undefined && known !== undefined) byGuid.set(guid, known)
      found.set(declaration, known)
    }
    return found.get(declaration)
  }

  for (const declaration of declarations) {
    const place = locate(declaration)
    if (place === undefined) continue
    const { kind, section } = declaration
    const table = tables.get(kind) ?? new Map<string, Draft>()
    if (table.size === 0) tables.set(kind, table)
    const key = nameKey(kind, place.at.name ?? '', settings.normalise)
    // Where the name alone makes the address, it is looked up by its key: that is done for each of a hundred thousand.
    const unique = kind.scope === 'installation' ? key : place.address
    const draft = table.get(unique)
    if (draft === undefined) {
      const fresh = draftOf(declaration, place, key)
      table.set(unique, fresh)
      drafts.push(fresh)
    } else if (draft.declarations[0].section.partial && !section.partial) draft.declarations.unshift(declaration)
    else draft.declarations.push(declaration)
  }

  const flat = flattenSets(settings)
  const withSets = { ...settings, flat, lost }
  for (const draft of drafts) mergeDeclarations(draft, directory, withSets, problems)
  const desired: Desired[] = drafts.sort(byAddress)
  keepAccounts(desired, accountsAmong(tables))
  const across = [...usesOfAbsent(desired), ...findSharedOldNames(desired)]
  return { desired, problems: problems.concat(flat.problems, across) }
}

function accountsAmong(tables: ReadonlyMap<Kind, ReadonlyMap<string, Desired>>) {
  const of = (provides: Kind['provides']): ReadonlyMap<string, Desired> => {
    const those = [...tables].flatMap(([kind, table]) => (kind.provides === provides ? [table] : []))
    const [only] = those
    return only !== undefined && those.length === 1 ? only : new Map(those.flatMap((table) => [...table]))
  }
  return { users: of('user'), groups: of('group') }
}
