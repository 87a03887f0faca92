// `svcsync diff A B`: how the declarations of two targets, commits or folders differ; `--live`: two installations.
import { cwd, env } from 'node:process'
import type { Diff } from '@svcsync/core/plan/diff.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { diffBlocks } from '@svcsync/render/report/diff-blocks.ts'
import { declaredBy, diffRun } from '@svcsync/runs/open/diff-run.ts'
import { readProject } from '@svcsync/runs/open/open-project.ts'
import { openOptions } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { Console } from '../../terminal/console.ts'
import type { diff as table } from '../review.ts'

type DiffOptions = Values<typeof table>

export async function diffCommand(
  options: DiffOptions,
  console: Console,
  { first, second }: Readonly<Record<'first' | 'second', string>>,
) {
  const { project, target } = options
  const given = { project, target, cwd: cwd(), env, kinds, needCredentials: false, nowMs: Date.now() }
  const declared = diffRun(first, second, given)
  const diff = options.live === true ? await compareLive(declared, options, console) : declared
  const answer = {
    ...{ blocks: diffBlocks(diff), data: { formatVersion: '1.0', ...diff }, marker: '<!-- svcsync:diff -->' },
    title: `svcsync: ${first} and ${second}`,
  }
  await console.result(await formats[options.format].answer(answer, console, options.verbose))
  if (diff.notCompared.some(({ isNoFailure }) => !isNoFailure)) return exitCodes.error
  return diff.differences.length > 0 ? exitCodes.differences : exitCodes.done
}

async function compareLive(declared: Diff, options: DiffOptions, console: Console): Promise<Diff> {
  if (declared.of !== 'targets')
    throw new OperatorError('SVC2325', '`--live` is for two targets', {
      hint: 'Commits and folders have no installation: leave out `--live`.',
    })
  const { runExport } = await import('../project/export.ts')
  const ask = async (target: string) => {
    const shared = { ...options, target, var: {}, only: [] }
    const read = readProject({ ...openOptions(shared), needSecrets: false })
    const exportOptions = { ...shared, complete: true, schemaFor: () => '' }
    const written = declaredBy(target, read.parsed, openOptions(shared))
    return { read, written, exported: await runExport(read.project, exportOptions, console, read.sources) }
  }
  const sides = [await ask(declared.first), await ask(declared.second)] as const
  const { liveDiff } = await import('@svcsync/runs/export/live-diff-run.ts')
  return liveDiff(...sides, declared)
}
