// `svcsync apply`: plans, asks, applies, and says truthfully what happened.

import { stderr, stdin } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { BrokenApplyError } from '../../apply/index.ts'
import { refusals } from '../../core/guards/judge-guards.ts'
import type { PlanDocument } from '../../core/plan-document.ts'
import type { ApplyReport } from '../../core/report.ts'
import { OperatorError } from '../../errors/index.ts'
import { kinds } from '../../kinds/index.ts'
import { renderReportJson, renderReportMarkdown, renderReportText } from '../../render/index.ts'
import { applyRun } from '../../runs/apply-run.ts'
import { refuseByGuards } from '../../runs/refuse-by-guards.ts'
import { createApplyProgress } from '../apply-progress.ts'
import { type Console, openConsole } from '../console.ts'
import { exitCodeOfReport, exitCodes } from '../exit-codes.ts'
import { takeInterrupts } from '../interrupts.ts'
import { openForCommand, planForCommand } from '../open-for-command.ts'
import { planAs } from '../render-plan.ts'
import type { SharedOptions } from '../shared-options.ts'
import { keepHeapSmall } from '../size-heap.ts'

export interface ApplyCommandOptions extends SharedOptions {
  readonly yes?: boolean
}

export async function applyCommand(options: ApplyCommandOptions): Promise<number> {
  keepHeapSmall()
  const console = openConsole(options)
  if (!options.yes && !console.interactive) {
    throw new OperatorError('SVC2002', 'apply has nobody to ask: stdin is no terminal, or CI is set', {
      hint: 'Review the output of `svcsync plan`, then run apply with --yes.',
    })
  }
  const opened = openForCommand(options, console.colourErrors)
  const interrupts = takeInterrupts(
    () => console.note('Interrupted: running steps end, no further one starts. Interrupt again to stop at once.'),
    () => console.note('Stopping at once.'),
  )
  const planned = await planForCommand(opened, options, console, {
    kill: interrupts.kill,
    goesOn: options.yes === true,
  })
  const { document, client } = planned
  try {
    if (refusals(document.guards).length === 0) refuseUnreadable(document)
    if (options.format === 'text' && !options.quiet) await console.result(planAs(document, options, console))
    refuseByGuards(document.guards)
    if (interrupts.stop.aborted) return exitCodes.interrupted
    const asks = document.steps.length > 0 && !options.yes
    // Nobody is asked about a plan that was not shown.
    if (asks && (options.format !== 'text' || options.quiet))
      console.question(planAs(document, asText(options), console))
    const answer = asks ? await ask(document, interrupts.stop) : 'yes'
    if (answer !== 'yes') {
      console.note('Nothing was changed.')
      return answer === 'interrupted' ? exitCodes.interrupted : exitCodes.done
    }
    const progress = createApplyProgress(document.steps.length, console)
    try {
      const report = await applyRun(opened, client, planned, {
        kinds,
        stop: interrupts.stop,
        kill: interrupts.kill,
        onEvent: progress.onEvent,
      })
      progress.end()
      await console.result(reportAs(report, options, console))
      return exitCodeOfReport(report.outcome)
    } catch (error) {
      progress.end()
      // What was written is told before what broke.
      if (error instanceof BrokenApplyError) await console.result(reportAs(error.report, options, console))
      throw error
    }
  } finally {
    interrupts.release()
    await client.close()
  }
}

function asText(options: SharedOptions): SharedOptions {
  return { ...options, format: 'text' }
}

function refuseUnreadable({ unreadable }: PlanDocument): void {
  const [first] = unreadable
  if (first === undefined) return
  const others = unreadable.length > 1 ? `, and ${unreadable.length - 1} more` : ''
  throw new OperatorError('SVC2003', `${first.address} could not be read${others}: ${first.reason}`, {
    hint: `Nothing was written. ${first.hint ?? ''} \`--only\` applies the rest without it.`.replace(/ {2,}/g, ' '),
  })
}

async function ask({ counts, target }: PlanDocument, stop: AbortSignal): Promise<'yes' | 'no' | 'interrupted'> {
  const questions = createInterface({ input: stdin, output: stderr })
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  stop.addEventListener('abort', interrupt)
  // While it asks, the terminal gives Ctrl-C to the question and not to the process; closing alone would never settle it.
  questions.on('SIGINT', interrupt)
  try {
    const answer = await questions.question(
      `Apply ${counts.steps} steps to ${target.name} (${target.baseUrl})? Only \`yes\` goes on: `,
      { signal: interrupted.signal },
    )
    return answer.trim() === 'yes' ? 'yes' : 'no'
  } catch {
    return interrupted.signal.aborted ? 'interrupted' : 'no'
  } finally {
    stop.removeEventListener('abort', interrupt)
    questions.close()
  }
}

function reportAs(report: ApplyReport, options: SharedOptions, console: Console): string {
  switch (options.format) {
    case 'json':
      return renderReportJson(report)
    case 'markdown':
      return renderReportMarkdown(report, {})
    case 'text':
      return renderReportText(report, { colour: console.colour, width: console.width })
  }
}
