// `svcsync access review`: begins with a file for each reviewer, and ends with edits of the manifests and evidence.
import { join, relative } from 'node:path'
import { cwd } from 'node:process'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { cutLines, firstFew } from '@svcsync/core/model/near-misses.ts'
import { boundMs, isoMoment } from '@svcsync/core/model/time-bounds.ts'
import type { Answer, countDecisions, Evidence, Review, ReviewEntry } from '@svcsync/core/plan/access-review.ts'
import { reviewers } from '@svcsync/core/plan/access-review.ts'
import type { AcceptResult } from '@svcsync/editor/accept-list.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { reviewsFolder } from '@svcsync/project/find-project.ts'
import { describeOutside } from '@svcsync/render/plan/access-drift.ts'
import { notesOf } from '@svcsync/render/report/access-list.ts'
import {
  finishedNotes,
  formatEntry,
  progressText,
  startedText,
  verifiedText,
} from '@svcsync/render/report/access-review.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { compareWithGit } from '@svcsync/runs/access/review-commits.ts'
import {
  evidenceText,
  freeFolder,
  openReview,
  readEvidence,
  requireRoom,
  writeEvidence,
  writeReview,
} from '@svcsync/runs/access/review-folder.ts'
import {
  beginReview,
  countNewRows,
  decisionsOf,
  discrepancies,
  evidenceOf,
  headOf,
  judgedEntries,
  resultsOf,
  revocation,
} from '@svcsync/runs/access/review-run.ts'
import { editAccepted } from '@svcsync/runs/edit/accept-run.ts'
import { readEdited } from '@svcsync/runs/edit/open-for-edit.ts'
import { declaredSince } from '@svcsync/runs/open/declared-since.ts'
import { type ReadProject, readProjectAlone } from '@svcsync/runs/open/open-project.ts'
import { withGlobalPrivileges } from '@svcsync/runs/open/with-policies.ts'
import { openOptions, readForCommand, withPlan } from '../../planning/open-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { othersNote } from '../people/accept.ts'
import { completeEdit, finishEdit, openEdit } from '../people/edit-for-command.ts'
import type { AccessOptions } from '../review.ts'
import { accessMisuse, readAll, refuseGaps, refuseOtherOptions } from './access.ts'

type OpenedReview = ReturnType<typeof openReview>

const steps = ['start', 'status', 'finish', 'verify'] as const

export async function reviewCommand(
  [step, name]: readonly (string | undefined)[],
  options: AccessOptions,
  console: Console,
) {
  refuseOtherOptions('review', options)
  const known = steps.find((each) => each === step)
  if (known === undefined) throw accessMisuse('review', 'Say which of start, status, finish and verify.')
  if (known === 'start') {
    if (name !== undefined) throw accessMisuse('review', 'A review is called like the day on which it starts.')
    return startReview(options, console)
  }
  if (options.by !== undefined || options.until !== undefined)
    throw accessMisuse('review', '`--by` and `--until` are for `review start`.')
  if (options.maxAge !== undefined && known !== 'status')
    throw accessMisuse('review', '`--max-age` is for `review status`.')
  return { status: reviewStatus, finish: finishReview, verify: verifyReview }[known](name, options, console)
}

const twoWeeksMs = 14 * 86_400_000

async function startReview(options: AccessOptions, console: Console) {
  const by = reviewers.find((each) => each === options.by)
  if (by === undefined) throw accessMisuse('review', 'It needs `--by owner`, `--by object` or `--by person`.')
  const shared = { ...options, only: [], allow: [], ledger: false, format: 'text' as const }
  const { opened, global } = withGlobalPrivileges(readForCommand(shared, false))
  const { nowMs } = opened.assembly.time
  const untilMs =
    options.until === undefined ? nowMs + twoWeeksMs : boundMs(options.until, true, opened.project.settings.timeZone)
  if (untilMs === undefined || untilMs <= nowMs)
    throw new OperatorError(
      'SVC2310',
      untilMs === undefined ? `\`--until ${options.until}\` is no date` : `\`--until ${options.until}\` is over`,
      { hint: 'Write the last day of the review, like `2027-03-31`.' },
    )
  const { answer, changes } = await withPlan(opened, shared, console, (planned) =>
    readAll(opened, planned, console, { global, sinceOf: () => declaredSince(opened) }),
  )
  refuseGaps(answer)
  const notTold = [...notesOf(answer), ...describeOutside(answer.outside)]
  const { day, review } = beginReview(opened, answer, changes, { by, untilMs, notTold })
  const folder = freeFolder(opened, day, cwd())
  const shown = relative(cwd(), folder)
  writeReview(folder, shown, review)
  await console.result(options.format === 'json' ? safeJson(review) : startedText(review, shown, console))
  return exitCodes.done
}

/** No credentials, no platform. */
function openOffline(name: string | undefined, options: AccessOptions) {
  const alone = { ...openOptions(options), needCredentials: false }
  const opened = readProjectAlone(alone)
  return { ...openReview(reviewsFolder(opened.project), name, cwd()), opened }
}

