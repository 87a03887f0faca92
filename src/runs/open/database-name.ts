// What the target calls the database of a declaration.
import { findDatabase } from '../../core/assemble/as-written-directory.ts'
import type { Project } from '../../project/project.ts'

/** `ref`: as the document says; undefined: it says none. Undefined: there is no such one, or several could be meant. */
export function databaseName({ target }: Project, ref: string | undefined): string | undefined {
  const [only, ...others] = Object.keys(target.databases)
  return ref === undefined ? (others.length === 0 ? only : undefined) : findDatabase(target.databases, ref)?.name
}
