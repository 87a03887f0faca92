// The exit codes that scripts rely on, and two errors that end a command.
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { failureCodes, OperatorError, RefusedError } from '@svcsync/errors/index.ts'

export const exitCodes = {
  done: 0,
  error: 1,
  differences: 2,
  partial: 3,
  refused: 4,
  notConverged: 5,
  interrupted: 130,
} as const

type ExitName = keyof typeof exitCodes
export type ExitCode<Name extends ExitName = ExitName> = (typeof exitCodes)[Name]

/** As every help says them, unless the command has its own words. */
export const exitWords: Readonly<Record<ExitName, string>> = {
  done: 'done, nothing (more) to do',
  error: 'an error: nothing is promised',
  differences: 'there are differences',
  partial: 'applied in part',
  refused: 'refused before the first write',
  notConverged: 'all steps done, and the platform still differs',
  interrupted: 'interrupted',
}

export function exitCodeOfReport(
  outcome: ApplyReport['outcome'],
): ExitCode<'done' | 'partial' | 'notConverged' | 'interrupted'> {
  switch (outcome) {
    case 'converged':
    case 'nothing-to-do':
      return exitCodes.done
    case 'partial':
      return exitCodes.partial
    case 'different':
      return exitCodes.notConverged
    case 'interrupted':
      return exitCodes.interrupted
  }
}

/** The gravest first, for several runs. */
const gravest: readonly ExitCode[] = [130, 1, 3, 5, 4, 2, 0]

export const worstExitCode = (codes: readonly number[]): ExitCode =>
  gravest.find((code) => codes.includes(code)) ?? exitCodes.done

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof UnwrittenError) return error.exitCode
  if (error instanceof InterruptedError) return exitCodes.interrupted
  return error instanceof RefusedError ? exitCodes.refused : exitCodes.error
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file is as large as it may be',
  EIO: 'the device reports an error',
}

/** A result that stdout did not take: whoever waits for it must not take its absence for an answer. */
export class UnwrittenError extends OperatorError {
  readonly exitCode: ExitCode

  constructor(
    error: NodeJS.ErrnoException,
    {
      exitCode = exitCodes.error,
      hint = 'Make room, and run again.',
    }: { readonly exitCode?: ExitCode; readonly hint?: string } = {},
  ) {
    const code = String(error.code)
    super('SVC2010', `The result cannot be written to stdout: ${reasons[code] ?? code}`, { cause: error, hint })
    this.exitCode = exitCode
  }
}

/** Undefined: no step can have been carried out yet. */
let writing: { readonly journal: string | undefined } | undefined

/** A run that was interrupted before it could write anything. */
export class InterruptedError extends OperatorError {
  constructor() {
    super(failureCodes.interrupted, 'The run was interrupted while it read', {
      hint: 'Nothing was written. Run the command again.',
    })
  }
}

/** From now on steps may be carried out. `journal`: as it was named. */
export function noteWriting(journal: string | undefined): void {
  writing = { journal }
}

/** The end of a process that still waited for something: said, and never taken for success. */
export class UnfinishedError extends OperatorError {
  constructor() {
    super('SVC2134', 'svcsync ended without a result: it waited for something that cannot come', {
      hint: resumeAdvice(),
    })
  }
}

function resumeAdvice(): string {
  if (writing === undefined)
    return 'Nothing was changed on the platform. If it happens again, please report it with the command that you ran.'
  const { journal } = writing
  return journal === undefined
    ? 'Steps may have been sent, without a report. `svcsync plan` reads the live state.'
    : `Steps may have been sent. \`svcsync apply --resume ${journal}\` settles the steps under way, and resumes.`
}
