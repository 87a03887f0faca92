// What the guards say of a plan: one line where all hold, and else everything that has to be allowed.
import type { Verdict } from '../../core/guards/guard.ts'
import { shellOption } from '../../core/guards/shell-option.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { foldNames } from '../text/counts.ts'
import { type Flow, indent, piece, restLines, say, titled, wrapText } from '../text/line.ts'
import { code, fence, fewest, listSection, prose } from '../text/markdown.ts'

/** So many findings of one verdict are listed, unless everything is asked for. */
const listed = 20

export function guardLines({ guards }: PlanDocument, verbose: boolean, wanted: 'allowed' | 'refused'): Flow[] {
  const refuses = wanted === 'refused'
  const [title, mark, style] = refuses
    ? (['Refused by guards: apply writes nothing', '✗ ', 'error'] as const)
    : (['Allowed by --allow', '! ', 'warning'] as const)
  const own = guards.filter(({ verdict }) => verdict === wanted)
  const limit = verbose ? own.length : listed
  return titled(title, style, [
    ...own.slice(0, limit).flatMap(({ guard, sentence, allow }): readonly Flow[] => [
      [indent(2), piece(mark, style), piece(guard, 'strong')],
      wrapText([indent(6)], sentence),
      // In one piece, however long: it is there to be copied.
      ...(refuses && allow !== undefined ? [[indent(6), piece(shellOption(allow), 'good')]] : []),
    ]),
    ...restLines(own.length - limit, 4, ', shown with --verbose'),
  ])
}

/** `Guards: 9 hold.` Which refuse is said once more, next to the prompt. */
export function guardCountLines({ guards }: PlanDocument): Flow[] {
  if (guards.length === 0) return []
  const names = [...guardsOf(guards, 'refused')]
  const style = names.length > 0 ? 'error' : 'faint'
  const { shown, note } = foldNames(names, '+', { way: 'above' })
  const which = names.length === 0 ? '' : `: ${[...shown, ...(note === '' ? [] : [note])].join(', ')}`
  return say(`Guards: ${summariseGuards(guards)}${which}.`, style)
}

/** `6 hold, 1 is allowed to break, 2 refuse`. */
function summariseGuards(verdicts: readonly Verdict[]): string {
  const refused = guardsOf(verdicts, 'refused')
  const allowed = [...guardsOf(verdicts, 'allowed')].filter((guard) => !refused.has(guard)).length
  return [
    `${guardsOf(verdicts, 'passed').size} hold`,
    ...(allowed > 0 ? [`${allowed} ${allowed === 1 ? 'is' : 'are'} allowed to break`] : []),
    ...(refused.size > 0 ? [`${refused.size} ${refused.size === 1 ? 'refuses' : 'refuse'}`] : []),
  ].join(', ')
}

function guardsOf(verdicts: readonly Verdict[], wanted: Verdict['verdict']): ReadonlySet<string> {
  return new Set(verdicts.filter(({ verdict }) => verdict === wanted).map(({ guard }) => guard))
}

/** What refuses the plan, with the options to copy. */
export function refusedSection({ guards }: PlanDocument, names: number): string[] {
  const refused = guards.filter(({ verdict }) => verdict === 'refused')
  const limit = Math.min(names, 50)
  const options = [...new Set(refused.flatMap(({ allow }) => (allow === undefined ? [] : [shellOption(allow)])))]
  const lead = '`apply` writes nothing while one of these stands.'
  const list = listSection('⛔ Refused by guards', items(refused), limit, lead, '')
  if (options.length === 0) return list
  const block = fence('sh', options.slice(0, Math.max(limit, fewest)))
  return [...list, '', 'What is meant can be allowed, each by its own option:', '', ...block]
}

/** What was allowed, and how many hold. */
export function guardNote({ guards }: PlanDocument, names: number): string[] {
  if (guards.length === 0) return []
  const allowed = guards.filter(({ verdict }) => verdict === 'allowed')
  const list = listSection('Allowed by `--allow`', items(allowed), Math.min(names, 50))
  return [`Guards: ${summariseGuards(guards)}.`, ...(list.length > 0 ? ['', ...list] : [])]
}

function items(verdicts: readonly Verdict[]): string[] {
  return verdicts.map(({ guard, sentence }) => `- **${code(guard)}**: ${prose(sentence)}`)
}
