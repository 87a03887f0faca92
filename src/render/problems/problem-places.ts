// Maps the places of problems for services: a file for each, a path from the repository, and a stable fingerprint.
import type { Place, Problem } from '@svcsync/errors/index.ts'

/** A problem without a place concerns the whole project, so it gets the beginning of the project file. */
export const problemPlace = (problem: Problem, projectFile: string): Place =>
  problem.place ?? { file: projectFile, line: 1, column: 1 }

/**
 * One for each problem: 16 hexadecimal digits of code, file, address and message, and of how many the same came before
 * it. The last keeps them apart, since a service drops the second of two equal ones. Severity has no part in it:
 * `--strict` makes no new problems.
 */
export function fingerprintProblems(problems: readonly Problem[], projectFile: string): string[] {
  const counts = new Map<string, number>()
  return problems.map((problem) => {
    const { code, address = '', message } = problem
    const key = JSON.stringify([code, problemPlace(problem, projectFile).file, address, message])
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    return fnv1a(before === 0 ? key : `${key}${before}`)
  })
}

/** FNV-1a with 64 bits, over UTF-16 code units. Nobody gains by a collision, so it need not be a cryptographic one. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let index = 0; index < text.length; index++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, '0')
}

/** `folder` is what the paths count from now, as seen from what they shall count from: `teams/finance`. */
export function rebaseProblems(problems: readonly Problem[], folder: string): readonly Problem[] {
  if (folder === '') return problems
  const rebase = (place: Place): Place => ({ ...place, file: rebasePath(place.file, folder) })
  return problems.map((problem) => ({
    ...problem,
    ...(problem.place && { place: rebase(problem.place) }),
    ...(problem.related && { related: problem.related.map((other) => ({ ...other, place: rebase(other.place) })) }),
  }))
}

/** Leaves absolute paths alone. */
export function rebasePath(path: string, folder: string): string {
  if (folder === '' || /^(?:\/|[A-Za-z]:\/)/.test(path)) return path
  const segments: string[] = []
  for (const segment of `${folder}/${path}`.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else segments.push(segment)
  }
  return segments.join('/')
}
