// By what a service knows a problem again in the next run: not by its line, which moves with every edit above it.
import type { Problem } from '../errors/index.ts'
import { problemPlace } from './problem-place.ts'

/**
 * One for each problem: 16 hexadecimal digits of code, file, address and message, and of how many the same came before
 * it. The last keeps them apart, since a service drops the second of two equal ones. Severity has no part in it:
 * `--strict` makes no new problems.
 */
export function fingerprintProblems(problems: readonly Problem[], projectFile: string): string[] {
  const seen = new Map<string, number>()
  return problems.map((problem) => {
    const { code, address = '', message } = problem
    const key = JSON.stringify([code, problemPlace(problem, projectFile).file, address, message])
    const before = seen.get(key) ?? 0
    seen.set(key, before + 1)
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
