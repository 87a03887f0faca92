// Finds the databases and names that declarations refer to, and reports references that lead nowhere.
import type { Problem } from '@svcsync/errors/index.ts'
import { objectAddress } from '../model/address.ts'
import { page } from '../model/capabilities/page.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import { type Directory, type FoundObject, isFound, type NotFound } from '../model/directory.ts'
import type { CompanyRef, DeclaredElement, ItemElement, Kind, Location } from '../model/kind.ts'
import { quoted, suggestion } from '../model/near-misses.ts'
import type { Path } from '../model/source.ts'
import { inlineText } from '../model/yaml-text.ts'
import type { AssemblyRun } from './flatten-sets.ts'

type LocationContext = Pick<AssemblyRun, 'directory' | 'problems' | 'lost' | 'unlocated'>

/** Undefined: it leads nowhere, and is reported, or is not known yet. */
export function locateDeclaration(
  declaration: Declaration,
  locate: (declaration: Declaration) => FoundObject | undefined,
  run: LocationContext,
): FoundObject | undefined {
  const { kind, parent } = declaration
  const name = identityOf(declaration)
  if (kind.scope === 'installation') {
    // A name of several fields is none that a path could want.
    return { address: objectAddress(kind, name), at: kind.key === undefined ? { name, self: name } : { name } }
  }
  if (parent !== undefined) {
    const container = locate(parent)
    const unread = run.unlocated.get(parent)
    if (unread !== undefined) run.unlocated.set(declaration, unread)
    if (container === undefined) return undefined
    if (kind.lookup !== undefined) return lookUp(declaration, name, container, container.at, run)
    return { address: objectAddress(kind, name, { parent: container }), at: { ...container.at, name } }
  }
  const database = locateDatabase(declaration, run)
  if (database === undefined) return undefined
  const { dbId } = database
  if ((kind.lookup ?? page.of(kind)) !== undefined) return lookUp(declaration, name, undefined, { dbId }, run)
  return { address: objectAddress(kind, name, { database: database.name }), at: { dbId, name } }
}

/** `own`: what names its own database. */
function locateDatabase(
  declaration: Declaration,
  { directory, problems, lost }: LocationContext,
  own?: { readonly ref: string; readonly path: Path },
): { readonly name: string; readonly dbId: number } | undefined {
  const ref =
    own?.ref ?? declaration.database ?? (directory.databases.length === 1 ? directory.databases[0] : undefined)
  const database = ref === undefined ? undefined : directory.database(ref)
  const { document = declaration, source } = declaration
  const isToldAlready = own === undefined && lost.has(document)
  if (database === undefined && !isToldAlready) {
    if (own === undefined) lost.add(document)
    const at = own === undefined ? declaration.document?.at : undefined
    problems.push({
      code: 'SVC1302',
      severity: 'error',
      message: ref === undefined ? 'No database is given' : `There is no database \`${ref}\` in the target`,
      place: at === undefined ? placeIn(declaration, own?.path ?? []) : source.placeAt(at),
      hint: databaseHint(ref, directory),
    })
  }
  return database
}

function databaseHint(ref: string | undefined, { databases, target }: Directory): string {
  if (databases.length === 0) {
    const where = target === undefined ? 'the target' : `the target \`${target}\` in svcsync.yaml`
    return `Write \`databases: { ${inlineText(ref ?? 'main')}: N }\` into ${where}, with its number on the platform.`
  }
  const known = `Write \`database: NAME\` at the top of the document. The target knows ${quoted(databases)}.`
  return (ref === undefined ? undefined : suggestion(ref, databases)) ?? known
}

function lookUp(
  declaration: Declaration,
  name: string,
  parent: FoundObject | undefined,
  at: Location,
  { directory, problems, unlocated }: LocationContext,
): FoundObject | undefined {
  const { kind, item, section } = declaration
  const tell = (what: string, ref: string, path: Path, result: NotFound): void => {
    if (result.reason === 'unreadable') unlocated.set(declaration, { ...result.why, dbId: at.dbId })
    else if (result.reason !== 'pending') problems.push(notFoundProblem(declaration, what, ref, path, result))
  }
  let container = parent
  // A process may name its application beside it, where its own name occurs in more than one.
  if (parent === undefined && kind.parent !== undefined && item[kind.parent] !== undefined) {
    const ref = String(item[kind.parent])
    const outer = directory.find(kind.parent, ref, undefined, at)
    if (!isFound(outer)) {
      tell(kind.parent, ref, [kind.parent], outer)
      return undefined
    }
    container = outer
  }
  const result = directory.find(kind.name, name, container, container?.at ?? at)
  if (isFound(result)) return result
  tell(kind.name, name, [section.identity], result)
  return undefined
}

