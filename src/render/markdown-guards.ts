// What the guards say of a plan, for a comment.
import type { Verdict } from '../core/guards/guard.ts'
import { shellOption } from '../core/guards/shell-option.ts'
import type { PlanDocument } from '../core/plan/plan-document.ts'
import { formatNumber } from './format-count.ts'
import { summariseGuards } from './guard-lines.ts'
import type { MarkdownStage } from './markdown-details.ts'
import { code, fence, prose } from './markdown-escape.ts'

/** Even the shortest comment names some. */
const fewest = 5

/** What refuses the plan, with the options to copy. */
export function refusedSection({ guards }: PlanDocument, { names }: MarkdownStage): string[] {
  const refused = guards.filter(({ verdict }) => verdict === 'refused')
  if (refused.length === 0) return []
  const limit = Math.max(Math.min(names, 50), fewest)
  const options = [...new Set(refused.flatMap(({ allow }) => (allow === undefined ? [] : [shellOption(allow)])))]
  return [
    '#### ⛔ Refused by guards',
    '',
    '`apply` writes nothing while one of these stands.',
    '',
    ...items(refused, limit),
    ...(options.length === 0
      ? []
      : ['', 'What is meant can be allowed, each by its own option:', '', ...fence('sh', options.slice(0, limit))]),
  ]
}

/** What was allowed, and how many hold. */
export function guardNote({ guards }: PlanDocument, { names }: MarkdownStage): string[] {
  if (guards.length === 0) return []
  const allowed = guards.filter(({ verdict }) => verdict === 'allowed')
  const limit = Math.max(Math.min(names, 50), fewest)
  return [
    `Guards: ${summariseGuards(guards)}.`,
    ...(allowed.length > 0 ? ['', '#### Allowed by `--allow`', '', ...items(allowed, limit)] : []),
  ]
}

function items(verdicts: readonly Verdict[], limit: number): string[] {
  const lines = verdicts.slice(0, limit).map(({ guard, sentence }) => `- **${code(guard)}**: ${prose(sentence)}`)
  const rest = verdicts.length - limit
  return rest > 0 ? [...lines, `- … and ${formatNumber(rest)} more`] : lines
}
