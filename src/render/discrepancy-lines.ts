// What a saved plan rests on and what is there now, side by side.
import type { Json } from '../core/json.ts'
import type { DifferenceDocument } from '../core/plan-document.ts'
import type { Discrepancy } from '../core/plan-refusal.ts'
import { rowsOf } from './difference-rows.ts'
import { indent, type Line, piece } from './line.ts'
import { rowLines } from './row-lines.ts'
import { wrapText } from './wrap.ts'

const margin = 6

/** By subject; values as `when it was planned → now`. */
export function discrepancyLines(discrepancies: readonly Discrepancy[], width: number): Line[] {
  const bySubject = new Map<string, Discrepancy[]>()
  for (const discrepancy of discrepancies) {
    const list = bySubject.get(discrepancy.subject)
    if (list === undefined) bySubject.set(discrepancy.subject, [discrepancy])
    else list.push(discrepancy)
  }
  const values = discrepancies.some(({ remark }) => remark === undefined)
  return [
    ...(values ? [[indent(2), piece('when it was planned → now', 'faint')]] : []),
    ...[...bySubject].flatMap(([subject, list]) => [
      [indent(2), piece('~ ', 'change'), piece(subject, 'strong')],
      ...list.flatMap(({ path, remark }) => {
        if (remark === undefined) return []
        return wrapText([indent(margin)], path === '' ? remark : `${path}: ${remark}`, width)
      }),
      ...valueLines(list, width),
    ]),
  ]
}

function valueLines(list: readonly Discrepancy[], width: number): Line[] {
  const differences = list.filter(({ remark }) => remark === undefined).map(differenceOf)
  return rowLines(rowsOf(differences, { creating: false, limit: 160 }), { width, diffLimit: 40, margin })
}

function differenceOf({ subject, path, planned, found, added, removed }: Discrepancy): DifferenceDocument {
  const shown = (value: Json | undefined): Json => (value === undefined ? null : value)
  return {
    path: path === '' ? subject : path,
    ...(added === undefined && { before: shown(planned), after: shown(found) }),
    ...(added && { added }),
    ...(removed && { removed }),
  }
}
