// Who has one level: the auditor's first question, answered for each object by one line for each account.
import { type AccessEntry, throughSaid } from '@svcsync/core/access/describe-access.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { outsideSaid } from '../plan/outside.ts'
import { type Flow, indent, paintSections, piece, say, type TextForm, titled } from '../text/line.ts'

export function renderAccessAnswer(
  answer: AccessReport,
  level: string,
  { notes, asOf, ...form }: TextForm & { readonly notes: readonly string[]; readonly asOf: string },
): string {
  const { rows, objects, target, readAt, outside, unread } = answer
  // What was declared then was so then, whatever has become of it.
  const isPast = asOf !== ''
  const told = groupBy(
    rows.filter(({ live }) => isPast || live),
    ({ address }) => address,
  )
  const when = isPast ? target.name : `${target.name}, read ${readAt.slice(0, 10)} ${readAt.slice(11, 16)} UTC`
  const sections = [
    say(asOf),
    ...objects.map((address, index): Flow[] => {
      const title = `${level} of ${address}${index === 0 ? ` (${when})` : ''}`
      return titled(title, 'strong', [
        ...linesOf(told.get(address) ?? [], { isPast, width: form.width }),
        ...(isPast ? [] : aboveLines(answer, address)),
      ])
    }),
    [...notes, ...outsideSaid(outside)].flatMap((note) => say(note, 'faint')),
    unread.flatMap(({ address, reason }) => [
      [piece('! ', 'error'), piece(`Not read: ${address}`, 'strong')],
      ...say(reason, undefined, 4),
    ]),
  ]
  return paintSections(sections, form)
}

/** One line for each; since when below it, where all of that is too wide. */
function linesOf(
  rows: readonly AccessRow[],
  { isPast, width }: { readonly isPast: boolean; readonly width: number },
): Flow[] {
  if (rows.length === 0)
    return say(`Nobody, as far as ${isPast ? 'was declared' : 'svcsync could read'}.`, undefined, 2)
  const cells = rows.map((row) => {
    const gone = isPast && !row.live ? 'not so now; ' : ''
    return [nameOf(row), throughSaid(row) || 'directly', `${gone}${sinceSaid(row, isPast)}`] as const
  })
  const [first = 0, second = 0, third = 0] = [0, 1, 2].map((column) =>
    Math.max(...cells.map((row) => (row[column] as string).length)),
  )
  const isWide = first + second + third + 6 > width
  return cells.flatMap(([who, through, since]): Flow[] => {
    const lead: Flow = [indent(2), piece(who.padEnd(first), 'strong'), piece('  ')]
    if (isWide) return [[...lead, piece(through, 'faint')], ...say(since, undefined, 6)]
    return [[...lead, piece(through.padEnd(second), 'faint'), piece('  '), piece(since)]]
  })
}

const nameOf = ({ subject, company }: AccessEntry): string =>
  company === null ? `${subject}` : `${subject} (${company})`

/** `since 2026-11-23, 7517284 by Anna, applied 2026-11-24, approved by Jan`. */
export function sinceSaid(
  { since, declared, applied }: Pick<AccessRow, 'since' | 'declared' | 'applied'>,
  isPast = false,
): string {
  if (since === null) return declared || isPast ? 'since an unknown day' : 'not declared'
  return `since ${since.date.slice(0, 10)}, ${broughtSaid(since, applied)}`
}

/** What brought it: the commit, whom it claims as approvers, and the apply with its own. */
export function broughtSaid(
  { commit, author, claimedApprovals: claimed }: NonNullable<AccessRow['since']>,
  applied: AccessRow['applied'],
): string {
  return [
    `${commit.slice(0, 7)} by ${author}`,
    ...(claimed.length === 0 ? [] : [`claims approval by ${claimed.join(' and ')}`]),
    ...(applied === undefined ? [] : [appliedSaid(applied)]),
  ].join(', ')
}

export const appliedSaid = (applied: NonNullable<AccessRow['applied']> | null): string =>
  applied === null
    ? 'not applied yet'
    : `applied ${applied.at.slice(0, 10)}${applied.begins ? ' or before' : ''}${approvedSaid(applied)}`

const approvedSaid = ({ approvedBy }: NonNullable<AccessRow['applied']>): string =>
  approvedBy.length === 0 ? '' : `, approved by ${approvedBy.join(' and ')}`

function aboveLines({ above }: AccessReport, object: string): Flow[] {
  return above.filter(({ holds }) => holds.includes(object)).flatMap((each) => say(aboveSaid(each), 'faint', 2))
}

/** One line for each application: who administers it can administer what is in it. */
export function aboveSaid(
  { address, level, entries }: AccessReport['above'][number],
  show: (text: string) => string = String,
): string {
  const people = [...new Set(entries.flatMap(({ subject }) => subject ?? []))]
  const names = people.length === 0 ? 'nobody' : people.map(show).join(', ')
  return `Above it, ${level} of ${show(address)}: ${names}`
}
