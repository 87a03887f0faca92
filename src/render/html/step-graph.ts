// The steps of a plan as a drawing: which one waits for which. Laid out by dagre.
import { graphlib, layout } from '@dagrejs/dagre'
import { showElement } from '@svcsync/core/model/elements.ts'
import type { StepDocument } from '@svcsync/core/plan/plan-document.ts'
import { escapeHtml } from '../printers/html.ts'
import { formatCount } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'

const mostDrawn = 120
const height = 30
/** Beside the text of a box, which is made to fit: fonts differ by machine. */
const padding = 8

/** HTML: the drawing of what waits, and the order of all as a list, which says the same in words. */
export function stepGraph(steps: readonly StepDocument[], anchorOf: (address: string) => string | undefined): string {
  if (steps.length === 0) return ''
  const before = new Map(steps.map((step) => [step.id, [...step.dependsOn, ...(step.follows ?? [])]]))
  const awaited = new Set([...before.values()].flat())
  const linked = steps.filter(({ id }) => awaited.has(id) || (before.get(id)?.length ?? 0) > 0)
  const intro =
    linked.length === 0
      ? 'No step waits for another.'
      : `${formatCount(linked.length, 'step')} of ${steps.length} wait for another, or are waited for.`
  const drawn =
    linked.length === 0
      ? ''
      : linked.length > mostDrawn
        ? `<p class="note">More than ${mostDrawn} are not drawn: the list has all.</p>`
        : drawing(linked, before, anchorOf)
  return `<section><h2>Steps</h2>\n<p>${intro}</p>\n${drawn}\n${list(steps, before)}</section>`
}

function list(steps: readonly StepDocument[], before: ReadonlyMap<string, readonly string[]>): string {
  const position = new Map(steps.map(({ id }, index) => [id, index + 1]))
  const items = steps.map((step) => {
    const after = (before.get(step.id) ?? []).map((id) => position.get(id)).filter((at) => at !== undefined)
    const waits = after.length === 0 ? '' : ` <span class="note">after ${after.join(', ')}</span>`
    return `<li>${escapeHtml(label(step))}${waits}</li>`
  })
  return (
    `<details><summary>All ${formatCount(steps.length, 'step')}, in an order that holds</summary>\n` +
    `<ol>\n${items.join('\n')}\n</ol></details>`
  )
}

function label({ verb, address, collection, elements = [] }: StepDocument): string {
  const [first] = elements
  const who =
    first === undefined ? '' : ` ${showElement(first)}${elements.length > 1 ? ` and ${elements.length - 1} more` : ''}`
  return neutralise(`${verb}${who}${collection === undefined ? '' : ` (${collection})`} · ${address}`)
}

function drawing(
  steps: readonly StepDocument[],
  before: ReadonlyMap<string, readonly string[]>,
  anchorOf: (address: string) => string | undefined,
): string {
  const graph = new graphlib.Graph().setGraph({ rankdir: 'LR', nodesep: 8, ranksep: 40, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  const short = new Map(steps.map((step) => [step.id, shortened(label(step), 44)]))
  for (const [id, text] of short) graph.setNode(id, { width: 2 * padding + text.length * 6.6, height })
  for (const { id } of steps) for (const other of before.get(id) ?? []) if (short.has(other)) graph.setEdge(other, id)
  layout(graph)
  const lines = graph.edges().map((edge: { readonly v: string; readonly w: string }) => {
    const { points = [] } = graph.edge(edge) as { readonly points?: readonly Record<'x' | 'y', number>[] }
    return (
      `<path class="go" d="M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L')}" ` +
      'marker-end="url(#tip)"/>'
    )
  })
  const boxes = steps.map((step) => {
    const { x, y, width } = graph.node(step.id) as Record<'x' | 'y' | 'width', number>
    const place = `x="${round(x - width / 2)}" y="${round(y - height / 2)}" width="${round(width)}" height="${height}"`
    const fitted = `textLength="${round(width - 2 * padding)}" lengthAdjust="spacingAndGlyphs"`
    const text = escapeHtml(short.get(step.id) ?? '')
    const inside = `<text class="inside" x="${round(x)}" y="${round(y + 4)}" ${fitted}>${text}</text>`
    const box = `<rect class="box" ${place}/>${inside}`
    const anchor = anchorOf(step.address)
    const title = `<title>${escapeHtml(label(step))}</title>`
    return anchor === undefined ? `<g>${title}${box}</g>` : `<a href="#${anchor}">${title}${box}</a>`
  })
  const { width = 0, height: tall = 0 } = graph.graph() as { readonly width?: number; readonly height?: number }
  const marker = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"'
  const tip = `<defs><marker id="tip" ${marker}><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>`
  const size = `width="${round(width)}" height="${round(tall)}" viewBox="0 0 ${round(width)} ${round(tall)}"`
  const drawn = `<svg ${size}>${tip}${lines.join('')}${boxes.join('')}</svg>`
  const means = 'Which step waits for which, drawn; the list below says the same'
  return `<div class="scroll" tabindex="0" role="group" aria-label="${means}">${drawn}</div>`
}

const round = (value: number): string => String(Math.round(value * 10) / 10)

export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text
