// The destinations of output: results to stdout, everything else to stderr. Only this file writes to either.
import { env, stderr, stdin, stdout } from 'node:process'
import { paint, piece, type TextForm, wrapItems } from '@svcsync/render/text/line.ts'
import { disarmLines, neutralise } from '@svcsync/render/text/neutralise.ts'
import { UnwrittenError } from '../program/exit-codes.ts'

export interface Console extends TextForm {
  /** Colours on stdout. */
  readonly colour: boolean
  /** Columns; where stdout is no terminal those of COLUMNS, or 100. */
  readonly width: number
  /** Lines; where stdout is no terminal those of one of old. */
  readonly height: number
  /** A person can be asked: stdin and stderr are a terminal, and this is no CI. */
  readonly interactive: boolean
  /** Progress may be redrawn in place. */
  readonly live: boolean
  /** The same of stderr. */
  readonly errorForm: TextForm
  /** Rejects with an UnwrittenError, but not for a reader that went away. Each part is made after those before it. */
  result(text: string | Iterable<string>): Promise<void>
  /** Empties the screen of a terminal; elsewhere nothing. */
  clearScreen(): void
  /** Nobody reads stdout any more. */
  readonly isUnheard: boolean
  /** Text that a person must see even with --quiet, before an answer or a second interrupt. */
  question(text: string): void
  /** Plain lines for people, which may hold foreign text: nothing of it reaches the terminal as more than text. */
  note(text: string): void
  /** The same of what a renderer has made, with its colours. */
  rendered(text: string): void
  /** Replaces the line of progress, when it is time to. */
  progress(line: () => string): void
  endProgress(): void
}

interface ConsoleOptions {
  readonly color?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** Streams of stdout that have got a result, or lost their reader. */
const streamsWithResult = new WeakSet<object>()
const streamsWithoutReader = new WeakSet<object>()

/** True if stdout has got a result: a later error must not follow it there. */
export const hasResult = (): boolean => streamsWithResult.has(stdout)

export function openConsole(options: ConsoleOptions): Console {
  const inCi = env.CI !== undefined && env.CI !== '' && env.CI !== 'false'
  const live = stderr.isTTY === true && !inCi && !options.quiet && env.TERM !== 'dumb'
  const line = redrawnLine((text) => stderr.write(text))
  const rendered = (text: string): void => {
    line.erase()
    if (!options.quiet) stderr.write(text.endsWith('\n') ? text : `${text}\n`)
  }
  const errorForm: TextForm = { colour: wantsColour(options, stderr.isTTY === true), width: columnsOf(stderr) }
  return {
    colour: wantsColour(options, stdout.isTTY === true),
    width: columnsOf(stdout),
    height: (stdout.isTTY === true && stdout.rows) || 24,
    errorForm,
    // stdin comes last, since Node opens a stdin that is no terminal as a file, which takes a millisecond.
    interactive: !inCi && stderr.isTTY === true && stdin.isTTY === true,
    live,
    result: async (text) => {
      streamsWithResult.add(stdout)
      line.end()
      const parts = typeof text === 'string' ? [text.endsWith('\n') ? text : `${text}\n`] : text
      for (const part of parts) {
        await writeResult(part)
        if (streamsWithoutReader.has(stdout)) return
      }
    },
    clearScreen: () => {
      if (stdout.isTTY === true && !inCi && env.TERM !== 'dumb') stdout.write('\u001b[2J\u001b[3J\u001b[H')
    },
    get isUnheard() {
      return streamsWithoutReader.has(stdout)
    },
    question: (text) => {
      line.erase()
      stderr.write(text)
    },
    note: (text) => rendered(wrapNote(text, stderr)),
    rendered,
    progress: (text) => {
      if (live) line.show(text)
    },
    endProgress: line.end,
  }
}

/** On a terminal, at its width: commands between back-ticks stay in one piece, and lines with a margin as they are. */
export function wrapNote(text: string, stream: Parameters<typeof columnsOf>[0] = stdout): string {
  const lines = text.split('\n')
  if (!stream.isTTY) return disarmLines(lines.map(neutralise).join('\n'))
  const itemsOf = (line: string) => (line.match(/(?:`[^`]*`|\S)+/g) ?? []).map((word) => [piece(word)])
  const flows = lines.map((line) => (/^\s/.test(line) ? [piece(line)] : wrapItems([], itemsOf(line))))
  return paint(flows, { colour: false, width: columnsOf(stream) }).trimEnd()
}

function writeResult(text: string): Promise<void> {
  return new Promise((resolve, reject) =>
    stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
      if (error?.code === 'EPIPE') streamsWithoutReader.add(stdout)
      if (!error || streamsWithoutReader.has(stdout)) resolve()
      else reject(new UnwrittenError(error))
    }),
  )
}

/** A terminal that tells no width, or none that can be (0 in many containers), is as wide as anything else. */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (stream.isTTY === true && stream.columns) return Math.max(40, stream.columns)
  // COLUMNS is everybody's: what makes no sense there is no error here.
  const columns = Number(env.COLUMNS)
  return Number.isInteger(columns) && columns >= 40 && columns <= 1000 ? columns : 100
}

/** `--no-color` wins, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal. */
function wantsColour(options: ConsoleOptions, isTerminal: boolean): boolean {
  if (options.color === false) return false
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0'
  return isTerminal && env.TERM !== 'dumb'
}

const everyMs = 80

interface Clock {
  nowMs(): number
  /** Gives what calls it off. */
  later(act: () => void, delayMs: number): () => void
}

const systemClock: Clock = {
  nowMs: Date.now,
  later: (act, delayMs) => {
    const timer = setTimeout(act, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** `write` gets the line with the sequence that removes the one before. The shown text is at most `everyMs` old. */
export function redrawnLine(write: (text: string) => void, { nowMs, later }: Clock = systemClock) {
  let isShown = false
  let drawnMs = Number.NEGATIVE_INFINITY
  let latest: (() => string) | undefined
  let callOff: (() => void) | undefined
  const erase = (): void => {
    if (isShown) write('\r\u001b[2K')
    isShown = false
  }
  const draw = (): void => {
    callOff = undefined
    drawnMs = nowMs()
    erase()
    write(latest?.() ?? '')
    isShown = true
  }
  return {
    show: (line: () => string): void => {
      latest = line
      if (callOff !== undefined) return
      const waitMs = drawnMs + everyMs - nowMs()
      if (waitMs <= 0) draw()
      else callOff = later(draw, waitMs)
    },
    /** Makes room for other lines; the next one that is shown comes back below them. */
    erase,
    end: (): void => {
      callOff?.()
      callOff = undefined
      erase()
    },
  }
}
