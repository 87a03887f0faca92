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

Each value covers the whole process. The platform is \`svcsync emulator\` on the same machine, and answers after 20 ms.

| part | compared with |
|---|---|
| a | a loop that reads and checks the same manifests, and reads each object once, 16 requests in flight |
| b | a loop that sends the requests of that apply, 16 in flight |
| c | \`parseEvents\` of js-yaml |
| d | \`node -e 0\`; eight times as many runs |
| e | 20 ms a user, by 10 requests in flight |
| f | \`parseDocument\` of the yaml package; for a million objects, a tenth of them |
| g | the requests of the same apply without guards |
| h | two seconds that the platform takes for a group |
| k | a loop that reads, adds to the checksum and sends each chunk |
| l | a loop that reads one list and the manifest, and checks nothing; the goal is 1.3. Given to all: 200 licences a write, and the pages of users |

\`--only a,d\` runs some parts, \`--runs N\` changes their number, \`--report\` writes this page. The
terminal also shows where each value comes from.
${kept < 0 ? '' : before.slice(kept)}`
}
