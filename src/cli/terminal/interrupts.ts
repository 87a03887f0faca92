// Interrupts in two stages: the first lets running steps end, the second stops at once.
import process from 'node:process'
import { InterruptedError } from '../program/exit-codes.ts'
import type { Console } from './console.ts'

/**
 * Takes SIGINT and SIGTERM until they are released: the first aborts `stop`, the second `kill`. A closed terminal may
 * send SIGHUP more than once, so that one aborts `stop` alone.
 */
export function takeInterrupts(
  onFirst = () => {},
  onSecond = () => {},
): Readonly<Record<'stop' | 'kill', AbortSignal>> & { release(): void } {
  const stop = new AbortController()
  const kill = new AbortController()
  const handle = (): void => {
    if (!stop.signal.aborted) {
      onFirst()
      stop.abort()
    } else if (!kill.signal.aborted) {
      onSecond()
      kill.abort()
    }
  }
  const hangUp = (): void => {
    if (!stop.signal.aborted) handle()
  }
  process.on('SIGINT', handle)
  process.on('SIGTERM', handle)
  process.on('SIGHUP', hangUp)
  return {
    stop: stop.signal,
    kill: kill.signal,
    release: () => {
      process.off('SIGINT', handle)
      process.off('SIGTERM', handle)
      process.off('SIGHUP', hangUp)
    },
  }
}

/** If told to stop, `write` reverts its work and returns undefined. */
export async function writeUnlessInterrupted<Result>(
  console: Console,
  write: (stop: AbortSignal) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const interrupts = takeInterrupts()
  try {
    const result = await write(interrupts.stop)
    if (result === undefined) console.note('Interrupted: nothing was written.')
    return result
  } finally {
    interrupts.release()
  }
}

/** For a run that only reads: the first interrupt ends it, whatever it waits for. */
export function unlessInterrupted<Args extends readonly unknown[], Result>(run: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    const { stop, release } = takeInterrupts()
    const interrupt = new Promise<never>((_, reject) =>
      stop.addEventListener('abort', () => reject(new InterruptedError())),
    )
    return Promise.race([run(...args), interrupt]).finally(release)
  }
}
