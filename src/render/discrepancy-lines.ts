// What a saved plan rests on and what is there now, side by side.
import type { Json } from '../core/model/json.ts'
import type { DifferenceDocument } from '../core/plan/plan-document.ts'
import type { Discrepancy } from '../core/saved/plan-refusal.ts'
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
  return rowLines(rowsOf(differences, { creating: false, limit: 160 }), { width, verbose: false, margin })
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

/** The same for programs: `group/a: members: +x -y since the plan was made`. */
export function discrepancySentences(discrepancy: Discrepancy): string[] {
  const { subject, path, remark } = discrepancy
  if (remark !== undefined) return [`${subject}: ${path === '' ? remark : `${path}: ${remark}`}`]
  const about = (where: string): string => (where === subject ? subject : `${subject}: ${where}`)
  return rowsOf([differenceOf(discrepancy)], { creating: false, limit: 1000 }).map((row) => {
    if (row.form === 'lines') return `${about(row.path)}: some of its lines are not as they were`
    if (row.form === 'value')
      return `${about(row.path)}: was ${row.before?.text ?? 'absent'}, and is ${row.after.text} now`
    const signed = [...row.added.map((who) => `+${who}`), ...row.removed.map((who) => `-${who}`)]
    return `${about(row.level ?? row.path)}: ${signed.join(' ')} since the plan was made`
  })
}
