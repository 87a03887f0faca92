// Progress of an apply on stderr: one line that is redrawn on a terminal, plain lines now and then in CI.
import type { ApplyEvent } from '../../apply/apply-event.ts'
import { progressLine } from '../../render/report/progress-line.ts'
import { neutralise } from '../../render/text/neutralise.ts'
import type { Console } from './console.ts'

/** Plain lines come when a twentieth more is done, at most and at least this often: a short apply prints none. */
const plainAtMostEveryMs = 1000
const plainEveryMs = 5000
const redrawEveryMs = 80

export function createApplyProgress(total: number, console: Console) {
  const startedMs = Date.now()
  /** By their ids: what was written, and never synchronised, ends as failed and is one step all the same. */
  const ended = new Set<string>()
  let done = 0
  let failed = 0
  let lastReason: string | undefined
  let waiting = 0
  let verified = 0
  let shownMs = console.live ? 0 : startedMs
  let shownDone = 0

  const { width, colour } = console.errorForm
  const form = console.live ? { width: width - 1, colour } : { width: 100, colour: false }
  const line = (): string => {
    const rate = done / Math.max(0.001, (Date.now() - startedMs) / 1000)
    const waitingFor = waiting > 0 ? `${waiting} to synchronise` : undefined
    return progressLine({ total, done, failed, verified, rate, waitingFor }, form)
  }
  const show = (): void => {
    const now = Date.now()
    if (console.live) {
      if (now - shownMs < redrawEveryMs && done < total) return
      console.progress(line())
    } else {
      const hasMore = done - shownDone >= Math.max(1, total / 20)
      if (now - shownMs < (hasMore ? plainAtMostEveryMs : plainEveryMs)) return
      console.note(line())
    }
    shownMs = now
    shownDone = done
  }
  return {
    onEvent(event: ApplyEvent): void {
      switch (event.type) {
        case 'step-written':
          done = ended.add(event.step.id).size
          break
        case 'step-ended':
          if (event.outcome === 'done' || event.outcome === 'unchanged' || event.outcome === 'skipped') return
          done = ended.add(event.step.id).size
          if (event.outcome === 'failed' || event.outcome === 'unknown') {
            failed++
            // What many steps share is said once; the report lists them all.
            const { verb, address } = event.step
            if (event.reason !== lastReason)
              console.note(neutralise(`${verb} ${address}: ${event.outcome}: ${event.reason ?? ''}`))
            lastReason = event.reason
          }
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
    end: () => console.progress(''),
  }
}
