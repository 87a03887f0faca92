// From declarations to desired objects: finds where each belongs, puts together what several say of one object, and
// reports what contradicts.
import type { Problem } from '../../errors/index.ts'
import { addressKey, addressSegment, type FoldSvcId } from '../model/address.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import type { AssemblySettings, Desired } from '../model/desired.ts'
import { type Directory, type Found, isFound, type NotFound } from '../model/directory.ts'
import type { Kind, Location } from '../model/kind.ts'
import { nearMisses, suggestion } from '../model/near-misses.ts'
import { usesOfAbsent } from './check-absent.ts'
import { findSharedOldNames } from './check-renaming.ts'
import { type DeclaredAccounts, keepAccounts } from './declared-accounts.ts'
import { flattenSets } from './flatten-sets.ts'
import { type Draft, draftOf, mergeDeclarations } from './merge-declarations.ts'

interface Assembly {
  /** Sorted by address. */
  readonly desired: readonly Desired[]
  readonly problems: readonly Problem[]
}

/** Puts declarations together. Names that lead nowhere and contradictions become problems, all of them. */
export function assembleDesired(
  declarations: readonly Declaration[],
  directory: Directory,
  settings: AssemblySettings,
): Assembly {
  const { fold } = settings
  const problems: Problem[] = []
  // Of what is looked up: nothing else holds other objects.
  const found = new Map<Declaration, Found | undefined>()
  const lost = new Set<object>()
  const tables = new Map<Kind, Map<string, Draft>>()
  const drafts: Draft[] = []

  const locate = (declaration: Declaration): Found | undefined => {
    if (declaration.kind.lookup === undefined) return locateDeclaration(declaration, directory, locate, problems, lost)
    if (!found.has(declaration)) {
      found.set(declaration, locateDeclaration(declaration, directory, locate, problems, lost))
    }
    return found.get(declaration)
  }

  for (const declaration of declarations) {
    const place = locate(declaration)
    if (place === undefined) continue
    const { kind, section } = declaration
    const table = tables.get(kind) ?? new Map<string, Draft>()
    if (table.size === 0) tables.set(kind, table)
    const key = keyAmongKind(kind, place, fold)
    const draft = table.get(key)
    if (draft === undefined) {
      const fresh = draftOf(declaration, place)
      table.set(key, fresh)
      drafts.push(fresh)
    } else if (draft.declarations[0].section.partial && !section.partial) draft.declarations.unshift(declaration)
    else draft.declarations.push(declaration)
  }

  const flat = flattenSets(settings)
  const withSets = { ...settings, flat }
  for (const draft of drafts) mergeDeclarations(draft, directory, withSets, problems)
  const desired: Desired[] = drafts.sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0))
  keepAccounts(desired, fold, accountsAmong(tables))
  const across = [...usesOfAbsent(desired, fold), ...findSharedOldNames(desired, fold)]
  return { desired, problems: problems.concat(flat.problems, across) }
}

/**
 * The key under which an object of a kind is the same object. Where the name alone makes the address, it is the name, folded
 * before it becomes part of anything: that is done for each of a hundred thousand.
 */
function keyAmongKind({ scope, comparesBy }: Kind, { address, at: { name = '' } }: Found, fold: FoldSvcId): string {
  if (scope !== 'installation') return addressKey(address, comparesBy, fold)
  return addressKey(name, comparesBy, fold)
}

function accountsAmong(tables: ReadonlyMap<Kind, ReadonlyMap<string, Desired>>): DeclaredAccounts {
  const of = (provides: Kind['provides']): ReadonlyMap<string, Desired> => {
    const those = [...tables].flatMap(([kind, table]) => (kind.provides === provides ? [table] : []))
    const [only] = those
    return only !== undefined && those.length === 1 ? only : new Map(those.flatMap((table) => [...table]))
  }
  return { users: of('user'), groups: of('group') }
}

