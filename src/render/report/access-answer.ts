// Who has one level: the auditor's first question, answered for each object by one line for each account.
import { type AccessEntry, throughSaid } from '@svcsync/core/access/describe-access.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { outsideSaid } from '../plan/outside.ts'
import { formatCount } from '../text/counts.ts'
import { type Flow, indent, paintSections, piece, say, type TextForm, titled } from '../text/line.ts'

export function renderAccessAnswer(
  answer: AccessReport,
  level: string,
  { notes, ...form }: TextForm & { readonly notes: readonly string[] },
): string {
  const { rows, objects, target, readAt, outside, unread } = answer
  const now = groupBy(
    rows.filter(({ live }) => live),
    ({ address }) => address,
  )
  const when = `${target.name}, read ${readAt.slice(0, 10)} ${readAt.slice(11, 16)} UTC`
  const sections = [
    ...objects.map((address, index): Flow[] => {
      const title = `${level} of ${address}${index === 0 ? ` (${when})` : ''}`
      return titled(title, 'strong', [...linesOf(now.get(address) ?? []), ...aboveLines(answer, address)])
    }),
    [...notes, ...outsideSaid(outside)].flatMap((note) => say(note, 'faint')),
    unread.flatMap(({ address, reason }) => [
      [piece('! ', 'error'), piece(`Not read: ${address}`, 'strong')],
      ...say(reason, undefined, 4),
    ]),
  ]
  return paintSections(sections, form)
}

function linesOf(rows: readonly AccessRow[]): Flow[] {
  if (rows.length === 0) return say('Nobody, as far as svcsync could read.', undefined, 2)
  const cells = rows.map((row) => [nameOf(row), throughSaid(row) || 'directly', sinceSaid(row)] as const)
  const [first, second] = [0, 1].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)))
  return cells.map(([who, through, since]) => [
    ...[indent(2), piece(who.padEnd(first as number), 'strong'), piece('  ')],
    piece(since === '' ? through : through.padEnd(second as number), 'faint'),
    ...(since === '' ? [] : [piece('  '), piece(since)]),
  ])
}

const nameOf = ({ subject, company }: AccessEntry): string =>
  company === null ? `${subject}` : `${subject} (${company})`

function sinceSaid({ since, declared }: AccessRow): string {
  if (since === null) return declared ? 'since an unknown day' : 'not declared'
  return `since ${since.date.slice(0, 10)}, ${since.commit.slice(0, 7)} by ${since.author}`
}

/** Administrators of what the object is in. */
function aboveLines({ above }: AccessReport, object: string): Flow[] {
  return above.filter(({ holds }) => holds.includes(object)).flatMap((each) => say(aboveSaid(each), 'faint', 2))
}

/** One line for each application: who administers it can administer what is in it. */
export function aboveSaid(
  { address, level, entries }: AccessReport['above'][number],
  show: (text: string) => string = String,
): string {
  const people = [...new Set(entries.flatMap(({ subject }) => subject ?? []))]
  const names = people.length === 0 ? '' : `: ${people.map(show).join(', ')}`
  return `${formatCount(people.length, 'account')} above: ${level} of ${show(address)}${names}`
}
