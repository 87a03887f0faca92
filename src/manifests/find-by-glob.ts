// The files that a glob means: `*`, `?` and `{a,b}` within a name, and `**` as a whole name for any number of folders.
import { dirname, join, relative, sep } from 'node:path'
import { wildcardMatcher } from '@svcsync/core/model/wildcard.ts'
import type { FileTree } from '@svcsync/files/file-tree.ts'

export function isGlob(path: string): boolean {
  return /[*?]|\{[^{}]*,[^{}]*\}/.test(path)
}

/** The folder above the first part of a path that is a glob. */
export function fixedPart(path: string): string {
  let fixed = path
  while (isGlob(fixed)) fixed = dirname(fixed)
  return fixed
}

export const mostChoices = 1000

/** `{a,b}` as so many globs. Undefined: they are too many. */
export function choicesOf(glob: string): readonly string[] | undefined {
  const globs: string[] = []
  const open = [glob]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = /\{([^{}]*,[^{}]*)\}/.exec(next)
    if (found === null) globs.push(next)
    else {
      const [before, after] = [next.slice(0, found.index), next.slice(found.index + found[0].length)]
      for (const choice of (found[1] as string).split(',')) open.push(`${before}${choice}${after}`)
    }
    if (globs.length + open.length > mostChoices) return undefined
  }
  return globs
}

interface Visit {
  readonly folder: string
  readonly index: number
}

/** Each folder is read at most once for each name of the glob. `budget`: how many more folders may be listed. */
export function findByGlob(
  glob: string,
  staysInside: (real: string) => boolean,
  budget: { left: number },
  tree: FileTree,
): Readonly<Record<'files' | 'escaping', readonly string[]>> {
  const fixed = isGlob(glob) ? fixedPart(glob) : dirname(glob)
  const names = relative(fixed, glob).split(sep)
  const matchers = names.map((name) => wildcardMatcher(name, false))
  const byReal = new Map<string, string>()
  const escaping: string[] = []
  const visited = new Set<string>()
  const keep = (path: string): void => {
    const real = tree.realPath(path)
    if (!staysInside(real)) escaping.push(path)
    // By its own name rather than by that of a link.
    else if (!byReal.has(real) || path === real) byReal.set(real, path)
  }
  /** Links come last, so that files inside the project are found by their own paths. */
  const links: Visit[] = []
  const visits: Visit[] = [{ folder: fixed, index: 0 }]
  const take = (entry: Entry, { folder, index }: Visit): void => {
    const isAnyDepth = names[index] === '**'
    const isLast = index === names.length - 1
    const path = join(folder, entry.name)
    const isLink = entry.isSymbolicLink()
    if (isLast && (entry.isFile() || (isLink && tree.stat(path)?.isFile()))) keep(path)
    if (isLast && !isAnyDepth) return
    const next = { folder: path, index: isAnyDepth ? index : index + 1 }
    if (isLink) links.push(next)
    else if (entry.isDirectory()) visits.push(next)
  }
  const isMeant = ({ name }: Entry, index: number): boolean => {
    if (name.startsWith('.') && !(names[index] as string).startsWith('.')) return false
    return names[index] === '**' || matchers[index]?.(name) === true
  }
  /** True if it is a folder of the project that was not listed for this name of the glob. */
  const isNew = ({ folder, index }: Visit): boolean => {
    if (!tree.stat(folder)?.isDirectory()) return false
    const real = tree.realPath(folder)
    if (visited.has(`${index} ${real}`)) return false
    visited.add(`${index} ${real}`)
    if (!staysInside(real)) escaping.push(folder)
    return staysInside(real)
  }
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop() ?? links.pop()) {
    if (!isNew(visit)) continue
    if (budget.left-- <= 0) break
    const { folder, index } = visit
    if (names[index] === '**' && index < names.length - 1) visits.push({ folder, index: index + 1 })
    for (const entry of tree.list(folder)) if (isMeant(entry, index)) take(entry, visit)
  }
  return { files: [...byReal.values()], escaping }
}

/** True if the absolute glob matches the absolute path, whether or not it exists. */
export function globCovers(glob: string, path: string): boolean {
  const parts = path.split(sep)
  return (choicesOf(glob) ?? []).some((choice) => coversParts(choice.split(sep), parts))
}

function coversParts([name, ...names]: readonly string[], parts: readonly string[]): boolean {
  const [part, ...rest] = parts
  if (name === undefined) return part === undefined
  if (name === '**' && names.length > 0 && coversParts(names, parts)) return true
  if (part === undefined) return false
  if (name === '**') return (names.length === 0 && rest.length === 0) || coversParts([name, ...names], rest)
  return wildcardMatcher(name, false)(part) && coversParts(names, rest)
}

type Entry = ReturnType<FileTree['list']>[number]
