// A review of access in words: what was begun, how far it is, and what a look at its evidence showed.
import { stepsSaid } from '@svcsync/core/access/describe-access.ts'
import type { Evidence, Review, ReviewEntry } from '@svcsync/core/plan/access-review.ts'
import { type Block, name, note, type Row, section, table, words } from '../blocks/block.ts'
import { printText } from '../printers/text.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import type { TextForm } from '../text/line.ts'

interface ReviewProgress {
  readonly review: string
  readonly target: string
  readonly startedAt: string
  readonly until: string
  readonly isOver: boolean
  readonly finishedAt: string | null
  readonly entries: number
  readonly kept: number
  readonly revoked: number
  readonly open: number
  /** Two reviewers decided otherwise. */
  readonly contrary: number
  readonly reviewers: readonly {
    readonly reviewer: string | null
    readonly file: string
    readonly entries: number
    readonly open: number
    readonly isLate: boolean
  }[]
}

const print = (blocks: readonly Block[], form: TextForm): string => printText(blocks, { ...form, verbose: true })
const day = (moment: string): string => moment.slice(0, 10)

export function startedText(review: Review, folder: string, form: TextForm): string {
  const rows = review.parts.map(({ reviewer, file, entries }): Row => {
    return { cells: [nameOf(reviewer), formatCount(entries.length, 'entry', 'entries'), [name(file)]] }
  })
  return print(
    [
      note(
        `A review of ${formatCount(review.entries.length, 'entry', 'entries')} ` +
          `of ${review.target} has begun in ${folder}, until ${review.until}.`,
      ),
      ...table(rows),
      note(
        'Commit the folder. Reviewers write `keep` or `revoke` after `decision:`. Then: `svcsync access review finish`',
      ),
      ...review.notTold.map((text) => note(text, 'faint')),
    ],
    form,
  )
}

const nameOf = (reviewer: string | null): Row['cells'][number] =>
  reviewer === null ? [words('unassigned', 'warning')] : [name(reviewer)]

export function progressText(progress: ReviewProgress, form: TextForm): string {
  const { review, target, startedAt, until, isOver, finishedAt, entries, kept, revoked, open, contrary } = progress
  const end = finishedAt === null ? `until ${until}${isOver ? ', which is over' : ''}` : `finished ${day(finishedAt)}`
  const counts =
    `${formatNumber(entries - open)} of ${formatCount(entries, 'entry', 'entries')} decided: ` +
    `${formatNumber(kept)} kept, ${formatNumber(revoked)} revoked.`
  const rows = progress.reviewers.map((each): Row => {
    const state =
      each.open === 0 ? words('done', 'good') : words(each.isLate ? 'late' : 'open', each.isLate ? 'error' : 'warning')
    const done = `${formatNumber(each.entries - each.open)} of ${formatNumber(each.entries)}`
    return { cells: [nameOf(each.reviewer), done, [state], [name(each.file)]] }
  })
  return print(
    [
      ...section(`Review of access to ${target}, begun ${day(startedAt)}, ${end}`, 'strong', [
        note(counts),
        ...(contrary === 0
          ? []
          : [note(`${formatCount(contrary, 'entry', 'entries')} with contrary decisions.`, 'error')]),
        ...table(rows),
      ]),
      ...(finishedAt !== null || open > 0 || contrary > 0
        ? []
        : [note(`Finish it: \`svcsync access review finish ${review}\``)]),
    ],
    form,
  )
}

export function formatEntry({ person, level, object, company, through }: ReviewEntry): string {
  const limit = company === null ? '' : ` (${company})`
  const way = through.length === 0 ? '' : `  ${stepsSaid(through)}`
  return `${person}  ${level}${limit} ${level === 'owner' ? 'of' : 'on'} ${object}${way}`
}

export function finishedNotes(
  { entries }: Pick<Evidence, 'entries'>,
  { added, folder, isDry }: { readonly added: number; readonly folder: string; readonly isDry: boolean },
): readonly string[] {
  const of = (result: Evidence['entries'][number]['result']) => entries.filter((entry) => entry.result === result)
  const lines = (title: string, own: readonly ReviewEntry[]): string[] =>
    own.length === 0 ? [] : [`${title}:`, ...own.map((entry) => `  ${formatEntry(entry)}`)]
  const [kept, missing] = [of('kept').length, of('gone').length]
  return [
    `Kept: ${formatNumber(kept)}. Revoked: ${formatNumber(of('revoked').length + of('by-hand').length)}. ` +
      `No longer there: ${formatNumber(missing)}.`,
    ...lines('The next apply ends, as far as svcsync can see', of('revoked')),
    ...lines('End by hand: a substitution in its manifest, all else on the platform', of('by-hand')),
    ...(added === 0 ? [] : [`Not reviewed, since it came later: ${formatCount(added, 'entry', 'entries')}.`]),
    isDry ? 'Nothing was written.' : `The evidence is in ${folder}/evidence.json: commit it with the manifests.`,
  ]
}

interface VerifiedReview {
  readonly review: Review
  readonly evidence: Evidence
  readonly written: readonly {
    readonly file: string
    readonly proof: string | null
    readonly authors: readonly { readonly author: string; readonly decisions: number }[]
  }[]
}

export function verifiedText({ review, evidence, written }: VerifiedReview, form: TextForm): string {
  const held = new Map(written.map((each) => [each.file, each]))
  const rows = evidence.files.map(({ file, reviewer, committed }): Row => {
    const { proof = null, authors = [] } = held.get(file) ?? {}
    const summary =
      committed && `committed by ${committed.author} on ${day(committed.date)}, ${committed.commit.slice(0, 7)}`
    const wrote = authors.map(({ author, decisions }) => `${formatCount(decisions, 'decision')} by ${author}`)
    const who =
      proof === null
        ? words([summary, ...wrote].join('; '), 'faint')
        : words([...(summary === null ? [] : [summary]), `not proven: ${proof}`].join('; '), 'warning')
    return { cells: [nameOf(reviewer), [who]] }
  })
  const isProven = written.every(({ proof }) => proof === null)
  const count = (result: Evidence['entries'][number]['result']): string =>
    formatNumber(evidence.entries.filter((entry) => entry.result === result).length)
  return print(
    [
      note(
        `The evidence holds: ${formatCount(review.entries.length, 'entry', 'entries')} of ${review.target}, ` +
          `begun ${day(review.startedAt)}, finished ${day(evidence.finishedAt)}.`,
        'good',
      ),
      note(
        `Every entry has a decision, and the files of the reviewers say the same. Kept ${count('kept')}, ` +
          `revoked ${count('revoked')}, no longer there ${count('gone')}, by hand ${count('by-hand')}.`,
      ),
      ...table(rows),
      note(
        isProven
          ? 'The digests show that nothing was changed since, and git names the same commits, days and authors.'
          : 'The digests show that nothing was changed since. Only git proves who wrote it.',
        'faint',
      ),
    ],
    form,
  )
}
