// Writing files that an interrupt, or a kill, must not leave half done.
import { takeBackEarlier } from '../scaffold/index.ts'
import type { Console } from './console.ts'
import { takeInterrupts } from './interrupts.ts'

/** `write` takes back what it has begun when it is told to stop, and gives undefined then. */
export async function writeUnlessInterrupted<Result>(
  console: Console,
  write: (stop: AbortSignal) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const interrupts = takeInterrupts(
    () => {},
    () => {},
  )
  try {
    const result = await write(interrupts.stop)
    if (result === undefined) console.note('Interrupted: nothing was written.')
    return result
  } finally {
    interrupts.release()
  }
}

/** Before anything else is looked at: what a killed run has left would pass for somebody's files. */
export function takeBackWhatBrokeOff(dir: string, console: Console): void {
  const taken = takeBackEarlier(dir)
  if (taken.length === 0) return
  const files = taken.length === 1 ? 'one file was' : `${taken.length} files were`
  console.note(`An earlier run broke off while it wrote here: ${files} taken back.`)
}
