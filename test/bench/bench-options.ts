// The options of the benchmark.
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** The parts to run. */
  readonly only: readonly string[]
  readonly rounds: number
  /** Write docs/benchmarks.md. */
  readonly report: boolean
}

/** Throws a TypeError for what it does not understand. */
/** `apart`: not in the usual run. */
export function readBenchOptions(
  args: readonly string[],
  parts: readonly string[],
  apart: readonly string[],
): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      runs: { type: 'string', default: '5' },
      report: { type: 'boolean', default: false },
    },
  })
  const only = (values.only ?? parts).flatMap((letters) => letters.split(','))
  const all = [...parts, ...apart]
  const unknown = only.find((letter) => !all.includes(letter))
  if (unknown !== undefined) throw new TypeError(`there is no part ${unknown}: --only takes ${all.join(', ')}`)
  const rounds = Number(values.runs)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 50) throw new TypeError('--runs takes a number from 1 to 50')
  if (values.report && parts.some((part) => !only.includes(part))) throw new TypeError('--report wants all parts')
  return { only, rounds, report: values.report }
}
