// (b) The first apply of the example organisation, against a loop that does the same writes and nothing else.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { bareTarget, latencyMs, organisationFolder, runCommand } from '../organisation.ts'
import { type LoggedRequest, startPlatform } from '../platform-process.ts'
import { runNode } from '../timed-process.ts'

const prefix = '/api/data/v6.0'

export async function measureFirstApply(context: BenchContext): Promise<readonly Measure[]> {
  const tenant = join(organisationFolder(context), 'tenant.yaml')
  const platform = await startPlatform(context.command, ['--tenant', tenant])
  try {
    const empty = await platform.control('GET', '/state')
    const apply = () => runCommand(context, platform.url, ['apply', '--yes', '--quiet'])
    await apply()
    const writes = (await platform.requests())
      .filter(({ method, path }) => method !== 'GET' && path.startsWith(prefix))
      .map(({ method, path, query, body }) => ({ method, path: withQuery(path.slice(prefix.length), query), body }))
    const task = join(context.folder, 'bare-writes.json')
    writeFileSync(task, JSON.stringify({ ...bareTarget(platform.url), writes }))
    await platform.setLatency(latencyMs)
    const fromEmpty = async <T>(run: () => Promise<T>): Promise<T> => {
      await platform.control('PUT', '/state', empty)
      await platform.emptyLog()
      return run()
    }
    const runs = await interleave(context.rounds, {
      apply: () => fromEmpty(apply),
      bare: () => fromEmpty(() => runNode([context.programs['bare-writes'], task])),
    })
    const [applyMs, bareMs] = [medianMs(runs.apply), medianMs(runs.bare)]
    return [
      {
        part: 'b',
        what: 'first apply of the organisation, read back: time',
        value: applyMs / bareMs,
        limit: 1.25,
        unit: '×',
        from: `${ms(applyMs)} / ${ms(bareMs)}, ${writes.length} writes`,
      },
    ]
  } finally {
    await platform.close()
  }
}

function withQuery(path: string, query: LoggedRequest['query']): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}
