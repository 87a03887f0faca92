// The problems of several targets as one list: what is wrong for all of them is said once.
import { compareProblems, type Problem } from '../../errors/index.ts'

interface ProblemsOfTarget {
  readonly target: string
  readonly problems: readonly Problem[]
}

/** In order of place. A problem that not all of the targets have names those that do, in the order of `parts`. */
export function joinProblems(parts: readonly ProblemsOfTarget[]): Problem[] {
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
      const known = found.get(key)
      if (known === undefined) found.set(key, { problem, targets: [target] })
      else known.targets.push(target)
    }
  }
  const joined = [...found.values()].map(({ problem, targets }) =>
    targets.length === parts.length ? problem : { ...problem, targets },
  )
  return joined.sort(compareProblems)
}
