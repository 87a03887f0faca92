// Places as they look from another folder: a service shows a finding only where the path counts from its repository.
import type { Place, Problem } from '../errors/index.ts'

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
