// A directory that believes the manifest: for what is checked without the platform.
import { addressSegment } from '../model/address.ts'
import type { Directory, Found } from '../model/directory.ts'
import type { Kind } from '../model/kind.ts'

/** Every name leads where it says, with no ids. Addresses are those of the platform where the names are given in full. */
export function asWrittenDirectory(
  databases: Readonly<Record<string, number>>,
  kinds: ReadonlyMap<string, Kind>,
  target?: string,
): Directory {
  return {
    target,
    databases: Object.keys(databases),
    database: (ref) => findDatabase(databases, ref),
    find(kindName, ref, container, at): Found {
      const kind = kinds.get(kindName)
      const words = addressSegment(ref)
      const database = findDatabase(databases, String(at.dbId))?.name ?? String(at.dbId)
      const head = kind?.scope === 'parent' ? container?.address : `${kind?.segment}/${database}`
      const middle = kind?.scope === 'parent' ? `/${kind.segment}` : kind?.parent ? `/${container?.at.name ?? '*'}` : ''
      return { address: `${head}${middle}/${words}`, at: { ...at, name: ref } }
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

/** A database by its name in the project file, or by its dbId. */
export function findDatabase(
  databases: Readonly<Record<string, number>>,
  ref: string,
): { readonly name: string; readonly dbId: number } | undefined {
  if (Object.hasOwn(databases, ref)) return { name: ref, dbId: databases[ref] as number }
  for (const [name, dbId] of Object.entries(databases)) if (String(dbId) === ref) return { name, dbId }
  return /^\d+$/.test(ref) ? { name: ref, dbId: Number(ref) } : undefined
}