function locateDeclaration(
  declaration: Declaration,
  directory: Directory,
  locate: (declaration: Declaration) => Found | undefined,
  problems: Problem[],
  lost: Set<object>,
): Found | undefined {
  const { kind, parent } = declaration
  const name = identityOf(declaration)
  if (kind.scope === 'installation') return { address: `${kind.segment}/${name}`, at: { name, self: name } }
  if (parent !== undefined) {
    const container = locate(parent)
    if (container === undefined) return undefined
    if (kind.lookup !== undefined) return lookUp(declaration, name, container, container.at, directory, problems)
    return { address: `${container.address}/${kind.segment}/${addressSegment(name)}`, at: { ...container.at, name } }
  }
  const database = locateDatabase(declaration, directory, problems, lost)
  if (database === undefined) return undefined
  const { dbId } = database
  if (kind.lookup !== undefined) return lookUp(declaration, name, undefined, { dbId }, directory, problems)
  return { address: `${kind.segment}/${database.name}/${addressSegment(name)}`, at: { dbId, name } }
}

/** `lost`: the documents whose database was reported. All that stands in one wants the same. */
function locateDatabase(
  declaration: Declaration,
  directory: Directory,
  problems: Problem[],
  lost: Set<object>,
): { readonly name: string; readonly dbId: number } | undefined {
  const ref = declaration.database ?? (directory.databases.length === 1 ? directory.databases[0] : undefined)
  const database = ref === undefined ? undefined : directory.database(ref)
  const { document = declaration, source } = declaration
  if (database === undefined && !lost.has(document)) {
    lost.add(document)
    const at = declaration.document?.at
    problems.push({
      code: 'SVC1302',
      severity: 'error',
      message: ref === undefined ? 'No database is given' : `There is no database \`${ref}\` in the target`,
      place: at === undefined ? placeIn(declaration, []) : source.placeAt(at),
      hint:
        (ref === undefined ? undefined : suggestion(ref, directory.databases)) ??
        `Write \`database: NAME\` at the top of the document. ${directory.databases.length === 0 ? 'The target has no `databases`.' : `The target knows ${directory.databases.map((name) => `\`${name}\``).join(', ')}.`}`,
    })
  }
  return database
}

function lookUp(
  declaration: Declaration,
  name: string,
  parent: Found | undefined,
  at: Location,
  directory: Directory,
  problems: Problem[],
): Found | undefined {
  const { kind, item, section } = declaration
  let container = parent
  // A process may name its application beside it, where its own name occurs in more than one.
  if (parent === undefined && kind.parent !== undefined && item[kind.parent] !== undefined) {
    const ref = String(item[kind.parent])
    const outer = directory.find(kind.parent, ref, undefined, at)
    if (!isFound(outer)) {
      if (outer.reason !== 'pending') problems.push(notFoundProblem(declaration, kind.parent, ref, kind.parent, outer))
      return undefined
    }
    container = outer
  }
  const result = directory.find(kind.name, name, container, container?.at ?? at)
  if (isFound(result)) return result
  if (result.reason !== 'pending') {
    problems.push(notFoundProblem(declaration, kind.name, name, section.identity, result))
  }
  return undefined
}

function notFoundProblem(
  declaration: Declaration,
  what: string,
  ref: string,
  field: string,
  result: NotFound,
): Problem {
  const place = placeIn(declaration, [field])
  const label = what.replace('-', ' ')
  if (result.reason === 'ambiguous') {
    const { kind, item, section } = declaration
    const outer =
      what === kind.name && section.schema.properties[kind.parent ?? ''] !== undefined ? kind.parent : undefined
    const candidates = result.candidates.map((guid, index) => {
      const within = result.within?.[index]
      return within === undefined ? guid : `${guid} (in \`${within}\`)`
    })
    const besideIt =
      outer === undefined || item[outer] !== undefined
        ? ''
        : `Say \`${outer}: …\` beside it, if they have different ones. `
    return {
      code: 'SVC1402',
      severity: 'error',
      message: `Several ${label} objects are called \`${ref}\``,
      place,
      hint: `${besideIt}Write the guid instead: ${candidates.join(', ')}.`,
    }
  }
  const near = nearMisses(ref, result.candidates)
  return {
    code: 'SVC1401',
    severity: 'error',
    message:
      result.reason === 'unreadable'
        ? `The ${label} \`${ref}\` could not be looked for: ${result.detail?.message ?? 'the list was refused'}`
        : `The platform has no ${label} \`${ref}\``,
    place,
    hint:
      result.detail?.hint ??
      (near.length > 0
        ? `Did you mean ${near.map((name) => `\`${name}\``).join(' or ')}?`
        : result.candidates.length > 0 && result.candidates.length <= 8
          ? `There are ${result.candidates.map((name) => `\`${name}\``).join(', ')}.`
          : 'Check the name, or write the guid or the id; svcsync does not create it.'),
  }
}
