// Says what went wrong, on stderr and for programs also on stdout, and with which exit code the command ends.
import { stderr, stdout } from 'node:process'
import { PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
import { AuthorError, OperatorError, type Problem, RefusedError, SvcsyncError } from '@svcsync/errors/index.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { discrepancySentences, renderErrorText } from '@svcsync/render/report/render-error-text.ts'
import { renderProblemsJson } from '@svcsync/render/report/render-json.ts'
import type { TextForm } from '@svcsync/render/text/line.ts'
import { CommanderError } from 'commander'
import { type ExitCode, exitCodeOfError, exitCodes } from '../program/exit-codes.ts'
import { hasResult, openConsole } from './console.ts'
import { problemsText } from './problems-text.ts'

export { UnfinishedError } from '../program/exit-codes.ts'

/** `color`: false for `--no-color`. `json`: without a result, the problems are printed as JSON. */
export function reportError(
  thrown: unknown,
  { verbose, json, color }: Readonly<Record<'verbose' | 'json' | 'color', boolean>>,
): ExitCode {
  const error = isFolderGone(thrown) ? folderGone() : thrown
  // Commander has printed its message already; asking for help or the version is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.error
  const { text, problems, exitCode } = describeError(error, { verbose, form: openConsole({ color }).errorForm })
  if (json && !hasResult() && problems.length > 0) stdout.write(`${renderProblemsJson(problems)}\n`)
  stderr.write(text)
  return exitCode
}

const isFolderGone = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.syscall === 'uv_cwd'

const folderGone = (): OperatorError =>
  new OperatorError('SVC2001', 'The working folder does not exist any more', { hint: 'Change to another folder.' })

export function describeError(
  error: unknown,
  { verbose, form }: { readonly verbose: boolean; readonly form: TextForm },
): { readonly text: string; readonly problems: readonly Problem[]; readonly exitCode: ExitCode } {
  const problems = problemsOf(error)
  const text =
    error instanceof UnusableFiles
      ? problemsText(problems, error.sources, form)
      : renderErrorText(error, { ...form, verbose })
  return { text, problems, exitCode: exitCodeOfError(error) }
}

/** An unforeseen error has no data for programs. */
function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof AuthorError) return error.problems
  if (!(error instanceof SvcsyncError)) return []
  const { code, hint, address } = error
  if (error instanceof RefusedError && error.reasons.length > 0) {
    const allowed = [hint, error.options].filter((part) => part !== undefined && part !== '').join(' ')
    return error.reasons.map((message) => ({ code, severity: 'error', message, ...(allowed && { hint: allowed }) }))
  }
  if (error instanceof PlanRefusal && error.discrepancies.length > 0)
    return error.discrepancies.flatMap((discrepancy) =>
      discrepancySentences(discrepancy).map((message) => ({
        code,
        severity: 'error' as const,
        message,
        // The target and the application are no objects.
        ...(discrepancy.subject.includes('/') && { address: discrepancy.subject }),
        ...(hint && { hint }),
      })),
    )
  const { message } = error
  return [{ code, severity: 'error', message, ...(address && { address }), ...(hint && { hint }) }]
}
