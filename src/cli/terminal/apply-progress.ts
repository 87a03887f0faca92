// Progress of an apply on stderr: one line that is redrawn on a terminal, plain lines now and then in CI.
import type { ApplyEvent } from '@svcsync/apply/apply-event.ts'
import { progressLine } from '@svcsync/render/report/progress-line.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import type { Console } from './console.ts'

/** Plain lines come when a twentieth more is done, at most and at least this often: a short apply prints none. */
const plainAtMostEveryMs = 1000
const plainEveryMs = 5000

/** `stop`: after the first interrupt no further step starts, and nobody knows how many that spares. */
export function createApplyProgress(total: number, console: Console, stop: AbortSignal, nowMs = Date.now) {
  const startedMs = nowMs()
  let done = 0
  let failed = 0
  let lastReason: string | undefined
  let waiting = 0
  let verified = 0
  let shownMs = startedMs
  let shownDone = 0

  const { width, colour } = console.errorForm
  const form = console.live ? { width, colour } : { width: 100, colour: false }
  const line = (): string => {
    const rate = done / Math.max(0.001, (nowMs() - startedMs) / 1000)
    return progressLine({ total, done, failed, verified, rate, waiting, interrupted: stop.aborted }, form)
  }
  const show = (): void => {
    if (console.live) {
      console.progress(line)
      return
    }
    const hasMore = done - shownDone >= Math.max(1, total / 20)
    if (nowMs() - shownMs < (hasMore ? plainAtMostEveryMs : plainEveryMs)) return
    console.note(line())
    shownMs = nowMs()
    shownDone = done
  }
  const noteEnd = ({ step, outcome, reason = '', written }: Extract<ApplyEvent, { type: 'step-ended' }>): void => {
    // What was written, and never synchronised, was counted as written.
    if (!written) done++
    failed++
    // One cause of many steps is one line; the report lists the steps.
    const how = written ? 'written, not confirmed' : outcome
    if (reason !== lastReason) console.note(neutralise(`${step.verb} ${step.address}: ${how}: ${reason}`))
    lastReason = reason
  }
  return {
    onEvent(event: ApplyEvent): void {
      switch (event.type) {
        case 'step-written':
          done++
          break
        case 'step-ended':
          if (event.outcome !== 'failed' && event.outcome !== 'unknown') return
          noteEnd(event)
          break
        case 'synchronising':
          waiting = event.waiting
          break
        case 'verified':
          verified = event.objects
          break
        case 'locked':
          console.note(
            `${neutralise(event.step.address)} is locked: again in ${Math.round(event.delayMs / 100) / 10} s`,
          )
          break
        default:
          return
      }
      show()
    },
    end: () => console.endProgress(),
  }
}
