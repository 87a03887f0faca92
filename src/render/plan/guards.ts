// Words the results of the guards: one sentence if all pass, else every necessary allowance.

import type { Verdict } from '@svcsync/core/guards/guard.ts'
import { shellOption } from '@svcsync/core/guards/shell-option.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import { type Block, name, type Row, section, table, words } from '../blocks/block.ts'
import { formatCount, formatNumber } from '../text/counts.ts'

export function guardSection({ guards }: PlanDocument, wanted: 'allowed' | 'refused'): Block[] {
  const refuses = wanted === 'refused'
  const title = refuses ? 'Refused by guards: apply writes nothing' : 'Allowed by --allow'
  const rows = guards
    .filter(({ verdict }) => verdict === wanted)
    .map(({ guard, sentence, allow }): Row => {
      return {
        sign: refuses ? '✗' : '!',
        cells: [[words(guard, 'strong')], sentence],
        below: refuses && allow !== undefined ? [['to allow it:', name(shellOption(allow), 'good')]] : [],
        ...(refuses && { tags: ['refused'] }),
      }
    })
  return section(
    title,
    refuses ? 'error' : 'warning',
    table(rows, { noun: ['guard', 'guards'] }),
    refuses ? ['refused'] : [],
  )
}

export function heldSection(refused: ApplyReport['refused'] = []): Block[] {
  const rows = refused.map(({ svcId, verdicts }): Row => {
    const below = verdicts.flatMap(({ guard, sentence, allow }) => [
      [words(guard, 'strong'), sentence],
      ...(allow === undefined ? [] : [['to allow it:', name(shellOption(allow), 'good')]]),
    ])
    return { sign: '✗', cells: [[name(svcId)]], below, tags: ['refused'] }
  })
  return section(
    'Left as they are: guards refuse the due changes',
    'error',
    table(rows, { noun: ['account', 'accounts'] }),
    ['refused'],
  )
}

export function formatGuards({ guards }: PlanDocument): string {
  const by = (wanted: Verdict['verdict']) =>
    new Set(guards.filter(({ verdict }) => verdict === wanted).map(({ guard }) => guard))
  const [refused, passed] = [by('refused'), by('passed')]
  const allowed = [...by('allowed')].filter((guard) => !refused.has(guard))
  if (guards.length === 0) return ''
  if (refused.size + allowed.length === 0) return `All ${formatNumber(passed.size)} guards pass.`
  const parts = [
    `${passed.size} pass`,
    ...(allowed.length > 0 ? [`${allowed.length} allowed to break: ${allowed.join(', ')}`] : []),
    ...(refused.size > 0 ? [`${formatCount(refused.size, 'refuses', 'refuse')}: ${[...refused].join(', ')}`] : []),
  ]
  return `Guards: ${parts.join('; ')}.`
}
