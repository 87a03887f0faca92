// Says what went wrong, on stderr, and with which exit code the command ends.
import { stderr } from 'node:process'
import { CommanderError } from 'commander'
import { renderErrorText } from '../render/index.ts'
import { openConsole } from './console.ts'
import { exitCodeOfError, exitCodes } from './exit-codes.ts'
import { ShownError } from './problems-text.ts'

export function reportError(error: unknown, verbose: boolean): number {
  // Commander has printed its message already; asking for help or the version is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.error
  if (error instanceof ShownError) {
    stderr.write(error.text)
    return exitCodes.error
  }
  const { colourErrors } = openConsole({})
  stderr.write(renderErrorText(error, { colour: colourErrors, verbose }))
  return exitCodeOfError(error)
}
