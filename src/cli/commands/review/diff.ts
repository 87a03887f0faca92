// `svcsync diff A B`: what two targets, commits or folders declare otherwise.
import { cwd, env } from 'node:process'
import type { Diff } from '@svcsync/core/compare/compare-declared.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { renderDiffMarkdown, renderDiffText } from '@svcsync/render/report/diff-blocks.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { diffRun } from '@svcsync/runs/open/diff-run.ts'
import { shownIfUnusable } from '../../planning/open-for-command.ts'
import { linkFrom } from '../../planning/place-links.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
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
  const diff = shownIfUnusable(console.errorForm, () => diffRun(first, second, given))
  await console.result(asForm(diff, options, console))
  return diff.differences.length > 0 ? exitCodes.differences : exitCodes.done
}

function asForm(diff: Diff, { format, verbose = false }: DiffOptions, console: Console): string {
  if (format === 'json') return safeJson({ formatVersion: '1.0', ...diff })
  if (format === 'markdown') return renderDiffMarkdown(diff, { link: linkFrom(env, cwd()) })
  return renderDiffText(diff, { ...console, verbose })
}
