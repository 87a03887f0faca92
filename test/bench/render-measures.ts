// Measures as a table for the terminal, and as the page in docs.
import { cpus, totalmem } from 'node:os'
import { isKept, type Measure, shown } from './measure.ts'

const headings = ['', 'measure', 'value', 'limit', 'verdict', 'from']

function rowsOf(measures: readonly Measure[]): string[][] {
  return measures.map((measure) => [
    measure.part,
    measure.what,
    shown(measure.value, measure.unit),
    `≤ ${shown(measure.limit, measure.unit)}`,
    isKept(measure) ? 'kept' : 'BROKEN',
    measure.from,
  ])
}

export function measuresTable(measures: readonly Measure[]): string {
  const rows = [headings, ...rowsOf(measures)]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isNumber = (column: number): boolean => column === 2 || column === 3
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `before`: the page as it is. Its sections stay: what they tell was measured otherwise. */
export function measuresPage(measures: readonly Measure[], rounds: number, before: string): string {
  const kept = before.indexOf('\n## ')
  const cores = cpus().length
  const memory = Math.round(totalmem() / 2 ** 30)
  const date = new Date().toISOString().slice(0, 10)
  const lines = measures.map((measure) => {
    const [part, what, value, limit] = rowsOf([measure])[0] as string[]
    return `| ${part} | ${what} | ${isKept(measure) ? value : `**${value}**`} | ${limit} |`
  })
  return `# Benchmarks

\`npm run bench\` measures the built command against the least that the same work can cost. A broken limit is **bold**.
Last run: ${date}, ${cores} cores, ${memory} GB of memory, Node ${process.versions.node}; medians of ${rounds} runs.

| | measure | value | limit |
|---|---|---|---|
${lines.join('\n')}

The platform is \`svcsync emulator\` on the same machine, and answers after 20 ms.
The comparison is a program that does the least for the same work: a loop that sends the same requests (a, b, e, l) or
chunks (k), a YAML parser (c, f), \`node -e 0\` (d), the time that the platform takes (h), or the same apply without
guards (g). The goal of a small plan is 130 ms and 65 MB.

\`--only a,d\` runs some parts, \`--runs N\` changes their number, \`--report\` writes this page.
${kept < 0 ? '' : before.slice(kept)}`
}
