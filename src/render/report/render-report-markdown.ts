// The end of an apply as a comment or a summary of a job.
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { type MarkdownForm, printMarkdown } from '../printers/markdown.ts'
import { commentMarker } from '../text/markdown.ts'
import { reportBlocks } from './report-blocks.ts'

export function renderReportMarkdown(report: ApplyReport, form: MarkdownForm = {}): string {
  return printMarkdown(reportBlocks(report), form, [commentMarker('apply', report.target.name)])
}
