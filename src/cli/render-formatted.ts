// What `svcsync fmt` did, for people and for programs.
import type { Problem } from '../errors/index.ts'
import type { FormattedFile } from '../format/format-files.ts'
import { disarmLines, neutralise, safeJson } from '../render/text/neutralise.ts'

export function formattedAsText(
  results: readonly FormattedFile[],
  { check, colour }: { readonly check: boolean; readonly colour: boolean },
): string {
  const lines: string[] = []
  for (const { file, outcome, diff } of results) {
    if (outcome !== 'changed') continue
    lines.push(neutralise(file))
    if (diff !== undefined) lines.push(...diffLines(diff, colour))
  }
  return disarmLines([...lines, summary(results, check)].join('\n'))
}

function summary(results: readonly FormattedFile[], check: boolean): string {
  const { changed, unchanged, left } = countsOf(results)
  const files = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`
  const parts = [
    ...(changed > 0 ? [`${files(changed)} ${check ? 'would be formatted' : 'formatted'}`] : []),
    ...(unchanged > 0 ? [`${files(unchanged)} unchanged`] : []),
    ...(left > 0 ? [`${files(left)} left as ${left === 1 ? 'it is' : 'they are'}`] : []),
  ]
  return parts.length === 0 ? 'No manifests.' : `${parts.join(', ')}.`
}

function diffLines(diff: string, colour: boolean): string[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const text = neutralise(line)
      const code = { '+': 32, '-': 31, '@': 36 }[line[0] ?? '']
      return colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text
    })
}

/** `problems`: those that belong to no file that was found. */
export function formattedAsJson(
  results: readonly FormattedFile[],
  problems: readonly Problem[],
  check: boolean,
): string {
  return safeJson({
    formatVersion: '1.0',
    check,
    counts: countsOf(results),
    files: results.map(({ file, outcome, problems, diff }) => ({
      file,
      outcome,
      ...(problems.length > 0 && { problems }),
      ...(diff !== undefined && { diff }),
    })),
    problems,
  })
}

function countsOf(results: readonly FormattedFile[]): Record<FormattedFile['outcome'], number> {
  const counts = { changed: 0, unchanged: 0, left: 0 }
  for (const { outcome } of results) counts[outcome]++
  return counts
}
