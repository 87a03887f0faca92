// A directory that believes the manifest, for checks without the platform; databases now and at the time of a base.
import { objectAddress } from '../model/address.ts'
import type { Declaration } from '../model/declaration.ts'
import type { Directory, FoundObject } from '../model/directory.ts'
import { type Kind, kindsByName } from '../model/kind.ts'

/** Every name leads where it says, with no ids. Names in full give the addresses of the platform. */
export function asWrittenDirectory(
  databases: Readonly<Record<string, number>>,
  kinds: readonly Kind[],
  target?: string,
): Directory {
  const byName = kindsByName(kinds)
  return {
    target,
    databases: Object.keys(databases),
    database: (ref) => findDatabase(databases, ref),
    find(kindName, ref, container, at): FoundObject {
      const kind = byName.get(kindName) as Kind
      const database = findDatabase(databases, String(at.dbId))?.name ?? String(at.dbId)
      const parent = container ?? (kind.parent === undefined ? undefined : { address: `*/${database}/*` })
      return { address: objectAddress(kind, ref, { database, parent }), at: { ...at, name: ref } }
    },
    company: (_dbId, ref) => ({ guid: ref, name: ref }),
  }
}

/** `ref`: as a document says; undefined: it says none. Undefined: there is no such one, or several could be meant. */
export function databaseName(databases: Readonly<Record<string, number>>, ref: string | undefined): string | undefined {
  if (ref !== undefined) return findDatabase(databases, ref)?.name
  const [only, ...others] = Object.keys(databases)
  return others.length === 0 ? only : undefined
}

export function findDatabase(
  databases: Readonly<Record<string, number>>,
  ref: string,
): { readonly name: string; readonly dbId: number } | undefined {
  if (Object.hasOwn(databases, ref)) return { name: ref, dbId: databases[ref] as number }
  for (const [name, dbId] of Object.entries(databases)) if (String(dbId) === ref) return { name, dbId }
  return /^\d+$/.test(ref) ? { name: ref, dbId: Number(ref) } : undefined
}

type Databases = Readonly<Record<string, number>>

/** `lost`: how many objects were in each database that the target has no more; they are left out. */
export function inDatabasesOfNow(
  declarations: readonly Declaration[],
  then: Databases,
  now: Databases,
): { readonly declarations: readonly Declaration[]; readonly lost: ReadonlyMap<string, number> } {
  const lost = new Map<string, number>()
  const names = Object.keys(then)
  if (names.length === Object.keys(now).length && names.every((name) => then[name] === now[name])) {
    return { declarations, lost }
  }
  const only = names.length === 1 ? names[0] : undefined
  const nameNow = (ref: string): string | undefined => {
    const was = findDatabase(then, ref)
    const [name] = Object.entries(now).find(([, dbId]) => dbId === was?.dbId) ?? []
    // A number needs no name.
    return name ?? (was === undefined || Object.hasOwn(then, ref) ? undefined : ref)
  }
  const known = new Map<Declaration, Declaration | undefined>()
  const moved = (declaration: Declaration): Declaration | undefined => {
    if (known.has(declaration)) return known.get(declaration)
    const { kind, parent, database: ref = only } = declaration
    const database = ref === undefined ? undefined : nameNow(ref)
    const outer = parent && moved(parent)
    const isGone = parent ? outer === undefined : kind.scope !== 'installation' && ref !== undefined && !database
    if (isGone && parent === undefined) lost.set(ref as string, (lost.get(ref as string) ?? 0) + 1)
    const result = isGone ? undefined : { ...declaration, database: database ?? ref, parent: outer }
    known.set(declaration, result)
    return result
  }
  return { declarations: declarations.flatMap((each) => moved(each) ?? []), lost }
}
