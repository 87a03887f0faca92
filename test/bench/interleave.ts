// Runs things in turn, A B A B …, so that a machine that gets slower or faster meanwhile does so for all of them.

/** Results by name, in the order of runs. One round before them is not counted. */
export async function interleave<T, Name extends string>(
  rounds: number,
  runs: Readonly<Record<Name, () => Promise<T>>>,
  warmUp = true,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(runs) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    for (const name of names) {
      const result = await runs[name]()
      if (round >= 0) results[name].push(result)
    }
  }
  return results
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function medianMs(runs: readonly { readonly wallMs: number }[]): number {
  return median(runs.map(({ wallMs }) => wallMs))
}
