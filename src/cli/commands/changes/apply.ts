// `svcsync apply`: plans or reads a saved plan, asks, applies, and says truthfully what happened.

import { resolve } from 'node:path'
import { parseAllowance } from '@svcsync/core/guards/allowances.ts'
import { isPolicyGuard } from '@svcsync/core/guards/guard.ts'
import { refusals, refuseByGuards } from '@svcsync/core/guards/judge-guards.ts'
import { allowVerdicts } from '@svcsync/core/guards/rejudge.ts'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { isDigest, shortDigest } from '@svcsync/core/plan/plan-digest.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { OperatorError, RefusedError } from '@svcsync/errors/index.ts'
import { beginJournal } from '@svcsync/journal/journal.ts'
import type { Project, Target } from '@svcsync/project/project.ts'
import { renderUnapprovedMarkdown } from '@svcsync/render/report/render-error-text.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import { type ApplyRunOptions, applyRun, refuseUnreadable } from '@svcsync/runs/plan/apply-run.ts'
import { parsePlanFile } from '@svcsync/runs/saved/plan-file.ts'
import { askToApply, refuseOtherTarget } from '../../planning/ask-to-apply.ts'
import type { ConnectedPlan } from '../../planning/open-for-command.ts'
import { ledgerForApply, noteIdle, planForCommand, readForCommand } from '../../planning/open-for-command.ts'
import { readSavedPlan } from '../../planning/plan-files.ts'
import { planAs } from '../../planning/render-plan.ts'
import { runApply, withInterrupts } from '../../planning/run-apply.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { allowed, missingOption, type SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import type { takeInterrupts } from '../../terminal/interrupts.ts'
import { keepHeapSmall } from '../../v8-settings.ts'

export async function applyCommand(
  options: SharedOptions,
  console: Console,
  { plan: file }: { readonly plan?: string } = {},
) {
  keepHeapSmall()
  refuseIdleOptions(file, options)
  const agreed = isConfirmed(options, file !== undefined)
  if (!agreed && !console.interactive) throw noTerminal('Review the output of `svcsync plan`, then run apply')
  const approvals = await approvalsOf(options)
  const saved = file === undefined ? undefined : readSavedPlan(file, parsePlanFile)
  if (saved !== undefined) refuseSavedPlan(saved, options, console)
  const project = saved === undefined ? readForCommand(options, !options.due) : undefined
  return withInterrupts(
    console,
    (kill) => planOrReadPlan(project, saved, options, console, kill),
    (prepared, interrupts) =>
      askAndApply({ ...prepared, approvals, saved: async () => saved }, options, agreed, console, interrupts),
  )
}

/** Reads approvals first, so that unusable ones are reported before any request. */
export async function approvalsOf({ approved }: SharedOptions) {
  if (approved === undefined) return undefined
  return (await import('../../planning/approvals.ts')).readApprovals(approved === true ? [] : approved)
}

/** An operator who names a reviewed plan has agreed. */
export const isConfirmed = ({ yes, expect, confirm, approved }: SharedOptions, isNamed = false): boolean =>
  yes === true || isNamed || [expect, confirm, approved].some((each) => each !== undefined)

function noTerminal(first: string, expect = '--expect and its digest'): OperatorError {
  return new OperatorError('SVC2002', 'svcsync cannot ask: stdin is no terminal, or CI is set', {
    hint: `${first} with ${expect}, or with --yes (and --confirm for a target with \`confirm: name\`).`,
  })
}

interface PreparedApply {
  readonly opened: Pick<ReadProject, 'project' | 'declarations'>
  readonly planned: ConnectedPlan
  readonly ledger: ApplyRunOptions['ledger']
  readonly approvals?: Awaited<ReturnType<typeof approvalsOf>>
  /** For a journal: the plan with everything that a resume without manifests needs, if available. */
  saved(): Promise<SavedPlan | undefined>
}

export async function askAndApply(
  prepared: PreparedApply,
  options: SharedOptions,
  agreed: boolean,
  console: Console,
  { stop, kill }: ReturnType<typeof takeInterrupts>,
) {
  const { opened, planned, ledger, saved } = prepared
  // A quiet apply makes no document of its plan.
  const { plan, client } = planned
  const { project } = opened
  if (refusals(plan.guards).length === 0) refuseUnreadable(plan, project.settings)
  const sent = plan.steps.filter(({ restsOn }) => restsOn === undefined).length
  const wantsName = needsConfirmation(project.target, sent, options)
  const asks = sent > 0 && (wantsName || !agreed) && !stop.aborted
  const isUnaskable = asks && !console.interactive
  await showPlan(prepared, options, { agreed, isUnaskable }, console)
  if (isUnaskable)
    throw wantsName
      ? unconfirmed(project.target)
      : noTerminal('Nothing was written. Run it', `\`--expect ${shortDigest(planned.document.digest)}\``)
  // svcsync asks no approval for a plan that it did not show.
  if (asks && (options.format !== 'text' || options.quiet))
    console.question(await planAs(planned.document, { ...options, format: 'text' }, console))
  const unasked = stop.aborted ? 'interrupted' : 'yes'
  const answer = asks ? await askToApply(planned.document, stop, undefined, wantsName) : unasked
  if (answer !== 'yes') {
    console.note('Nothing was changed.')
    return answer === 'interrupted' ? exitCodes.interrupted : exitCodes.done
  }
  return runApply(plan.steps.length, stop, options, console, (onEvent) =>
    applyRun(opened, client, planned, {
      ...{ stop, kill, onEvent, ledger },
      journal: journalAt(options.journal, saved, project, console),
    }),
  )
}

