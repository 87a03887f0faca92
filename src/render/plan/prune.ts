// What prune deletes and keeps, and what it could not see.
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatCount } from '../text/counts.ts'
import { type Flow, indent, piece, restLines, say, titled, wrapText } from '../text/line.ts'
import { code, listSection, prose } from '../text/markdown.ts'

/** So many objects that are kept are listed, unless everything is asked for. */
const listed = 10

/** One sentence about what prune deletes, and how far it has looked. Empty: it deletes nothing. */
function sayPruned({ changes, only }: PlanDocument): string {
  const count = changes.filter(({ prunedBy }) => prunedBy !== undefined).length
  if (count === 0) return ''
  const them = count === 1 ? 'it' : 'them'
  const [lists, rest] =
    only.length === 0
      ? ['Declared lists', 'what is not declared']
      : ['Declared lists that `--only` selects', 'what is not declared, or not selected,']
  const what = `Prune deletes ${formatCount(count, 'object')} that no manifest mentions`
  return `${what}. ${lists} let go of ${them} first; ${rest} was not read, and who else refers to ${them} is not known.`
}

export function pruneLines(plan: PlanDocument, verbose: boolean): Flow[] {
  const { kept = [] } = plan.prune ?? {}
  const limit = verbose ? kept.length : listed
  return [
    ...say(sayPruned(plan), 'warning'),
    ...titled('Matched by prune, and kept', 'strong', [
      ...kept.slice(0, limit).map(({ address, reason }) => wrapText([indent(2), piece(address), piece(': ')], reason)),
      ...restLines(kept.length - limit, 2, ', shown with --verbose'),
    ]),
  ]
}

export function pruneSection(plan: PlanDocument, names: number): string[] {
  const { kept = [] } = plan.prune ?? {}
  const sentence = sayPruned(plan)
  const items = kept.map(({ address, reason }) => `- ${code(address)}: ${prose(reason)}`)
  return [
    ...(sentence === '' ? [] : [`⚠️ ${prose(sentence)}`]),
    ...(sentence !== '' && kept.length > 0 ? [''] : []),
    ...listSection('Matched by prune, and kept', items, Math.min(names, 50)),
  ]
}
