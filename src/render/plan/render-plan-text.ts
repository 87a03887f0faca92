// A plan for the terminal.
import type { ShownPlan } from '../changes/by-cause.ts'
import { type PrintTextForm, printText } from '../printers/text.ts'
import { type PlanBlockOptions, planBlocks } from './plan-blocks.ts'

export function renderPlanText(plan: ShownPlan, options: PrintTextForm & PlanBlockOptions): string {
  return printText(
    planBlocks(plan, { ...options, short: options.short && !options.verbose, brief: !options.verbose }),
    options,
  )
}
