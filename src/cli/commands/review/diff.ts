// `svcsync diff A B`: what two targets, commits or folders declare otherwise.
import { cwd, env } from 'node:process'
import { kinds } from '@svcsync/kinds/index.ts'
import { diffBlocks } from '@svcsync/render/report/diff-blocks.ts'
import { diffRun } from '@svcsync/runs/open/diff-run.ts'
import { shownIfUnusable } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { Console } from '../../terminal/console.ts'
import type { diff as table } from '../review.ts'

export async function diffCommand(
  options: Values<typeof table>,
  console: Console,
  { first, second }: Readonly<Record<'first' | 'second', string>>,
) {
  const { project, target } = options
  const given = { project, target, cwd: cwd(), env, kinds, needCredentials: false, nowMs: Date.now() }
  const diff = shownIfUnusable(console.errorForm, () => diffRun(first, second, given))
  const answer = { blocks: diffBlocks(diff), data: { formatVersion: '1.0', ...diff }, marker: '<!-- svcsync:diff -->' }
  await console.result(await formats[options.format].answer(answer, console, options.verbose))
  return diff.differences.length > 0 ? exitCodes.differences : exitCodes.done
}
