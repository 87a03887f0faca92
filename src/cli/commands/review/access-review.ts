// `svcsync access review`: a campaign that begins with a file for each reviewer, and ends with edits of the manifests and evidence.
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { cwd } from 'node:process'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { firstFew } from '@svcsync/core/model/near-misses.ts'
import { boundMs, isoMoment } from '@svcsync/core/model/time-bounds.ts'
import {
  type Answer,
  type DecidedEntry,
  decide,
  type Evidence,
  type Review,
  type ReviewEntry,
  reviewers,
  sealed,
} from '@svcsync/core/plan/access-review.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { reviewsFolder } from '@svcsync/project/find-project.ts'
import { outsideSaid } from '@svcsync/render/plan/outside.ts'
import { accessNotesOf } from '@svcsync/render/report/access-list.ts'
import {
  entrySaid,
  finishedNotes,
  progressText,
  type ReviewProgress,
  startedText,
  verifiedText,
} from '@svcsync/render/report/access-review.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import {
  answersOf,
  openReview,
  readEvidence,
  requireRoom,
  writeEvidence,
  writeReview,
} from '@svcsync/runs/access/review-folder.ts'
import { beginReview, headOf, newSince, resultsOf, revocation } from '@svcsync/runs/access/review-run.ts'
import { editAccepted } from '@svcsync/runs/edit/accept-run.ts'
import type { EditedProject } from '@svcsync/runs/edit/edit-project.ts'
import { readEdited } from '@svcsync/runs/edit/open-for-edit.ts'
import { declaredSince } from '@svcsync/runs/open/declared-since.ts'
import { type ReadProject, readProjectAlone } from '@svcsync/runs/open/open-project.ts'
import { sha256 } from '@svcsync/runs/open/sha256.ts'
import { withGlobalPrivileges } from '@svcsync/runs/open/with-policies.ts'
import { openOptions, planForCommand, readForCommand, shownIfUnusable } from '../../planning/open-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { ShownError } from '../../terminal/problems-text.ts'
import { othersNote } from '../people/accept.ts'
import { endEdit, openEdit } from '../people/edit-for-command.ts'
import type { AccessOptions } from '../review.ts'
import { misasked, readAll, refuseGaps, refuseOtherOptions } from './access.ts'

type OpenedReview = ReturnType<typeof openReview>

const steps = ['start', 'status', 'finish', 'verify'] as const

export async function reviewCommand(
  [step, name]: readonly (string | undefined)[],
  options: AccessOptions,
  console: Console,
) {
  refuseOtherOptions('review', options)
  const known = steps.find((each) => each === step)
  if (known === undefined) throw misasked('review', 'Say which of start, status, finish and verify.')
  if (options.format !== 'text' && options.format !== 'json') throw misasked('review', 'Its formats are text and json.')
  if (known === 'start') {
    if (name !== undefined) throw misasked('review', 'A review is called like the day on which it starts.')
    return startReview(options, console)
  }
  if (options.by !== undefined || options.until !== undefined)
    throw misasked('review', '`--by` and `--until` are for `review start`.')
  return { status: reviewStatus, finish: finishReview, verify: verifyReview }[known](name, options, console)
}

const twoWeeksMs = 14 * 86_400_000

async function startReview(options: AccessOptions, console: Console) {
  const by = reviewers.find((each) => each === options.by)
  if (by === undefined) throw misasked('review', 'It needs `--by owner`, `--by object` or `--by person`.')
  const shared = { ...options, only: [], allow: [], ledger: false, format: 'text' as const }
  const { opened, global } = withGlobalPrivileges(readForCommand(shared, console.errorForm, false))
  const { nowMs } = opened.assembly.time
  const untilMs =
    options.until === undefined ? nowMs + twoWeeksMs : boundMs(options.until, true, opened.project.settings.timeZone)
  if (untilMs === undefined || untilMs <= nowMs) {
    throw new OperatorError(
      'SVC2310',
      untilMs === undefined ? `\`--until ${options.until}\` is no date` : `\`--until ${options.until}\` is over`,
      { hint: 'Write the last day of the review, like `2027-03-31`.' },
    )
  }
  const planned = await planForCommand(opened, shared, console)
  try {
    const { answer, changes } = await readAll(opened, planned, console, {
      global,
      sinceOf: () => declaredSince(opened, kinds),
    })
    refuseGaps(answer)
    const notTold = [...accessNotesOf(answer), ...outsideSaid(answer.outside)]
    const { day, review } = beginReview(opened, answer, changes, { by, untilMs, notTold })
    const folder = freeFolder(opened, day)
    const shown = relative(cwd(), folder)
    writeReview(folder, shown, review)
    await console.result(options.format === 'json' ? safeJson(review) : startedText(review, shown, console))
    return exitCodes.done
  } finally {
    await planned.client.close()
  }
}

