// An apply as people see it: interrupts and progress while it runs, and the report at its end, whatever ends it.
import type { ApplyEvent } from '@svcsync/apply/apply-event.ts'
import { BrokenApplyError } from '@svcsync/apply/apply-plan.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { capitalise } from '@svcsync/render/problems/problem-sentences.ts'
import { progressLine } from '@svcsync/render/report/progress-line.ts'
import { reportVerdict } from '@svcsync/render/report/report-groups.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import { withCommands } from '@svcsync/render/text/program-name.ts'
import {
  type ExitCode,
  exitCodeOfReport,
  exitCodes,
  InterruptedError,
  noteWriting,
  UnwrittenError,
} from '../program/exit-codes.ts'
import { formats } from '../program/formats.ts'
import type { SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'
import { takeInterrupts } from '../terminal/interrupts.ts'
import type { ConnectedPlan } from './open-for-command.ts'

/** Gives the exit code. `prepare` writes nothing; the connection is closed and the signals given back, always. */
export async function withInterrupts<T extends { readonly planned: ConnectedPlan }, Code extends ExitCode>(
  console: Console,
  prepare: (kill: AbortSignal) => Promise<T>,
  goOn: (prepared: T, interrupts: ReturnType<typeof takeInterrupts>) => Promise<Code>,
): Promise<Code> {
  const interrupts = takeInterrupts(
    // Also when quiet: who sees nothing happen interrupts again, and that stops at once.
    () => console.question('Interrupted: running steps end, no other starts. Interrupt again to stop now.\n'),
    () => console.note('Stopping at once.'),
  )
  const prepared = await unlessKilled(prepare(interrupts.kill), interrupts.kill)
  try {
    return await goOn(prepared, interrupts)
  } finally {
    interrupts.release()
    await prepared.planned.client.close()
  }
}

/** Rejects after a second interrupt: it broke off what was being read, and nothing that came of it can be relied on. */
async function unlessKilled<Result>(run: Promise<Result>, kill: AbortSignal): Promise<Result> {
  const result = await run.catch((error: unknown) => {
    throw kill.aborted ? new InterruptedError() : error
  })
  if (kill.aborted) throw new InterruptedError()
  return result
}

/** Gives the exit code. `steps`: how many there are; `stop`: the first interrupt. */
export async function runApply(
  steps: number,
  stop: AbortSignal,
  options: SharedOptions,
  console: Console,
  run: (onEvent: (event: ApplyEvent) => void) => Promise<ApplyReport>,
) {
  const progress = createApplyProgress(steps, console, stop)
  noteWriting(options.journal ?? options.resume)
  try {
    const report = await run(progress.onEvent)
    progress.end()
    await reportResult(report, options, console)
    const next = describeRest(report, options.journal ?? options.resume)
    if (next !== undefined) console.note(withCommands(next))
    return exitCodeOfReport(report.outcome)
  } catch (error) {
    progress.end()
    // The report of finished work comes before the error.
    if (error instanceof BrokenApplyError) await reportResult(error.report, options, console)
    throw error
  }
}

/** The approved or saved plan no longer matches the rest, so only a journal can resume it. */
function describeRest(
  { outcome, counts, undoes, left, verified }: ApplyReport,
  journal: string | undefined,
): string | undefined {
  if (outcome === 'converged' || outcome === 'nothing-to-do') return undefined
  if (outcome === 'different' && left !== undefined && verified.unequal.length === 0)
    return 'Revert the rest by hand, or in the manifests.'
  if (outcome === 'different') return 'The next plan shows what differs now.'
  const first = counts.failed > 0 ? 'Correct what failed, then ' : ''
  const again = `${first}plan and apply again: the rest is a new plan with a new digest.`
  const anew = undoes ? `${first}run the same undo again: it plans the rest.` : again
  const goesOn = journal === undefined ? '' : ` Or resume this plan: \`svcsync apply --resume ${journal}\`.`
  return `${capitalise(anew)}${goesOn}`
}

/** The writes are complete, so an error of the report's file also gives their outcome. */
async function reportResult(report: ApplyReport, options: SharedOptions, console: Console): Promise<void> {
  try {
    await console.result(await formats[options.format].report(report, { console, verbose: options.verbose }))
  } catch (error) {
    if (!(error instanceof UnwrittenError)) throw error
    throw new UnwrittenError(error.cause as NodeJS.ErrnoException, {
      exitCode: exitCodeOfReport(report.outcome) || exitCodes.error,
      hint: `The apply itself has ended. ${reportVerdict(report).sentence}`,
    })
  }
}

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
    // A write that never synchronised was already counted.
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
