// A result that stdout did not take: whoever waits for it must not take its absence for an answer.
import { OperatorError } from '../errors/index.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file is as large as it may be',
  EIO: 'the device reports an error',
}

export class UnwrittenError extends OperatorError {
  /** How the command ends. */
  readonly exitCode: number

  constructor(error: NodeJS.ErrnoException, { exitCode = 1, hint = 'Make room, and run again.' } = {}) {
    const code = String(error.code)
    super('SVC2010', `The result cannot be written to stdout: ${reasons[code] ?? code}`, { cause: error, hint })
    this.exitCode = exitCode
  }
}
