// The end of an apply for the terminal.
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { type PrintTextForm, printText } from '../printers/text.ts'
import { reportBlocks } from './report-blocks.ts'

export const renderReportText = (report: ApplyReport, form: PrintTextForm): string =>
  printText(reportBlocks(report), form)
