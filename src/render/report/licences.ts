// Access beside licences: for people, for a comment and for a spreadsheet.
import type { LicencesReport } from '../../core/plan/licences-report.ts'
import { nameTarget, targetLine } from '../plan/target.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { type Flow, indent, paintSections, piece, restLines, say, type TextForm, titled } from '../text/line.ts'
import { code, joinBlocks, prose } from '../text/markdown.ts'

interface Section {
  readonly title: string
  readonly rows: readonly (readonly [who: string, what: string])[]
}

function sectionsOf({ withoutLicence, withoutAccess, limitedBeside, stock }: LicencesReport): readonly Section[] {
  const doubtful = (isUser: boolean): string =>
    isUser ? '' : '; no user of the platform: perhaps a group or an application'
  return [
    {
      title: 'Access without a licence',
      rows: withoutLicence.map(({ svcId, entries, administers, isUser }) => [
        svcId,
        `${formatCount(entries, 'entry', 'entries')}${administers ? ', some as Administrator' : ''}${doubtful(isUser)}`,
      ]),
    },
    {
      title: 'A licence without access',
      rows: withoutAccess.map(({ svcId, licences }) => [svcId, licences.join(', ')]),
    },
    {
      title: 'Limited to some processes, beside one that is not',
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
    ...unread.map(({ address, reason }) => `Not read, so that access there is not known: ${address} (${reason})`),
  ]
}

const shown = 20

export function renderLicencesText(
  report: LicencesReport,
  { verbose, ...form }: TextForm & { readonly verbose: boolean },
): string {
  const sections = sectionsOf(report).map(({ title, rows }): Flow[] => {
    const some = verbose ? rows : rows.slice(0, shown)
    const width = Math.max(0, ...some.map(([who]) => who.length))
    const lines = some.map(([who, what]) => [indent(2), piece(who.padEnd(width), 'strong'), piece('  '), piece(what)])
    const all = [...lines, ...restLines(rows.length - some.length, 2, ', --verbose for all')]
    return titled(`${title}: ${formatNumber(rows.length)}`, 'strong', all.length === 0 ? say('none', 'faint', 2) : all)
  })
  return paintSections(
    [[targetLine('Licences of', report.target)], ...sections, notesOf(report).flatMap((note) => say(note))],
    form,
  )
}

export function renderLicencesMarkdown(report: LicencesReport): string {
  const blocks = sectionsOf(report).map(({ title, rows }) => [
    `**${title}: ${formatNumber(rows.length)}**`,
    ...(rows.length === 0 ? [] : ['', ...rows.map(([who, what]) => `- ${code(who)}: ${prose(what)}`)]),
  ])
  return joinBlocks([[`### Licences of ${nameTarget(report.target)}`], ...blocks, notesOf(report).map(prose)])
}

/** `csv`: how a row is written. */
export function licencesRows(report: LicencesReport): readonly (readonly string[])[] {
  const rows = sectionsOf(report).flatMap(({ title, rows: own }) => own.map(([who, what]) => [title, who, what]))
  return [['finding', 'account or type', 'what'], ...rows, ...notesOf(report).map((note) => ['note', '', note])]
}