/** A second target may be reviewed on the same day. */
function freeFolder({ project }: ReadProject, day: string): string {
  const all = reviewsFolder(project)
  if (existsSync(all) && !liesWithin(realpathSync(project.dir), realpathSync(all))) {
    throw new OperatorError('SVC2310', `\`${relative(cwd(), all)}\` is a link that leads out of the project`, {
      hint: 'Put the folder itself there.',
    })
  }
  const names = [day, `${day}-${project.targetName}`]
  const free = names.find((name) => !existsSync(join(all, name)))
  if (free !== undefined && (free === day || openReview(all, day, cwd()).review.target !== project.targetName))
    return join(all, free)
  throw new OperatorError('SVC2310', `A review of \`${project.targetName}\` has begun today already`, {
    hint: `Go on with it: \`svcsync access review status\`. To begin anew, remove the folder \`${relative(cwd(), join(all, day))}\`.`,
  })
}

/** No credentials, no platform. */
function openOffline(name: string | undefined, options: AccessOptions, console: Console) {
  const alone = { ...openOptions(options), needCredentials: false }
  const opened = shownIfUnusable(console.errorForm, () => readProjectAlone(alone))
  return { ...openReview(reviewsFolder(opened.project), name, cwd()), opened }
}

/** Throws a ShownError for what was written wrongly, all of it at once. */
function readDecisions(opened: OpenedReview, { assembly }: Pick<ReadProject, 'assembly'>, console: Console) {
  const read = answersOf(opened, assembly.normalise)
  if (read.problems.some(({ severity }) => severity === 'error'))
    throw new ShownError(read.problems, read, console.errorForm)
  return { ...read, ...decide(opened.review, read.answers) }
}

async function reviewStatus(name: string | undefined, options: AccessOptions, console: Console) {
  const { opened, ...own } = openOffline(name, options, console)
  const { review, folder } = own
  const { decided, contrary, open } = readDecisions(own, opened, console)
  const isOver = opened.assembly.time.nowMs > Date.parse(review.endsAt)
  const count = (decision: Answer['decision']): number =>
    [...decided.values()].filter(([first]) => first?.decision === decision).length
  const isOpen = new Set(open)
  const progress: ReviewProgress = {
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
  return exitCodes.done
}

async function finishReview(name: string | undefined, options: AccessOptions, console: Console) {
  const { opened, ...own } = openOffline(name, options, console)
  const { review, shown } = own
  refuseOtherReview(own, opened)
  const { decided, contrary, open, files } = readDecisions(own, opened, console)
  refuseUndecided(review, { contrary, open }, shown)
  const editing = { ...options, allow: [] }
  const project = openEdit(editing, console)
  if (!options.force && !options.dryRun) refuseUncommitted(files, own)
  requireRoom(own)
  const { assembly } = project.targets[0]
  const judged = [...review.entries.entries()].map(
    ([at, entry]): Parameters<typeof resultsOf>[0][number] & { readonly by: readonly Answer[] } => {
      const by = decided.get(at) ?? []
      return { entry, decision: by[0]?.decision ?? 'keep', by }
    },
  )
  const shared = { ...editing, only: [], ledger: options.ledger ?? true, format: 'text' as const }
  const read = readEdited(project, { ...openOptions(shared), needSecrets: false }, new Map())
  const planned = await planForCommand(read, shared, console)
  const { answer, changes } = await readAll(read, planned, console).finally(() => planned.client.close())
  refuseGaps(answer)
  const { taken, left, conflicts } = revocation(changes, judged, assembly)
  if (conflicts.length > 0) throw endsKept(conflicts)
  const { edited, refused } = editAccepted(project, { taken, refused: [], pending: 0 })
  const unedited = [
    ...left.map(({ entry, why }) => `${entrySaid(entry)}: ${why}`),
    ...refused.map(({ address, what, why }) => `${address}  ${what}: ${why}`),
  ]
  if (unedited.length > 0) throw notEdited(unedited)
  const evidenceOf = (after: typeof answer): Evidence => {
    const { results, ended } = resultsOf(judged, answer, after, assembly.normalise)
    if (ended.length > 0) throw endsKept(ended.map((kept) => ({ revoked: undefined, kept })))
    const entries = judged.map(({ entry, decision, by }, at): DecidedEntry => {
      const comments = by.flatMap(({ comment }) => comment ?? [])
      return { ...entry, decision, result: results[at] ?? 'kept', decidedIn: by.map(({ file }) => file), comments }
    })
    const finishedAt = isoMoment(assembly.time.nowMs)
    const about = {
      formatVersion: '1.0' as const,
      review: review.digest,
      finishedAt,
      commit: headOf(opened.project.dir),
    }
    return sealed({ ...about, entries, files, edited: editedOf(edited) }, sha256)
  }
  let evidence = evidenceOf(answer)
  const added = newSince(review, answer, assembly.normalise)
  const isDry = options.dryRun === true
  const notes = () => finishedNotes(evidence, { added, folder: shown, isDry })
  if (edited === undefined || edited.files.length === 0) {
    if (!isDry) writeEvidence(own, evidence)
    await console.result(notes().join('\n'))
  } else {
    await endEdit(edited, { ...editing, ledger: shared.ledger }, console, {
      notes: () => [...notes(), ...othersNote(edited)],
      judge: async (after) => {
        const then = readEdited(edited.after, { ...openOptions(shared), needSecrets: false }, edited.texts)
        evidence = evidenceOf((await readAll(then, after, console)).answer)
      },
      written: () => writeEvidence(own, evidence),
    })
  }
  return evidence.entries.some(({ result }) => result === 'by-hand') ? exitCodes.partial : exitCodes.done
}

const editedOf = (edited: EditedProject | undefined): Evidence['edited'] =>
  (edited?.files ?? []).map(({ file, before, after }) => ({
    file,
    before: sha256([Buffer.from(before).toString()]),
    after: sha256([Buffer.from(after).toString()]),
  }))

const mostNamed = 10

function named(lines: readonly string[]): string[] {
  const rest = lines.length - mostNamed
  return rest > 0 ? [...lines.slice(0, mostNamed), `and ${rest} more`] : [...lines]
}

function refuseOtherReview(own: OpenedReview, { project }: ReadProject): void {
  const { review, shown } = own
  if (readEvidence(own) !== undefined) {
    throw new OperatorError('SVC2310', `The review \`${shown}\` is finished`, {
      hint: 'Look at it: `svcsync access review verify`. Begin another one: `svcsync access review start`.',
    })
  }
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
  { contrary, open }: Pick<ReturnType<typeof decide>, 'contrary' | 'open'>,
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
    const said = [first, ...others].map((answer) => `${answer?.place} says ${answer?.decision}`)
    return `${entrySaid(entries[first?.entry ?? 0] as ReviewEntry)}: ${said.join(', ')}`
  })
  throw new OperatorError('SVC2311', 'The review cannot be finished: nothing is written', {
    findings: [...named(contraries), ...named(late)],
    hint:
      contrary.length > 0
        ? 'Reviewers who decide otherwise have to agree. `svcsync access review status` counts what is open.'
        : 'Write `keep` or `revoke` behind each `decision:`. `svcsync access review status` counts what is open.',
  })
}

