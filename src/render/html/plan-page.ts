// A plan, a drift, a report, or several of them, as pages: for whoever looks closer than a comment lets them.
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { planBlocks } from '../plan/plan-blocks.ts'
import { blocksOf, groupReported, type Reported, targetOf } from '../report/combined.ts'
import { reportBlocks } from '../report/report-blocks.ts'
import { type PageForm, renderPage } from './page.ts'
import { stepGraph } from './step-graph.ts'
import { timeline } from './timeline.ts'
import { trend } from './trend.ts'

type PagePart = Parameters<typeof renderPage>[1][number]

export function renderPlanHtml(
  plan: ShownPlan,
  { hash, link, ...options }: PageForm & Parameters<typeof planBlocks>[1],
): string {
  const part = partOf(planBlocks(plan, options), { command: 'plan', plan })
  return renderPage(`svcsync: ${plan.target.name}`, [part], { hash, link })
}

export function renderReportHtml(report: ApplyReport, form: PageForm): string {
  const part = partOf(reportBlocks(report), { command: 'apply', report })
  return renderPage(`svcsync apply: ${report.target.name}`, [part], form)
}

/** Several results on one page, with one filter for the rows of all. `leftOut`: what could not be read of others. */
export function renderCombinedHtml(all: readonly Reported[], form: PageForm, leftOut: readonly string[] = []): string {
  const parts = groupReported(all).map((group) => partOf(blocksOf(group), group.first, group.all))
  const title = `svcsync: ${all.map((reported) => targetOf(reported).name).join(', ') || 'no results'}`
  const top = leftOut.map((each) => `Not reported: ${each}`)
  return renderPage(title, parts, form, top)
}

/** `all`: those that say the same. Each target has its own trend. */
function partOf(blocks: PagePart['blocks'], reported: Reported, all: readonly Reported[] = [reported]): PagePart {
  const trends = () => all.flatMap((each) => trend(targetOf(each).name, historyOf(each)?.runs ?? []) || []).join('\n')
  if (reported.command === 'apply') return { blocks, drawing: () => `${trends()}${timeline(reported.report)}` }
  return { blocks, drawing: (anchorOf) => `${trends()}${stepGraph(reported.plan.steps, anchorOf)}` }
}

const historyOf = (reported: Reported) =>
  reported.command === 'apply' ? reported.report.history : reported.plan.history
