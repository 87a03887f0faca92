// A figure and the limit that it must keep.
import type { Programs } from './bundle-programs.ts'

export interface Measure {
  readonly part: string
  readonly what: string
  readonly value: number
  readonly limit: number
  readonly unit: '×' | 'ms' | 's' | 'MB' | 'requests'
  /** The origin of the value. */
  readonly from: string
}

export interface BenchContext {
  /** Path of the built command. */
  readonly command: string
  readonly programs: Programs
  /** A folder for what is made on the way. */
  readonly folder: string
  readonly rounds: number
  readonly examples: string
}

export type Part = (context: BenchContext) => Promise<readonly Measure[]>

export function isKept({ value, limit }: Measure): boolean {
  return value <= limit
}

const digits = { '×': 3, ms: 1, s: 2, MB: 0, requests: 0 } as const

export function shown(value: number, unit: Measure['unit']): string {
  return `${value.toFixed(digits[unit])} ${unit}`
}

export function ms(value: number): string {
  return value >= 10_000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 200 ? 1 : 0)} ms`
}
