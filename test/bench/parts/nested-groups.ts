// (h) Groups in groups, six levels, on a platform that takes two seconds to synchronise each: how long a level takes,
// from the second on, and in how many requests.
import { join } from 'node:path'
import { writeBenchProject } from '../bench-project.ts'
import { median } from '../interleave.ts'
import type { BenchContext, Measure } from '../measure.ts'
import { type LoggedRequest, startPlatform } from '../platform-process.ts'
import { runNode } from '../timed-process.ts'

const levels = 6
const syncMs = 2000
/** One run takes more than twelve seconds, most of which nobody works. */
const mostRounds = 3

interface Level {
  readonly tookMs: number
  readonly requests: number
}

export async function measureNestedGroups(context: BenchContext): Promise<readonly Measure[]> {
  const cwd = join(context.folder, 'nested-groups')
  const platform = await startPlatform(context.command, ['--latency', '20ms', '--sync-delay', `${syncMs}ms`])
  try {
    writeBenchProject(cwd, platform.url, '', { 'groups.yaml': nestedGroups() })
    const empty = await platform.control('GET', '/state')
    const runs: Level[][] = []
    for (let round = 0; round < Math.min(mostRounds, context.rounds); round++) {
      await platform.control('PUT', '/state', empty)
      await platform.emptyLog()
      await runNode([context.command, 'apply', '--yes', '--quiet'], { cwd })
      runs.push(levelsOf(await platform.requests()))
    }
    // The longest and the busiest level of each run: every level keeps the limit.
    const longestMs = median(runs.map((run) => Math.max(...run.map(({ tookMs }) => tookMs))))
    const requests = median(runs.map((run) => Math.max(...run.map((level) => level.requests))))
    const part = 'h'
    return [
      {
        part,
        what: 'groups in groups, a level from the second on: time over what the platform takes',
        value: longestMs / syncMs,
        limit: 1.1,
        unit: '×',
        from: `${longestMs.toFixed(0)} ms / ${syncMs} ms, the longest of ${levels - 2} levels; ${runs.length} runs`,
      },
      {
        part,
        what: 'groups in groups, a level from the second on: requests',
        value: requests,
        limit: 8,
        unit: 'requests',
        from: `the most of ${levels - 2} levels, with its write`,
      },
    ]
  } finally {
    await platform.close()
  }
}

/** From the write of each level but the first to that of the next. */
function levelsOf(requests: readonly LoggedRequest[]): Level[] {
  const writes = requests.flatMap(({ method, path }, index) =>
    method === 'POST' && path.endsWith('/admin/groups') ? [index] : [],
  )
  if (writes.length !== levels) throw new Error(`${writes.length} groups were created in place of ${levels}`)
  return writes.slice(1, -1).map((from, index) => {
    const to = writes[index + 2] as number
    const timeOf = (at: number): number => Date.parse((requests[at] as LoggedRequest).time)
    return { tookMs: timeOf(to) - timeOf(from), requests: to - from }
  })
}

function nestedGroups(): string {
  const groups = Array.from({ length: levels }, (_, level) => {
    const members = level === 0 ? '' : `, members: [level-${level - 1}@example.com]`
    return `  - { svcId: level-${level}@example.com, name: Level ${level}${members} }\n`
  })
  return `groups:\n${groups.join('')}`
}