/** Throws UnusableFiles for what was written wrongly, all of it at once. */
function readDecisions(opened: OpenedReview, { assembly }: Pick<ReadProject, 'assembly'>) {
  const read = decisionsOf(opened, assembly.normalise)
  if (read.problems.some(({ severity }) => severity === 'error')) throw new UnusableFiles(read.problems, read.sources)
  return read
}

async function reviewStatus(name: string | undefined, options: AccessOptions, console: Console) {
  const { opened, ...own } = openOffline(name, options)
  const { review, folder } = own
  const { decided, contrary, open } = readDecisions(own, opened)
  const isOver = opened.assembly.time.nowMs > Date.parse(review.endsAt)
  const count = (decision: Answer['decision']): number =>
    [...decided.values()].filter(([first]) => first?.decision === decision).length
  const isOpen = new Set(open)
  const progress = {
    ...{ review: relative(join(folder, '..'), folder), target: review.target, startedAt: review.startedAt },
    ...{ until: review.until, isOver, finishedAt: readEvidence(own)?.finishedAt ?? null },
    ...{ entries: review.entries.length, kept: count('keep'), revoked: count('revoke') },
    ...{ open: open.length, contrary: contrary.length },
    reviewers: review.parts.map(({ reviewer, file, entries }) => {
      const left = entries.filter((at) => isOpen.has(at)).length
      return { reviewer, file, entries: entries.length, open: left, isLate: isOver && left > 0 }
    }),
  }
  await console.result(
    options.format === 'json' ? safeJson({ formatVersion: '1.0', ...progress }) : progressText(progress, console),
  )
  return options.maxAge === undefined ? exitCodes.done : failIfOpen(progress, options.maxAge, opened, console)
}

/** For a job that fails until somebody acts. */
function failIfOpen(
  { isOver, open, contrary, startedAt, finishedAt }: Parameters<typeof progressText>[0],
  maxAgeDays: number,
  { assembly }: Pick<ReadProject, 'assembly'>,
  console: Console,
) {
  const isOld = assembly.time.nowMs - Date.parse(startedAt) > maxAgeDays * 86_400_000
  if (isOver && finishedAt === null) {
    const left = open + contrary > 0 ? 'decide the open entries' : '`svcsync access review finish`'
    console.note(`The review is late: ${left}.`)
    return exitCodes.differences
  }
  if (!isOld) return exitCodes.done
  console.note(
    `The last review began more than ${formatCount(maxAgeDays, 'day')} ago: \`svcsync access review start\`.`,
  )
  return exitCodes.differences
}

async function finishReview(name: string | undefined, options: AccessOptions, console: Console) {
  const isCompleted = completeEdit(options, console)
  const { opened, ...own } = openOffline(name, options)
  const { review, shown } = own
  const there = readEvidence(own)
  if (isCompleted && there !== undefined) {
    await console.result(finishedNotes(there, { added: 0, folder: shown, isDry: false }).join('\n'))
    return endOf(there)
  }
  refuseOtherReview(own, opened)
  const { decided, contrary, open, files } = readDecisions(own, opened)
  refuseUndecided(review, { contrary, open }, shown)
  const editing = { ...options, allow: [] }
  const project = openEdit(editing, console)
  if (!options.force && !options.dryRun) refuseUncommitted(files, own)
  requireRoom(own)
  const { assembly } = project.targets[0]
  const judged = judgedEntries(review, { decided })
  const shared = { ...editing, only: [], ledger: options.ledger ?? true, format: 'text' as const }
  const read = readEdited(project)
  const { answer, changes } = await withPlan(read, shared, console, (planned) => readAll(read, planned, console))
  refuseGaps(answer)
  const { taken, left, conflicts } = revocation(changes, judged, assembly)
  if (conflicts.length > 0) throw keptConflict(conflicts)
  const { edited, refused } = editAccepted(project, { taken, refused: [], pending: 0 })
  refuseUnedited(left, refused)
  const about = { finishedAt: isoMoment(assembly.time.nowMs), commit: headOf(opened.project.dir), files }
  const evidenceAfter = (after: typeof answer): Evidence => {
    const { results, ended } = resultsOf(judged, answer, after, assembly.normalise)
    if (ended.length > 0) throw keptConflict(ended.map((kept) => ({ revoked: undefined, kept })))
    return evidenceOf(review, judged, { ...about, results, edited: edited?.files ?? [] })
  }
  let evidence = evidenceAfter(answer)
  const added = countNewRows(review, answer, assembly.normalise)
  const isDry = options.dryRun === true
  const notes = () => finishedNotes(evidence, { added, folder: shown, isDry })
  if (edited === undefined || edited.files.length === 0) {
    if (!isDry) writeEvidence(own, evidence)
    await console.result(notes().join('\n'))
  } else {
    await finishEdit(edited, { ...editing, ledger: shared.ledger }, console, {
      notes: () => [...notes(), ...othersNote(edited)],
      check: async (after, then) => {
        evidence = evidenceAfter((await readAll(then, after, console)).answer)
      },
      moreFiles: () => [evidenceText(own, evidence)],
    })
  }
  return endOf(evidence)
}

