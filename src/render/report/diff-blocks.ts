// What two targets, commits or folders declare otherwise, as blocks.
import type { compareDeclared, Diff } from '@svcsync/core/compare/compare-declared.ts'
import type { DifferenceDocument } from '@svcsync/core/plan/plan-document.ts'
import { type Block, fold, name, note, type Row, type Sign, section, table } from '../blocks/block.ts'
import { rowsOf } from '../changes/difference-rows.ts'
import { formatCount } from '../text/counts.ts'

type DeclaredDifference = ReturnType<typeof compareDeclared>[number]

const signs: Readonly<Record<DeclaredDifference['on'], Sign>> = { first: '-', second: '+', both: '~' }

function rowOf({ address, on, place, fields, lists }: DeclaredDifference): Row {
  const differences: DifferenceDocument[] = [...fields, ...lists]
  return {
    sign: signs[on],
    cells: [[name(address)]],
    place,
    ...(differences.length > 0 && {
      differences: (limit: number) => rowsOf(differences, { creating: false, limit, place }),
    }),
  }
}

export function diffBlocks({ first, second, of, differences, explained, variables }: Diff): Block[] {
  const noun = ['object', 'objects'] as const
  const told = explained.length > 0 ? `; ${formatCount(explained.length, 'object')} explained` : ''
  const sum =
    differences.length === 0
      ? `${first} and ${second} declare the same${told}.`
      : `${formatCount(differences.length, 'object')} declared otherwise${told}.`
  const values = variables.map(({ name: variable, ...sides }): Row => {
    return { cells: [[name(variable)], [name(sides.first ?? 'not there'), '→', name(sides.second ?? 'not there')]] }
  })
  const why = 'Explained by overrides, variables or only'
  return [
    ...section(`${first} → ${second}`, 'strong', table(differences.map(rowOf), { noun, weight: 'loss' })),
    ...section('Variables', 'strong', table(values, { noun: ['variable', 'variables'], weight: 'loss' })),
    ...(of === 'targets' ? fold(why, table(explained.map(rowOf), { noun, weight: 'bulk' })) : []),
    note(sum, 'strong'),
  ]
}
