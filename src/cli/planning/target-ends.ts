// How each target of a run over several ended, and what the whole is printed as.
import { cwd, env } from 'node:process'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { endOfApply, type Reported, renderCombinedMarkdown } from '@svcsync/render/report/combined.ts'
import { verdictAsJson } from '@svcsync/render/report/render-json.ts'
import { renderTargetsText, type TargetEnd } from '@svcsync/render/report/targets-summary.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { type ExitCode, exitCodes } from '../program/exit-codes.ts'
import type { Console } from '../terminal/console.ts'
import { linkFrom } from './place-links.ts'
import { verdictAs, whyLedgerStays } from './result-files.ts'

/** The result of one target. */
export interface Ended extends TargetEnd {
  readonly problems: readonly Problem[]
  /** As the command printed it; null: it printed none. */
  readonly result: JsonObject | null
  readonly startedAt: string | null
}

export function verdictOf(
  command: string,
  result: JsonObject | null,
  problems: readonly Problem[],
  exitCode: ExitCode,
): Pick<TargetEnd, 'severity' | 'sentence' | 'isRefused'> {
  const [problem] = problems
  if (problem !== undefined) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    const sentence = `${problem.code}  ${problem.message}${more}`
    return { severity: 'danger', sentence, isRefused: exitCode === exitCodes.refused }
  }
  if (exitCode === exitCodes.interrupted) return { severity: 'danger', sentence: 'interrupted' }
  if (result === null) return { severity: exitCode === exitCodes.done ? 'none' : 'danger', sentence: 'no result' }
  return sayResult(command, result)
}

/** `why`: as part of a sentence. */
export function notBegun(name: string, why: string): Ended {
  const about = { name, exitCode: null, severity: 'notice', sentence: `not begun: ${why}`, elapsedMs: 0 } as const
  return { ...about, problems: [], result: null, startedAt: null }
}

/** A finished target of the resumed run does not begin again. */
export function doneBefore(name: string): Ended {
  const about = { name, exitCode: exitCodes.done, severity: 'none', sentence: 'done before', elapsedMs: 0 } as const
  return { ...about, isBefore: true, problems: [], result: null, startedAt: null }
}

export async function resultAs(
  format: string,
  command: string,
  all: readonly Ended[],
  console: Console,
): Promise<string> {
  if (format === 'json') {
    const targets = all.map(({ sentence, severity, isRefused, ...each }) => ({
      ...each,
      verdict: verdictAs({ sentence, severity, isRefused }),
    }))
    return safeJson({ formatVersion: '1.0', command, targets })
  }
  if (format === 'text') return renderTargetsText(command, all, console)
  const reported = all.flatMap(({ result }) => reportedAs(command, result))
  const leftOut = all.filter(({ result }) => reportedAs(command, result).length === 0)
  const why = leftOut.map(({ name, sentence }) => `\`${name}\`: ${sentence}`)
  if (format === 'html') return (await import('./as-page.ts')).combinedPage(reported, why)
  return renderCombinedMarkdown(reported, { leftOut: why, link: linkFrom(env, cwd()) })
}

function reportedAs(command: string, result: JsonObject | null): Reported[] {
  if (result === null) return []
  if (result.outcome !== undefined) return [{ command: 'apply', report: result as never }]
  if (result.changes === undefined) return []
  return [{ command: command === 'drift' ? 'drift' : 'plan', plan: result as never }]
}

/** As the one line of a summary has it. */
function sayResult(command: string, result: JsonObject): Pick<TargetEnd, 'severity' | 'sentence' | 'isRefused'> {
  if (result.outcome !== undefined) {
    const { severity, sentence } = endOfApply(result as never)
    const stays = whyLedgerStays(result)
    if (stays === undefined || severity !== 'none') return { severity, sentence }
    return { severity: 'notice', sentence: `${sentence.replace(/\.$/, '')}; the ledger stays as it is: ${stays}` }
  }
  if (command === 'doctor') {
    const { result: worst, counts } = result as { result?: string; counts?: Readonly<Record<string, number>> }
    const { problem = 0, warning = 0 } = counts ?? {}
    const sentence = [
      ...(problem > 0 ? [formatCount(problem, 'problem')] : []),
      ...(warning > 0 ? [formatCount(warning, 'warning')] : []),
    ].join(', ')
    return {
      severity: worst === 'ok' ? 'none' : worst === 'warning' ? 'notice' : 'danger',
      sentence: sentence || 'all is well',
    }
  }
  const { severity, sentence, points } = verdictAsJson(result as never, command === 'drift')
  return { severity, sentence, isRefused: points.some(({ kind }) => kind === 'refused') }
}
