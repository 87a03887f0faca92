// The file that `--output` names: it takes an answer of any size, and is there when all of it is.
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { beginInPlace, isReplaced, putInPlace } from '@svcsync/files/write-atomically.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import type { SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { takeInterrupts } from '../../terminal/interrupts.ts'

export function refuseOutput(output: string, { yes, confirm }: Pick<SharedOptions, 'yes' | 'confirm'>): void {
  if (output === '-')
    throw new OperatorError('SVC2182', '`--output -` names no file', {
      hint: 'Nothing was sent. Remove `--output` to print the answer, or name a file.',
    })
  let isThere: boolean
  try {
    isThere = isReplaced(resolve(cwd(), output))
  } catch (error) {
    throw unwritable(output, error, 'Nothing was sent. Name a file in an existing folder.')
  }
  if (!isThere || yes === true || confirm !== undefined) return
  throw new OperatorError('SVC2182', `\`${output}\` exists already`, {
    hint: 'Nothing was sent. Name another file, or replace it with --yes.',
  })
}

function unwritable(output: string, cause: unknown, hint: string): OperatorError {
  const why = whyUnwritable(String((cause as NodeJS.ErrnoException).code))
  return new OperatorError('SVC2182', `The answer cannot be written to \`${output}\`: ${why}`, { hint, cause })
}

function orUnwritable<T>(output: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw unwritable(output, error, 'The request succeeded, but its answer was lost.')
  }
}

export function writeAnswer(text: string, output: string, console: Console): void {
  const content = Buffer.from(text)
  orUnwritable(output, () => putInPlace(resolve(cwd(), output), content, 0o644))
  noteWritten(content.length, output, console)
}

function noteWritten(length: number, output: string, console: Console): void {
  console.note(`${formatCount(length, 'byte')} ${byCount(length, 'is', 'are')} in ${output}.`)
}

/** An answer may be larger than all memory: it comes in pieces, and is there when it is whole. */
export async function download(
  request: Parameters<PlatformClient['call']>[0],
  client: PlatformClient,
  output: string,
  { said, stop, console }: { said: (status: number) => void; stop: () => void; console: Console },
): Promise<void> {
  let file = undefined as ReturnType<typeof beginInPlace> | undefined
  let length = 0
  // A file that is half there goes when this is interrupted.
  const interrupts = takeInterrupts(stop)
  const into = () => {
    file?.drop()
    length = 0
    const begun = orUnwritable(output, () => beginInPlace(resolve(cwd(), output), 0o644))
    file = begun
    return (bytes: Buffer) => {
      length += bytes.length
      orUnwritable(output, () => begun.add(bytes))
    }
  }
  try {
    const { status } = await client.call({ ...request, into })
    said(status)
    orUnwritable(output, () => file?.end())
  } finally {
    interrupts.release()
    file?.drop()
  }
  noteWritten(length, output, console)
}
