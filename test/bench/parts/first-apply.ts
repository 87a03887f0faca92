// (b) The first apply of the example organisation, against a loop that sends the same writes and reads what it read,
// with as many in flight, and does nothing else.
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
    const requests = leastOf(await platform.requests())
    const task = join(context.folder, 'bare-apply.json')
    writeFileSync(task, JSON.stringify({ ...bareTarget(platform.url), requests }))
    await platform.setLatency(latencyMs)
    const fromEmpty = async <T>(run: () => Promise<T>): Promise<T> => {
      await platform.control('PUT', '/state', empty)
      await platform.emptyLog()
      return run()
    }
    const runs = await interleave(context.rounds, {
      apply: () => fromEmpty(apply),
      bare: () => fromEmpty(() => runNode([context.programs['bare-apply'], task])),
    })
    const [applyMs, bareMs] = [medianMs(runs.apply), medianMs(runs.bare)]
    return [
      {
        part: 'b',
        what: 'first apply of the organisation, read back: time',
        value: applyMs / bareMs,
        limit: 1.15,
        unit: '×',
        from:
          `${ms(applyMs)} / ${ms(bareMs)}, ${requests.filter(isWrite).length} ` +
          `writes and ${requests.filter((asked) => !isWrite(asked)).length} reads`,
      },
    ]
  } finally {
    await platform.close()
  }
}

/**
 * The writes, and each read that came before the first of them once, and once after it: looks that were repeated are
 * our own affair.
 */
export function leastOf(logged: readonly LoggedRequest[]) {
  const data = logged.filter(({ path }) => path.startsWith(prefix))
  const firstWrite = data.findIndex(isWrite)
  const read = new Set<string>()
  return data.flatMap(({ method, path, query, body }, index) => {
    const asked = { method, path: withQuery(path.slice(prefix.length), query) }
    if (isWrite(asked)) return [{ ...asked, body }]
    const once = `${index < firstWrite ? 'planned' : 'read back'} ${asked.path}`
    if (read.has(once)) return []
    read.add(once)
    return [asked]
  })
}

function isWrite({ method }: { readonly method: string }): boolean {
  return method !== 'GET'
}

function withQuery(path: string, query: LoggedRequest['query']): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}