/** Throws the objections to the plan. A refused plan is shown whole, in every format, since no report replaces it. */
async function showPlan(
  { opened, planned, ledger, approvals }: PreparedApply,
  options: SharedOptions,
  { agreed, isUnaskable }: Readonly<Record<'agreed' | 'isUnaskable', boolean>>,
  console: Console,
): Promise<void> {
  const { plan, client } = planned
  const isExpected = options.expect === undefined || isDigest(planned.document.digest, options.expect)
  const unapproved = approvals?.refusalOf(planned.document, opened.project.target)
  const isRefused = !isExpected || isUnaskable || unapproved !== undefined || refusals(plan.guards).length > 0
  if ((options.format === 'text' && !options.quiet) || !isExpected || isUnaskable)
    await console.result(await planAs(planned.document, { ...options, short: agreed && !isRefused }, console))
  if (!isExpected) refuseDigest(planned.document, options.expect as string)
  if (refusals(plan.guards).length > 0) await ledger?.recordRefusal?.(planned, client)
  refuseByGuards(plan.guards)
  if (unapproved === undefined) return approvals?.note(planned.document, console)
  if (options.format === 'markdown') await console.result(renderUnapprovedMarkdown(unapproved))
  throw unapproved
}

/** True if the target still needs confirmation. A reviewed plan, or its digest, belongs to its target. */
function needsConfirmation({ name, confirm }: Target, steps: number, options: SharedOptions): boolean {
  refuseOtherTarget(options.confirm, name)
  return (
    confirm === 'name' &&
    [options.confirm, options.expect, options.approved].every((each) => each === undefined) &&
    steps > 0
  )
}

function unconfirmed({ name }: Target): OperatorError {
  return new OperatorError('SVC2151', `The target \`${name}\` needs its name confirmed, but svcsync cannot ask`, {
    hint:
      `Nothing was written. Run it with \`--confirm ${shellWord(name)}\`, ` +
      'or with --expect and the digest of the reviewed plan.',
  })
}

async function planOrReadPlan(
  project: ReadProject | undefined,
  saved: SavedPlan | undefined,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal,
): Promise<Omit<PreparedApply, 'saved' | 'approvals'>> {
  if (project !== undefined) {
    const ledger = await ledgerForApply({ from: 'manifests', opened: project }, options, console, kill)
    const planned = await planForCommand(project, options, console, { kill, ledger, applies: true, licences: true })
    return { opened: project, planned, ledger }
  }
  const { savedPlanForCommand } = await import('../../planning/saved-for-command.ts')
  return savedPlanForCommand(saved as SavedPlan, options, console, kill)
}

/** Opened when the plan is agreed upon, before its first write. */
function journalAt(
  shown: string | undefined,
  saved: PreparedApply['saved'],
  project: Project,
  console: Console,
): ApplyRunOptions['journal'] {
  if (shown === undefined) return undefined
  return async ({ document, preconditions }) =>
    beginJournal(
      shown === 'git:'
        ? await (await import('../../planning/journal-in-git.ts')).placeInGit(project, console, 'begin')
        : { path: resolve(shown), shown, clock: Date.now },
      { document: (await saved()) ?? document, preconditions },
    )
}

/** The ledger tells who approved what an apply held its plan against. */
export function refuseApproversAlone({ approved, approvedBy = [], expect }: SharedOptions): void {
  if (approvedBy.length === 0 || approved !== undefined || expect !== undefined) return
  const hint = 'Add `--approved FILE`, `--expect DIGEST` or a plan file.'
  throw missingOption('--approved-by', 'a plan that somebody approved', hint)
}

/** A saved plan is not planned again, so options that change a plan have no effect on it. */
function refuseIdleOptions(file: string | undefined, options: SharedOptions): void {
  if (file === undefined) refuseApproversAlone(options)
  const { only, rotate, var: variables, maxAge, since, due } = options
  if (file === undefined && maxAge !== undefined)
    throw missingOption('--max-age', 'a saved plan', 'Name a plan file, or remove `--max-age`.')
  if (file === undefined) return
  if (due) throw new OperatorError('SVC2109', '`--due` does not apply to a saved plan', { hint: 'Leave it out.' })
  const given = { only, rotate, since, var: Object.keys(variables) }
  const [idle] = Object.entries(given).flatMap(([name, value = []]) => (value.length > 0 ? name : []))
  if (idle === undefined) return
  throw new OperatorError('SVC2109', `\`--${idle}\` is a part of the saved plan`, {
    hint: 'Leave it out; `svcsync plan --out` takes it.',
  })
}

/** Refuses by the saved plan alone, before any question. The guards judge again later. */
function refuseSavedPlan(saved: SavedPlan, options: SharedOptions, console: Console): void {
  const { expect } = options
  const allow = allowed(options, 'plan')
  // The names of policies are known after the project is open.
  const policies = [...saved.guards.map(({ guard }) => guard), ...allow.map((text) => text.replace(/=.*$/s, ''))]
  const allowances = allow.map((text) => parseAllowance(text, policies.filter(isPolicyGuard)))
  const guards = allowVerdicts(saved.guards, allowances)
  const isRefused = refusals(guards).length > 0
  if (expect !== undefined && !isDigest(saved.digest, expect)) refuseDigest(saved, expect)
  if (isRefused) noteIdle(allowances, guards, console)
  refuseByGuards(guards)
}

export function refuseDigest({ digest }: PlanDocument, expected: string): never {
  const message = `The plan has the digest ${shortDigest(digest)}, but --expect names ${expected.slice(0, 16)}`
  throw new RefusedError('SVC2108', message, {
    hint:
      'Nothing was written. The manifests, the platform, the target or the selection changed, ' +
      'or the time of an entry began or ended: review this plan.',
  })
}