function endsKept(
  conflicts: readonly { readonly revoked: ReviewEntry | undefined; readonly kept: ReviewEntry }[],
): OperatorError {
  const lines = [...groupBy(conflicts, ({ revoked }) => revoked)].flatMap(([revoked, own]) => [
    ...(revoked === undefined ? [] : [`revoke  ${entrySaid(revoked)}`]),
    ...own.map(({ kept }) => `keep    ${entrySaid(kept)}`),
  ])
  return new OperatorError('SVC2312', 'What is revoked would end what is kept: nothing is written', {
    findings: named(lines),
    hint: 'Revoke both, keep both, or give what is kept in another way first.',
  })
}

function notEdited(lines: readonly string[]): OperatorError {
  return new OperatorError('SVC2301', 'The manifests cannot be edited so: nothing is written', {
    findings: named(lines),
    hint: 'Edit these places by hand, and run the command again.',
  })
}

async function verifyReview(name: string | undefined, options: AccessOptions, console: Console) {
  const { opened, ...own } = openOffline(name, options, console)
  const { review, shown } = own
  const evidence = readEvidence(own)
  if (evidence === undefined) {
    throw new OperatorError('SVC2313', `The review \`${shown}\` is not finished: there is no evidence`, {
      hint: '`svcsync access review status` says what is open.',
    })
  }
  const { decided, files } = readDecisions(own, opened, console)
  const wrong = discrepancies(review, evidence, { decided, files })
  if (wrong.length > 0) {
    throw new OperatorError('SVC2313', `The evidence of \`${shown}\` does not hold`, {
      findings: named(wrong),
      hint: '`git log` shows what was changed after the review had ended, and by whom.',
    })
  }
  await console.result(
    options.format === 'json'
      ? safeJson({ formatVersion: '1.0', review: review.digest, evidence: evidence.digest, entries: evidence.entries })
      : verifiedText({ review, evidence }, console),
  )
  return exitCodes.done
}

/** Digests of the two documents were looked at when they were read. */
function discrepancies(
  review: Review,
  evidence: Evidence,
  { decided, files }: Pick<ReturnType<typeof readDecisions>, 'decided' | 'files'>,
): string[] {
  const wrong: string[] = []
  if (evidence.review !== review.digest) wrong.push('evidence.json is of another review.json')
  const known = new Map(files.map(({ file, digest }) => [file, digest]))
  for (const { file, digest } of evidence.files)
    if (known.get(file) !== digest) wrong.push(`${file} was changed after the review had ended`)
  for (const { file } of review.parts)
    if (!evidence.files.some((each) => each.file === file)) wrong.push(`${file} is not in the evidence`)
  for (const [at, entry] of review.entries.entries()) {
    const said = evidence.entries[at]
    const same = said !== undefined && entrySaid(said) === entrySaid(entry)
    if (!same || decided.get(at)?.some(({ decision }) => decision !== said.decision) !== false)
      wrong.push(`${entrySaid(entry)}: the evidence says something else than the files of the reviewers`)
  }
  if (evidence.entries.length > review.entries.length) wrong.push('evidence.json has entries that nobody reviewed')
  return wrong
}
