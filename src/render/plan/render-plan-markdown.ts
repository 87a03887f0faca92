// A plan as a comment on a pull request. Without times: an equal plan gives an equal comment, which needs no update.
import type { ShownPlan } from '../changes/by-cause.ts'
import { type MarkdownForm, printMarkdown } from '../printers/markdown.ts'
import { commentMarker } from '../text/markdown.ts'
import { type PlanBlockOptions, planBlocks } from './plan-blocks.ts'

interface PlanMarkdownOptions extends MarkdownForm, PlanBlockOptions {
  /** What made the plan, for the marker; default `plan`, or `drift`. */
  readonly command?: string
}

export function renderPlanMarkdown(plan: ShownPlan, options: PlanMarkdownOptions = {}): string {
  const command = options.command ?? (options.drift === undefined ? 'plan' : 'drift')
  return printMarkdown(planBlocks(plan, { ...options, brief: true }), options, [
    commentMarker(command, plan.target.name),
  ])
}
