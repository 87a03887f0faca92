// Declarations of a base whose target had other databases, or other names for them: what counts is the number, and not the name.
import type { Declaration } from '../model/declaration.ts'
import { findDatabase } from './as-written-directory.ts'

type Databases = Readonly<Record<string, number>>

/** With the databases by the names of now. `lost`: how many objects were in each that the target has no more, as they are called; they are left out. */
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
