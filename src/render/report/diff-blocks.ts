// Makes blocks of the differences between the declarations of two targets, commits or folders.
import { throughChain } from '@svcsync/core/access/describe-access.ts'
import type { DeclaredDifference } from '@svcsync/core/compare/compare-declared.ts'
import type { Diff } from '@svcsync/core/plan/diff.ts'
import { type Block, fold, name, note, type Row, type Sign, section, type Text, table } from '../blocks/block.ts'
import { differencesOf } from '../changes/difference-rows.ts'
import { formatCount } from '../text/counts.ts'

const signs: Readonly<Record<DeclaredDifference['on'], Sign>> = { first: '-', second: '+', both: '~' }

/** Without signs, words name the side. */
function sideWords(on: DeclaredDifference['on'], { first, second }: Diff): Text[] {
  if (on === 'both') return []
  const side = on === 'first' ? first : second
  return [side === '.' ? 'only in this folder' : ['only in', name(side)]]
}

const rowOf =
  (diff: Diff) =>
  ({ address, on, place, fields, lists }: DeclaredDifference): Row => {
    return {
      sign: signs[on],
      cells: [[name(address)], ...sideWords(on, diff)],
      place,
      ...differencesOf([...fields, ...lists], { creating: false, place }),
    }
  }

const accessRow =
  (diff: Diff) =>
  (entry: Diff['access'][number]): Row => {
    const { on, subject, level, address, company } = entry
    const limit = company === null ? [] : [` (${company})`]
    return {
      sign: signs[on],
      cells: [
        [name(subject ?? 'anybody')],
        [level ?? 'a level', ...limit],
        [name(address)],
        [throughChain(entry) || 'directly'],
        ...sideWords(on, diff),
      ],
      tags: ['access'],
    }
  }

export function diffBlocks(diff: Diff): Block[] {
  const { first, second, of, differences, explained, access, variables, notCompared } = diff
  const noun = ['object', 'objects'] as const
  const explanation = explained.length > 0 ? `; ${formatCount(explained.length, 'object')} explained` : ''
  const [are, otherwise] = of === 'installations' ? ['are', 'different live'] : ['declare', 'declared otherwise']
  const sum =
    differences.length === 0
      ? `${first} and ${second} ${are} the same${explanation}.`
      : `${formatCount(differences.length, 'object')} ${otherwise}${explanation}.`
  const values = variables.map(({ name: variable, ...sides }): Row => {
    return { cells: [[name(variable)], [name(sides.first ?? 'not there'), '→', name(sides.second ?? 'not there')]] }
  })
  const why = 'Explained by overrides, variables or only'
  const rights = ['right', 'rights'] as const
  const accessTable = (isExplained: boolean, weight: 'loss' | 'bulk'): Block[] =>
    table(access.filter((each) => each.isExplained === isExplained).map(accessRow(diff)), { noun: rights, weight })
  const untold = notCompared.map(({ address, reason }): Row => ({ sign: '?', cells: [[name(address)], [reason]] }))
  return [
    ...section(`${first} → ${second}`, 'strong', table(differences.map(rowOf(diff)), { noun, weight: 'loss' })),
    ...section('Access, through groups in groups', 'strong', accessTable(false, 'loss')),
    ...section('Variables', 'strong', table(values, { noun: ['variable', 'variables'], weight: 'loss' })),
    ...section('Not compared', 'warning', table(untold, { noun: ['object', 'objects'], weight: 'loss' })),
    ...(of === 'states'
      ? []
      : fold(why, [...table(explained.map(rowOf(diff)), { noun, weight: 'bulk' }), ...accessTable(true, 'bulk')])),
    note(sum, 'strong'),
  ]
}
