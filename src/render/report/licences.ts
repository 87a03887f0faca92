// Access beside licences: for people, for a comment and for a spreadsheet.
import type { LicencesReport } from '@svcsync/core/plan/licences-report.ts'
import { type Block, head, name, note, type Row, section, table } from '../blocks/block.ts'
import { describeTarget } from '../plan/target.ts'
import { formatCount, formatNumber } from '../text/counts.ts'

interface LicenceSection {
  readonly title: string
  readonly rows: readonly (readonly [who: string, what: string])[]
}

function sectionsOf(report: LicencesReport): readonly LicenceSection[] {
  const { withoutLicence, perhapsGroups, withoutAccess, limitedBeside, stock } = report
  const rowsOf = (unlicensed: LicencesReport['withoutLicence']): LicenceSection['rows'] =>
    unlicensed.map(({ svcId, entries, administers }) => [
      svcId,
      `${formatCount(entries, 'entry', 'entries')}${administers ? ', some as Administrator' : ''}`,
    ])
  return [
    { title: 'Access without a licence', rows: rowsOf(withoutLicence) },
    { title: 'May be groups or applications, so their licences are unknown', rows: rowsOf(perhapsGroups) },
    {
      title: 'A licence, but no access that svcsync sees',
      rows: withoutAccess.map(({ svcId, licences }) => [svcId, licences.join(', ')]),
    },
    {
      title: 'A limited licence beside an unlimited one',
      rows: limitedBeside.map(({ svcId, limited, beside }) => [svcId, `${limited} beside ${beside.join(', ')}`]),
    },
    {
      title: 'Free',
      rows: (stock ?? []).map(({ type, total, assigned }) => [
        type,
        `${formatNumber(total - assigned)} of ${formatNumber(total)}`,
      ]),
    },
  ]
}

function notesOf({ stock, unread }: LicencesReport): readonly string[] {
  return [
    ...(stock === null ? ['The platform did not tell how many licences there are.'] : []),
    ...unread.map(({ address, reason }) => `Not read: ${address} (${reason})`),
  ]
}

export function licenceBlocks(report: LicencesReport): Block[] {
  const { target } = report
  const sections = sectionsOf(report)
  const none = sections.filter(({ title, rows }) => title !== 'Free' && rows.length === 0).map(({ title }) => title)
  return [
    head('Licences of', target.name, describeTarget(target)),
    ...sections.flatMap(({ title, rows }) => {
      const own = rows.map(([who, what]): Row => ({ cells: [[name(who)], what] }))
      return section(`${title}: ${formatNumber(rows.length)}`, 'strong', table(own))
    }),
    ...(none.length === 0 ? [] : [note(`None: ${none.join('; ')}.`, 'faint')]),
    ...notesOf(report).map((each) => note(each)),
  ]
}

export function licencesRows(report: LicencesReport): readonly (readonly string[])[] {
  const rows = sectionsOf(report).flatMap(({ title, rows: own }) => own.map(([who, what]) => [title, who, what]))
  return [['finding', 'account or type', 'what'], ...rows, ...notesOf(report).map((note) => ['note', '', note])]
}
