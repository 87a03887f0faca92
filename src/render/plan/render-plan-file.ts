// What is to be known about a saved plan besides the plan: how old it is, how long it holds, for what.
import { shortDigest } from '../../core/plan/plan-digest.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatDuration } from '../text/counts.ts'
import { indent, type Line, paint, piece, type TextForm, wrapItems, wrapText } from '../text/line.ts'
import { describeTarget } from './target.ts'

interface PlanFileOptions extends TextForm {
  /** Milliseconds since 1970. */
  readonly nowMs: number
  /** As the person wrote it. */
  readonly file: string
  /** Who planned, in words. */
  readonly application: string
}

export function renderPlanFile(plan: PlanDocument, options: PlanFileOptions): string {
  const { width, nowMs, file, application } = options
  const { createdAt, expiresAt = createdAt, target, tool, only, digest } = plan
  const ageMs = nowMs - Date.parse(createdAt)
  const leftMs = Date.parse(expiresAt) - nowMs
  const age = ageMs < 0 ? 'still to come' : `${formatDuration(ageMs)} ago`
  const row = (name: string, items: readonly string[]): Line[] =>
    wrapItems(
      [indent(2), piece(name.padEnd(10), 'faint')],
      items.map((item) => [piece(item)]),
      width,
      piece(' · ', 'faint'),
    )
  return paint(
    [
      ...wrapText([piece('Saved plan ')], file, width, 'strong'),
      ...row('made', [`${createdAt} (${age})`, `by ${application}`, `svcsync ${tool.version}`]),
      ...(leftMs > 0
        ? row('expires', [`${expiresAt} (in ${formatDuration(leftMs)})`])
        : wrapText(
            [indent(2), piece('expired'.padEnd(10), 'faint')],
            `${expiresAt}: apply refuses it`,
            width,
            'error',
          )),
      ...row('target', [target.name, ...describeTarget(target)]),
      ...(only.length > 0 ? row('only', only) : []),
      ...row('digest', [shortDigest(digest), digest]),
    ],
    options.colour,
  )
}
