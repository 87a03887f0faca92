// Compares paths, and shows them to people: always with forward slashes.
import path, { type PlatformPath } from 'node:path'

/** From one folder to a path, with forward slashes. */
export function relativePath(from: string, to: string, { relative, sep }: PlatformPath = path): string {
  return relative(from, to).split(sep).join('/')
}

/** A path as people see it: relative to `base`. */
export function shownPath(shown: string, base: string, of: PlatformPath = path): string {
  return relativePath(base, shown, of) || shown.split(of.sep).join('/')
}

/** True if `other` is `folder` or is below it, as the two are written; links are not followed. */
export function liesWithin(folder: string, other: string, { isAbsolute, relative, sep }: PlatformPath = path): boolean {
  const inside = relative(folder, other)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
