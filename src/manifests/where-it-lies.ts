// Where a path lies.
import { isAbsolute, relative, sep } from 'node:path'

/** True where `path` is `folder` or lies below it, as the two are written; links are not followed. */
export function liesWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
