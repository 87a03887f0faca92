// Joins what targets of one project have in common: each problem once.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { compareProblems, type Problem } from '@svcsync/errors/index.ts'

/** A problem that not all of the targets have names those that do. */
export function joinProblems(
  parts: readonly { readonly target: string; readonly problems: readonly Problem[] }[],
): Problem[] {
  const found = new Map<string, { readonly problem: Problem; readonly targets: string[] }>()
  for (const { target, problems } of parts) {
    const repeated = new Map<string, number>()
    for (const problem of problems) {
      const { code, severity, message, place, address } = problem
      // The hint is left out: what is near a name may differ, and the finding is one all the same.
      const same = JSON.stringify([code, severity, message, place, address])
      const count = (repeated.get(same) ?? 0) + 1
      repeated.set(same, count)
      const key = `${count} ${same}`
      getOrInsert(found, key, () => ({ problem, targets: [] })).targets.push(target)
    }
  }
  const joined = [...found.values()].map(({ problem, targets }) =>
    targets.length === parts.length ? problem : { ...problem, targets },
  )
  return joined.sort(compareProblems)
}
