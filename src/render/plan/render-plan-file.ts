// Words the facts of a saved plan besides the plan: its age, its expiry and its target.
import { shortDigest } from '@svcsync/core/plan/plan-digest.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { formatDuration } from '../text/counts.ts'
import { type Flow, indent, paint, piece, type TextForm, wrapItems, wrapText } from '../text/line.ts'
import { describeTarget } from './target.ts'

interface PlanFileOptions extends TextForm {
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly file: string
  readonly application: string
}

export function renderPlanFile(plan: PlanDocument, options: PlanFileOptions): string {
  const { nowMs, file, application } = options
  const { createdAt, expiresAt = createdAt, target, tool, only, digest } = plan
  const ageMs = nowMs - Date.parse(createdAt)
  const leftMs = Date.parse(expiresAt) - nowMs
  const age = ageMs < 0 ? 'still to come' : `${formatDuration(ageMs)} ago`
  const title = (name: string) => [indent(2), piece(name.padEnd(10), 'faint')]
  const row = (name: string, ...items: readonly string[]): Flow => {
    const shown = items.map((item) => [piece(item)])
    return wrapItems(title(name), shown, piece(' · ', 'faint'))
  }
  const flows = [
    wrapText([piece('Saved plan ')], file, 'strong'),
    row('made', `${createdAt} (${age})`, `by ${application}`, `svcsync ${tool.version}`),
    leftMs > 0
      ? row('expires', `${expiresAt} (in ${formatDuration(leftMs)})`)
      : wrapText(title('expired'), `${expiresAt}: apply refuses it`, 'error'),
    row('target', target.name, ...describeTarget(target)),
    ...(only.length > 0 ? [row('only', ...only)] : []),
    row('digest', shortDigest(digest), digest),
  ]
  return paint(flows, options)
}
