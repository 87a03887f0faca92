// When a limit is exceeded: a largest number, and a share that counts from so many on.
import type { Limits } from './guard.ts'

/** Below it, one of three would be a third. Kinds are listed from three objects on: the whole is known then. */
export const minimumForShares = 5

export function exceeds(count: number, total: number, { max, percent }: Limits): 'max' | 'percent' | undefined {
  if (count > max) return 'max'
  return exceedsShare(count, total, percent) ? 'percent' : undefined
}

export function exceedsShare(count: number, total: number, percent: number): boolean {
  return count >= minimumForShares && count * 100 > percent * total
}

/** `35 %`: rounded so that it never looks smaller than it is. */
export function percentText(count: number, total: number): string {
  return total === 0 ? '100 %' : `${Math.ceil((count * 100) / total)} %`
}
