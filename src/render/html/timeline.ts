// When each step of an apply ran, drawn.
import type { ApplyReport, StepReport } from '@svcsync/core/plan/report.ts'
import { escapeHtml } from '../printers/html.ts'
import { describeStep } from '../report/report-groups.ts'
import { formatCount, formatDuration } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'
import { shortened } from './step-graph.ts'

/** More rows nobody looks through: the longest are shown. */
const mostRows = 300
const row = 20
const wide = 900
const labels = 380

export function timeline({ steps, elapsedMs }: ApplyReport): string {
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
    const label = `<text class="label" x="${labels - 8}" y="${y + 13}">${escapeHtml(shortened(text, 56))}</text>`
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
