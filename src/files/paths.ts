// Compares paths, and shows them to people: always with forward slashes.
import { isAbsolute, relative, sep } from 'node:path'

/** From one folder to a path, with forward slashes. */
export function relativePath(from: string, to: string): string {
  return relative(from, to).split(sep).join('/')
}

/** A path as people see it: relative to `base`. */
export function shownPath(path: string, base: string): string {
  return relativePath(base, path) || path.split(sep).join('/')
}

/** True where `path` is `folder` or lies below it, as the two are written; links are not followed. */
export function liesWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
