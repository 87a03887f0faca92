// (k) A package of 500 MB, sent in chunks.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writeBenchProject } from '../bench-project.ts'
import { interleave, median } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { startPlatform } from '../platform-process.ts'
import { runNode } from '../timed-process.ts'

const megabyte = 1024 * 1024
const megabytes = 500
const chunkMegabytes = 4

export async function measureImport(context: BenchContext): Promise<readonly Measure[]> {
  const cwd = join(context.folder, 'import')
  const platform = await startPlatform(context.command, [])
  try {
    await platform.control('PUT', '/state', { databases: [{ id: 1 }] })
    writeBenchProject(cwd, platform.url, '', {})
    writeFileSync(join(cwd, 'import.yaml'), 'importSvcGroups: true\n')
    const file = join(cwd, 'large.pkg')
    writePackage(file)
    const peakHook = context.programs['peak-memory']
    const runs = await interleave(context.rounds, {
      bare: () => runNode([context.programs['bare-upload'], platform.url, file, String(chunkMegabytes * megabyte)]),
      ours: () =>
        runNode([context.command, 'import', file, '--config', 'import.yaml', '--yes', '--quiet', '--format', 'json'], {
          cwd,
          peakHook,
        }),
    })
    const bareMs = median(runs.bare.map(({ stdout }) => Number(stdout)))
    const oursMs = median(
      runs.ours.map(({ stdout }) => (megabytes * megabyte * 1000) / JSON.parse(stdout).bytesPerSecond),
    )
    const part = 'k'
    return [
      {
        part,
        what: `import of ${megabytes} MB: time to send it`,
        value: oursMs / bareMs,
        limit: 1.15,
        unit: '×',
        from: `${ms(oursMs)} / ${ms(bareMs)}, in chunks of ${chunkMegabytes} MB`,
      },
      {
        part,
        what: `import of ${megabytes} MB: peak memory`,
        value: median(runs.ours.map(({ peakMb }) => peakMb ?? Number.NaN)),
        limit: 150,
        unit: 'MB',
        from: `${runs.ours.length} runs`,
      },
    ]
  } finally {
    await platform.close()
  }
}

function writePackage(file: string): void {
  const handle = openSync(file, 'w')
  const head = Buffer.from(`${JSON.stringify({ brings: [] })}\n`)
  writeSync(handle, head)
  const filling = Buffer.alloc(megabyte, 'a package ')
  for (let left = megabytes * megabyte - head.length; left > 0; left -= filling.length)
    writeSync(handle, filling, 0, Math.min(left, filling.length))
  closeSync(handle)
}
