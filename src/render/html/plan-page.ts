// A plan, a drift, a report, or several of them, as pages: for whoever looks closer than a comment lets them.
import type { ApplyReport, StepReport } from '@svcsync/core/plan/report.ts'
import { differencesOf, type HistoryDocument, trendOf } from '@svcsync/core/plan/run-history.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { planBlocks } from '../plan/plan-blocks.ts'
import { formatTrend } from '../plan/run-history.ts'
import { escapeHtml } from '../printers/html.ts'
import { blocksOf, groupResults, type RunResult, targetOf } from '../report/combined.ts'
import { reportBlocks } from '../report/report-blocks.ts'
import { describeStep } from '../report/report-groups.ts'
import { formatCount, formatDuration, formatNumber } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'
import { type PageForm, renderPage } from './page.ts'
import { shortened, stepGraph } from './step-graph.ts'

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
export function renderCombinedHtml(all: readonly RunResult[], form: PageForm, leftOut: readonly string[] = []): string {
  const parts = groupResults(all).map((group) => partOf(blocksOf(group), group.first, group.all))
  const title = `svcsync: ${all.map((reported) => targetOf(reported).name).join(', ') || 'no results'}`
  const top = leftOut.map((each) => `Not reported: ${each}`)
  return renderPage(title, parts, form, top)
}

/** `all`: those that say the same. Each target has its own trend. */
function partOf(blocks: PagePart['blocks'], reported: RunResult, all: readonly RunResult[] = [reported]): PagePart {
  const trends = () => all.flatMap((each) => trend(targetOf(each).name, historyOf(each)?.runs ?? []) || []).join('\n')
  if (reported.command === 'apply') return { blocks, drawing: () => `${trends()}${timeline(reported.report)}` }
  return { blocks, drawing: (anchorOf) => `${trends()}${stepGraph(reported.plan.steps, anchorOf)}` }
}

const historyOf = (reported: RunResult) =>
  reported.command === 'apply' ? reported.report.history : reported.plan.history

/** More rows nobody looks through: the longest are shown. */
const mostRows = 300
const row = 20
const wide = 900
const labels = 380

function timeline({ steps, elapsedMs }: ApplyReport): string {
  const ran = steps.filter((step): step is StepReport & { startedMs: number } => step.startedMs !== undefined)
  if (ran.length === 0) return ''
  const longest = [...ran].sort((a, b) => b.elapsedMs - a.elapsedMs).slice(0, mostRows)
  const shown = longest.sort((a, b) => a.startedMs - b.startedMs)
  const end = Math.max(elapsedMs, ...ran.map((step) => step.startedMs + step.elapsedMs), 1)
  const at = (ms: number): number => Math.round((ms / end) * (wide - labels - 90))
  const bars = shown.map((step, index) => {
    const { what, address } = describeStep(step)
    const text = neutralise(`${what} ${address}`)
    const y = index * row + row
    const style = step.outcome === 'done' || step.outcome === 'failed' ? step.outcome : 'other'
    const x = labels + at(step.startedMs)
    const width = Math.max(2, at(step.elapsedMs))
    const tip = `<title>${escapeHtml(`${text}: ${step.outcome}, ${formatDuration(step.elapsedMs)}`)}</title>`
    const label = `<text class="label" x="${labels - 8}" y="${y + 13}">${escapeHtml(shortened(text, 48))}</text>`
    const bar = `<rect class="${style}" x="${x}" y="${y + 4}" width="${width}" height="${row - 8}"/>`
    const outcome = step.outcome === 'done' ? '' : ` · ${step.outcome}`
    const took = `<text x="${x + width + 5}" y="${y + 13}">${formatDuration(step.elapsedMs)}${outcome}</text>`
    return `<g>${tip}${label}${bar}${took}</g>`
  })
  const tall = (shown.length + 1) * row
  const which =
    shown.length < ran.length ? `The ${mostRows} that took longest, of ${formatCount(ran.length, 'step')}.` : ''
  const axis = `<text x="${labels}" y="13">0</text><text x="${wide - 84}" y="13">${formatDuration(end)}</text>`
  const size = `width="${wide}" height="${tall}" viewBox="0 0 ${wide} ${tall}"`
  const drawn = `<svg ${size}>${axis}${bars.join('')}</svg>`
  return `<section><h2>When each step ran</h2>
<p>${formatCount(ran.length, 'step')} in ${formatDuration(elapsedMs)}, reading back included. ${which}</p>
<div class="scroll" tabindex="0" role="group" aria-label="When each step ran, drawn">${drawn}</div></section>`
}

/** As many as a sheet of paper is wide. */
const mostBars = 50
const [left, top, tall, bar, gap] = [48, 18, 80, 10, 4]

/** Empty: there is nothing to compare yet. `name`: of the target. */
function trend(name: string, runs: HistoryDocument['runs']): string {
  const shown = trendOf(runs).slice(-mostBars)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined || shown.length < 2) return ''
  const most = Math.max(...shown.map(differencesOf), 1)
  const bars = shown.map((run, index) => {
    const count = differencesOf(run)
    const height = count === 0 ? 2 : Math.max(3, Math.round((count / most) * tall))
    const tip = `${run.at}: ${run.verdict}${run.isComplete ? '' : '; not everything could be read'}`
    const style = count === 0 ? 'done' : run.isComplete ? 'failed' : 'other'
    return (
      `<g><title>${text(tip)}</title><rect class="${style}" x="${left + index * (bar + gap)}" ` +
      `y="${top + tall - height}" width="${bar}" height="${height}"/></g>`
    )
  })
  const marks = runs.flatMap((run) => {
    const next = shown.findIndex(({ at }) => at > run.at)
    if (run.command !== 'apply' || run.refused || run.at <= first.at || next < 1) return []
    const x = left + next * (bar + gap) - gap / 2
    const style = run.isComplete ? 'done' : 'failed'
    return (
      `<g><title>${text(`${run.at}: applied. ${run.verdict}`)}</title><path ` +
      `class="${style}" d="M${x} ${top + tall + 4}l4 8h-8z"/></g>`
    )
  })
  const wide = Math.max(left + shown.length * (bar + gap), left + 200)
  const foot = top + tall + 28
  const axis = [
    `<text class="label" x="${left - 6}" y="${top + 10}">${formatNumber(most)}</text>`,
    `<text class="label" x="${left - 6}" y="${top + tall}">0</text>`,
    `<text x="${left}" y="${foot}">${first.at.slice(0, 10)}</text>`,
    `<text class="label" x="${wide}" y="${foot}">${last.at.slice(0, 10)}</text>`,
  ]
  const label = `Differences of ${name} in the last ${formatCount(shown.length, 'run')} of drift, drawn`
  const size = `width="${wide}" height="${foot + 6}" viewBox="0 0 ${wide} ${foot + 6}"`
  const drawn = [...axis, ...bars, ...marks].join('')
  return `<section><h2>The last runs of ${text(name)}</h2>
<p>Differences: ${text(formatTrend(runs))}. A triangle is an apply.</p>
<svg class="trend" role="img" aria-label="${text(label)}" ${size}>${drawn}</svg></section>`
}

const text = (words: string): string => escapeHtml(neutralise(words))
