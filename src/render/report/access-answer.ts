// Answers the auditor's first question, who has one level: for each object, one line an account.
import { type AccessEntry, throughChain } from '@svcsync/core/access/describe-access.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import { type AccessReport, type AccessRow, dayOfGrant } from '@svcsync/core/plan/access-report.ts'
import { type Block, maybeNote, name, note, type Row, section, table, words } from '../blocks/block.ts'
import { describeOutside } from '../plan/access-drift.ts'

export function accessAnswerBlocks(
  answer: AccessReport,
  level: string,
  { notes, asOf }: { readonly notes: readonly string[]; readonly asOf: string },
): Block[] {
  const { rows, objects, target, readAt, outside, unread, above } = answer
  // A past declaration stays true for its date, so later changes on the platform do not hide it.
  const isPast = asOf !== ''
  const holders = groupBy(
    rows.filter(({ live }) => isPast || live),
    ({ address }) => address,
  )
  const when = isPast ? target.name : `${target.name}, read ${readAt.slice(0, 10)} ${readAt.slice(11, 16)} UTC`
  const closed = unread.map(({ address, reason }): Row => {
    return { sign: '!', tone: 'error', cells: [[words('Not read:', 'strong'), name(address)]], below: [reason] }
  })
  return [
    ...maybeNote(asOf),
    ...objects.flatMap((address, index) => {
      const aboveIt = above.filter(({ holds }) => holds.includes(address))
      return section(`${level} of ${address}${index === 0 ? ` (${when})` : ''}`, 'strong', [
        ...holderBlocks(holders.get(address) ?? [], isPast),
        ...aboveIt.map((each) => note(describeContainer(each), 'faint')),
      ])
    }),
    ...[...notes, ...describeOutside(outside)].map((text) => note(text, 'faint')),
    ...table(closed),
  ]
}

function holderBlocks(rows: readonly AccessRow[], isPast: boolean): Block[] {
  if (rows.length === 0) return [note(`Nobody, as far as ${isPast ? 'was declared' : 'svcsync could read'}.`)]
  const holders = rows.map((row): Row => {
    const since = `${isPast && !row.live ? 'not so now; ' : ''}${describeOrigin(row, isPast)}`
    return { cells: [[name(nameOf(row), 'strong')], [words(throughChain(row) || 'directly', 'faint')], since] }
  })
  return table(holders)
}

function nameOf({ subject, company, level }: AccessEntry): string {
  const limits = [...(company === null ? [] : [company]), ...(level === null ? ['level not told'] : [])]
  return limits.length === 0 ? `${subject}` : `${subject} (${limits.join(', ')})`
}

/** `since 2026-11-23, 7517284 by Anna, applied 2026-11-24, approved by Jan`. */
export function describeOrigin(
  { since, declared, applied }: Pick<AccessRow, 'since' | 'declared' | 'applied'>,
  isPast = false,
): string {
  if (since === null) return declared || isPast ? 'since an unknown day' : 'not declared'
  return `since ${dayOfGrant(since)}, ${describeCommit(since, applied)}`
}

/** The origin of an entry: the commit, its claimed approvers, and the apply with its own. */
export function describeCommit(
  { commit, date, author, begins, claimedApprovals: claimed }: NonNullable<AccessRow['since']>,
  applied: AccessRow['applied'],
): string {
  return [
    `${begins === undefined ? '' : `declared ${date.slice(0, 10)}, `}${commit.slice(0, 7)} by ${author}`,
    ...(claimed.length === 0 ? [] : [`claims approval by ${enumerate(claimed)}`]),
    ...(applied === undefined ? [] : [describeApply(applied)]),
  ].join(', ')
}

export const describeApply = (applied: NonNullable<AccessRow['applied']> | null): string =>
  applied === null
    ? 'not applied yet'
    : `applied ${applied.at.slice(0, 10)}${applied.begins ? ' or before' : ''}${formatApprovers(applied)}`

const formatApprovers = ({ approvedBy }: NonNullable<AccessRow['applied']>): string =>
  approvedBy.length === 0 ? '' : `, approved by ${enumerate(approvedBy)}`

/** One line for each application: who administers it can administer what is in it. */
export function describeContainer({ address, level, entries }: AccessReport['above'][number]): string {
  const people = [...new Set(entries.map((entry) => nameOf({ ...entry, company: null })))]
  const names = people.length === 0 ? 'nobody' : people.join(', ')
  return `Above it, ${level} of ${address}: ${names}`
}
