// An apply as people see it: progress while it runs, and the report at its end, whatever ends it.
import { type ApplyEvent, BrokenApplyError } from '../apply/index.ts'
import type { ApplyReport } from '../core/report.ts'
import { renderReportJson } from '../render/render-json.ts'
import { renderReportMarkdown } from '../render/render-report-markdown.ts'
import { renderReportText } from '../render/render-report-text.ts'
import { createApplyProgress } from './apply-progress.ts'
import type { Console } from './console.ts'
import { exitCodeOfReport } from './exit-codes.ts'
import type { SharedOptions } from './shared-options.ts'

/** Gives the exit code. `steps`: how many there are. */
export async function carryOut(
  steps: number,
  options: SharedOptions,
  console: Console,
  run: (onEvent: (event: ApplyEvent) => void) => Promise<ApplyReport>,
): Promise<number> {
  const progress = createApplyProgress(steps, console)
  try {
    const report = await run(progress.onEvent)
    progress.end()
    await console.result(reportAs(report, options, console))
    return exitCodeOfReport(report.outcome)
  } catch (error) {
    progress.end()
    // What was written is told before what broke.
    if (error instanceof BrokenApplyError) await console.result(reportAs(error.report, options, console))
    throw error
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
