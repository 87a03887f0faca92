// Words problems as plain sentences: each with its count, and a limit for long lists.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import { compareProblems, formatPlace, type Problem } from '@svcsync/errors/index.ts'
import { byCount, formatNumber } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'

/** The problem, its targets, the hint, and the other places: one harmless line each. */
export function problemSentences({ message, hint, targets, related = [] }: Problem): string[] {
  const others = related.map((other) => `${capitalise(other.message)}: ${formatPlace(other.place)}`)
  const where = targets === undefined ? [] : [sentence(capitalise(formatTargets(targets)))]
  return [sentence(message), ...where, ...(hint === undefined ? [] : [sentence(hint)]), ...others.map(neutralise)]
}

export const formatTargets = (names: readonly string[]): string =>
  `in the ${byCount(names.length, 'target', 'targets')} ${enumerate(names)}`

/** `a, b and 12 more`: the first of so many. */
export function enumerateSome(first: readonly string[], count: number): string {
  const rest = count - first.length
  return rest > 0 ? `${first.join(', ')} and ${formatNumber(rest)} more` : enumerate(first)
}

const mostNamed = 10

/** The first ten, where the last one alone is rather named than counted. */
export function enumerateFirst(names: readonly string[]): string {
  const rest = names.length - mostNamed
  return enumerate(rest > 1 ? [...names.slice(0, mostNamed), `${rest} more`] : names)
}

/** One sentence; empty: everything is there. `who`: `The target prod needs`. */
export function formatNeeds(needs: readonly string[] = [], who = 'Needs'): string {
  if (needs.length === 0) return ''
  return `${who} ${enumerateFirst(needs)} to apply, which ${byCount(needs.length, 'is', 'are')} not here.`
}

/** Messages have no full stop; side by side they need one. */
export function sentence(text: string): string {
  const line = neutralise(text)
  return /[.!?…:]$/.test(line) ? line : `${line}.`
}

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export function countProblems(problems: readonly Problem[]) {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: problems.length - errors }
}

/** Some services refuse a file of more than 25,000. */
export const mostForMachines = 10_000

/** In the order of places: all, or so many, errors before warnings. */
export const firstProblems = (problems: readonly Problem[], most: number): readonly Problem[] =>
  takeUrgentFirst([...problems].sort(compareProblems), most, isError)

type ProblemsOfCause = readonly [Problem, ...Problem[]]

export function firstCauses(problems: readonly Problem[], most: number): readonly ProblemsOfCause[] {
  const sorted = [...problems].sort(compareProblems)
  const keyOf = ({ code, severity, message, hint, targets, related }: Problem): string =>
    JSON.stringify([code, severity, message, hint, targets, related])
  const causes = [...groupBy(sorted, keyOf).values()] as unknown as readonly ProblemsOfCause[]
  return takeUrgentFirst(causes, most, ([first]) => isError(first))
}

function takeUrgentFirst<Each>(all: readonly Each[], most: number, isUrgent: (each: Each) => boolean): readonly Each[] {
  if (all.length <= most) return all
  const urgent = [...all.filter(isUrgent), ...all.filter((each) => !isUrgent(each))]
  const shown = new Set(urgent.slice(0, most))
  return all.filter((each) => shown.has(each))
}

const isError = ({ severity }: Problem): boolean => severity === 'error'
