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
  const lines = [headings, headings.map(() => '---'), ...rowsOf(measures)].map((row) => `| ${row.join(' | ')} |`)
  return `# Benchmarks

\`npm run bench\` measures svcsync against the least that the same work could cost, in one run, and fails when a limit is
broken. Last run: ${date}, ${cores} cores, ${memory} GB of memory, Node ${process.versions.node}; medians of ${rounds} runs.

${lines.join('\n')}

What is measured is the whole process, from its start to its end, of the built command; what it is compared with is a
program of its own that is bundled in the same way, and the two run in turn. The platform is \`svcsync emulator\` in
another process on the same machine; it answers 20 ms after a request has arrived.

| part | compared with |
| --- | --- |
| a | a loop that reads and checks the same manifests with svcsync's own code, gets a token and reads user pages, every declared group, the lists that lead to the declared applications and processes, and their privileges: each once, 16 in flight, as parallel as the answers allow |
| b | a loop that sends what that apply sends, 16 in flight together: each read of its plan once, its writes, each read after the first of them once. The apply also reads the manifests, plans, and waits for what depends on what |
| c | \`parseEvents\` of js-yaml over the same files |
| d | \`node -e 0\`; medians of eight times as many runs |
| e | 20 ms for each user, divided by the 10 requests in flight |
| f | \`parseDocument\` of the yaml package with a \`LineCounter\`, which neither checks values nor resolves references; and, for how cost grows, our own opening of a tenth. Opened as \`validate\` does, with Node's default heap; a million objects in at most three runs |
| g | the requests of the same apply that no guard asked for: its token, what it reads to plan, its writes and what it reads back. A saved plan reads again what it rests on, and is held to the same |
| h | the two seconds that this platform takes to synchronise a group, on which the next one waits |
| k | a loop that reads each chunk, puts it into the checksum and sends it, one after another |
| l | a loop that gets a token, reads the one list and the manifest, by js-yaml, and compares them. The loop knows no places and checks nothing, and it starts in half of the time: the limit is 2.25, and 1.3 is the goal. Giving them all: what an apply cannot do without, 200 licences in each write, and the pages of the users, who are not declared |

\`npm run bench -- --only a,d\` runs some parts, \`--runs N\` changes the number of runs, and \`--report\` writes this page.
${kept < 0 ? '' : before.slice(kept)}`
}
