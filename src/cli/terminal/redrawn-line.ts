// One line that is redrawn in place, and no oftener than people can read.

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