function notFoundProblem(
  declaration: Declaration,
  what: string,
  ref: string,
  path: Path,
  result: Exclude<NotFound, { reason: 'unreadable' }>,
): Problem {
  const place = placeIn(declaration, path)
  const label = what.replace('-', ' ')
  if (result.detail !== undefined) return { severity: 'error', ...result.detail, place }
  if (result.reason === 'ambiguous') {
    const { kind, item, section } = declaration
    const outer =
      what === kind.name && section.schema.properties[kind.parent ?? ''] !== undefined ? kind.parent : undefined
    const candidates = result.candidates.map((guid, index) => {
      const within = result.within?.[index]
      return within === undefined ? guid : `${guid} (in \`${within}\`)`
    })
    const besideIt =
      outer === undefined || item[outer] !== undefined ? '' : `Add \`${outer}: …\` if that tells them apart. `
    return {
      code: 'SVC1402',
      severity: 'error',
      message: `Several ${label} objects are called \`${ref}\``,
      place,
      hint: `${besideIt}Write the guid instead: ${candidates.join(', ')}.`,
    }
  }
  return {
    code: 'SVC1401',
    severity: 'error',
    message: `The platform has no ${label} \`${ref}\``,
    place,
    hint:
      suggestion(ref, result.candidates) ??
      (result.candidates.length > 0 && result.candidates.length <= 8
        ? `There are ${quoted(result.candidates)}.`
        : 'Check the name, or write the guid or the id; svcsync does not create it.'),
  }
}

/** The object that an item of a list is about. `kind`: its kind. */
export function locateAbout(
  declaration: Declaration,
  path: Path,
  { ref, database: named }: NonNullable<DeclaredElement['about']>,
  kind: Kind | 'company',
  run: LocationContext,
): ItemElement['about'] {
  const { directory, problems, unlocated } = run
  const own = named === undefined ? undefined : { ref: named, path }
  const database = locateDatabase(declaration, run, own)
  if (database === undefined) return undefined
  const { dbId } = database
  if (kind === 'company') {
    const company = findCompany(declaration, path, ref, dbId, run)
    return company && { guid: company.guid, name: company.name, dbId }
  }
  const found = directory.find(kind.name, ref, undefined, { dbId })
  // Without the platform: two of one name in two databases are two.
  if (isFound(found)) return { guid: found.guid ?? `${dbId} ${ref}`, name: found.at.name ?? ref, dbId }
  if (found.reason === 'unreadable') unlocated.set(declaration, { ...found.why, dbId })
  else if (found.reason !== 'pending') problems.push(notFoundProblem(declaration, kind.name, ref, path, found))
  return undefined
}

export function findCompany(
  declaration: Declaration,
  path: readonly (string | number)[],
  ref: string,
  dbId: number,
  { directory, problems, unlocated }: LocationContext,
): CompanyRef | undefined {
  const company = directory.company(dbId, ref)
  if (!('reason' in company)) return company
  if (company.reason === 'unreadable') unlocated.set(declaration, { ...company.why, dbId })
  if (company.reason === 'pending' || company.reason === 'unreadable') return undefined
  const ambiguous = company.reason === 'ambiguous'
  problems.push({
    code: ambiguous ? 'SVC1402' : 'SVC1401',
    severity: 'error',
    message: ambiguous
      ? `Several business entities are called \`${ref}\``
      : `The database has no business entity \`${ref}\``,
    place: placeIn(declaration, path),
    hint: ambiguous
      ? `Write the code or the guid: ${company.candidates.join(', ')}.`
      : (suggestion(ref, company.candidates) ?? 'Write its code, its name, its guid or its id.'),
  })
  return undefined
}