const endOf = ({ entries }: Evidence) =>
  entries.some(({ result }) => result === 'by-hand') ? exitCodes.partial : exitCodes.done

async function verifyReview(name: string | undefined, options: AccessOptions, console: Console) {
  const { opened, ...own } = openOffline(name, options)
  const { review, shown } = own
  const evidence = readEvidence(own)
  if (evidence === undefined)
    throw new OperatorError('SVC2313', `The review \`${shown}\` is not finished: there is no evidence`, {
      hint: '`svcsync access review status` lists the open entries.',
    })
  const { decided, files } = readDecisions(own, opened)
  const { written, ...git } = compareWithGit(own.folder, evidence)
  const wrong = [...discrepancies(review, evidence, { decided, files }), ...git.wrong]
  if (wrong.length > 0)
    throw new OperatorError('SVC2313', `The evidence of \`${shown}\` does not hold`, {
      findings: firstLines(
        wrong.map(({ about, why }) =>
          typeof about === 'string' ? `${about} ${why}` : `${formatEntry(about)}: ${why}`,
        ),
      ),
      hint: '`git log` shows the changes after the end of the review, and their authors.',
    })
  await console.result(
    options.format === 'json'
      ? safeJson({
          ...{ formatVersion: '1.0', review: review.digest, evidence: evidence.digest, written },
          entries: evidence.entries,
        })
      : verifiedText({ review, evidence, written }, console),
  )
  return exitCodes.done
}

const firstLines = (lines: readonly string[]): string[] => cutLines(lines, 10)

function refuseOtherReview(own: OpenedReview, { project }: ReadProject): void {
  const { review, shown } = own
  if (readEvidence(own) !== undefined)
    throw new OperatorError('SVC2310', `The review \`${shown}\` is finished`, {
      hint: 'Look at it: `svcsync access review verify`. Begin another one: `svcsync access review start`.',
    })
  if (review.target === project.targetName) return
  throw new OperatorError('SVC2310', `The review \`${shown}\` is of another target: \`${review.target}\``, {
    hint: `Add \`-t ${review.target}\`.`,
  })
}

/** The commits tell who decided. */
function refuseUncommitted(files: Evidence['files'], { folder, shown }: OpenedReview): void {
  const own = files.filter(({ committed }) => committed === null)
  if (own.length === 0 || repositoryOf(folder) === undefined) return
  const names = own.map(({ file }) => `${shown}/${file}`)
  throw new OperatorError('SVC2302', `There are uncommitted decisions: ${firstFew(names, 5)}`, {
    hint: 'Commit them first: the evidence names who committed each decision. Or finish all the same with --force.',
  })
}

function refuseUndecided(
  { entries, parts }: Review,
  { contrary, open }: Pick<ReturnType<typeof countDecisions>, 'contrary' | 'open'>,
  shown: string,
): void {
  if (contrary.length + open.length === 0) return
  const isOpen = new Set(open)
  const late = parts.flatMap(({ reviewer, file, entries: own }) => {
    const left = own.filter((at) => isOpen.has(at)).length
    return left === 0
      ? []
      : [`${shown}/${file}  ${formatCount(left, 'entry', 'entries')} open: ${reviewer ?? 'unassigned'}`]
  })
  const contraries = contrary.map(([first, ...others]) => {
    const answers = [first, ...others].map((answer) => `${answer?.place} says ${answer?.decision}`)
    return `${formatEntry(entries[first?.entry ?? 0] as ReviewEntry)}: ${answers.join(', ')}`
  })
  throw new OperatorError('SVC2311', 'The review cannot be finished: nothing is written', {
    findings: [...firstLines(contraries), ...firstLines(late)],
    hint:
      contrary.length > 0
        ? 'The reviewers must agree on one decision. `svcsync access review status` counts the open entries.'
        : 'Write `keep` or `revoke` behind each `decision:`. `svcsync access review status` counts the open entries.',
  })
}

function keptConflict(
  conflicts: readonly { readonly revoked: ReviewEntry | undefined; readonly kept: ReviewEntry }[],
): OperatorError {
  const lines = [...groupBy(conflicts, ({ revoked }) => revoked)].flatMap(([revoked, own]) => [
    ...(revoked === undefined ? [] : [`revoke  ${formatEntry(revoked)}`]),
    ...own.map(({ kept }) => `keep    ${formatEntry(kept)}`),
  ])
  return new OperatorError('SVC2312', 'A revoked entry would end a kept one: nothing is written', {
    findings: firstLines(lines),
    hint: 'Revoke both, keep both, or first grant the kept entry by another way.',
  })
}

function refuseUnedited(left: ReturnType<typeof revocation>['left'], refused: AcceptResult['refused']): void {
  const lines = [
    ...left.map(({ entry, why }) => `${formatEntry(entry)}: ${why}`),
    ...refused.map(({ address, what, why }) => `${address}  ${what}: ${why}`),
  ]
  if (lines.length === 0) return
  throw new OperatorError('SVC2301', 'The manifests cannot be edited so: nothing is written', {
    findings: firstLines(lines),
    hint: 'Edit these places by hand, and run the command again.',
  })
}
