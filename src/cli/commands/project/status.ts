// `svcsync status`: the applied commit of each target, and pending changes.
import { cwd, env } from 'node:process'
import { kinds } from '@svcsync/kinds/index.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { statusBlocks, statusPageBlocks } from '@svcsync/render/report/render-status-text.ts'
import { statusRun } from '@svcsync/runs/open/status-run.ts'
import { validateRun } from '@svcsync/runs/open/validate-run.ts'
import { choiceIn } from '../../planning/for-targets.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import type { status } from '../project.ts'

export async function statusCommand(options: Values<typeof status>, console: Console) {
  const { project, var: variables } = options
  const { target, choice } = choiceIn(options)
  const nowMs = Date.now()
  const { opened, problems, sources } = await validateRun({
    ...{ project, target, choice, variables, cwd: cwd(), env, kinds, nowMs },
  })
  const [first] = opened
  if (first === undefined) throw new UnusableFiles(problems, sources)
  noteProject(first.project.file, options, console)
  const report = await statusRun(opened, nowMs)
  const blocksOf = options.format === 'html' ? statusPageBlocks : statusBlocks
  const answer = {
    title: 'svcsync status',
    blocks: blocksOf(report, new Date(nowMs).toISOString().slice(0, 10)),
    data: report,
  }
  await console.result(await formats[options.format].answer(answer, console, options.verbose))
  return report.targets.some(({ problem }) => problem !== undefined) ? exitCodes.error : exitCodes.done
}
