// Draws the last drift runs: a bar for each, and a mark for an apply between two.
import { differencesOf, type ShownRun, trendOf } from '@svcsync/core/plan/run-history.ts'
import { sayTrend } from '../plan/run-history.ts'
import { escapeHtml } from '../printers/html.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'

/** As many as a sheet of paper is wide. */
const mostBars = 50
const [left, top, tall, bar, gap] = [48, 18, 80, 10, 4]

/** Empty: there is nothing to compare yet. `name`: of the target. */
export function trend(name: string, runs: readonly ShownRun[]): string {
  const shown = trendOf(runs).slice(-mostBars)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined || shown.length < 2) return ''
  const most = Math.max(...shown.map(differencesOf), 1)
  const bars = shown.map((run, index) => {
    const count = differencesOf(run)
    const height = count === 0 ? 2 : Math.max(3, Math.round((count / most) * tall))
    const tip = `${run.at}: ${run.verdict}${run.isComplete ? '' : '; not everything could be read'}`
    const style = count === 0 ? 'done' : run.isComplete ? 'failed' : 'other'
    return `<g><title>${text(tip)}</title><rect class="${style}" x="${left + index * (bar + gap)}" y="${top + tall - height}" width="${bar}" height="${height}"/></g>`
  })
  const marks = runs.flatMap((run) => {
    const next = shown.findIndex(({ at }) => at > run.at)
    if (run.command !== 'apply' || run.refused || run.at <= first.at || next < 1) return []
    const x = left + next * (bar + gap) - gap / 2
    const style = run.isComplete ? 'done' : 'failed'
    return `<g><title>${text(`${run.at}: applied. ${run.verdict}`)}</title><path class="${style}" d="M${x} ${top + tall + 4}l4 8h-8z"/></g>`
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
  return `<section><h2>The last runs of ${text(name)}</h2>
<p>Differences: ${text(sayTrend(runs))}. A triangle is an apply.</p>
<svg class="trend" role="img" aria-label="${text(label)}" ${size}>${axis.join('')}${bars.join('')}${marks.join('')}</svg></section>`
}

const text = (words: string): string => escapeHtml(neutralise(words))
