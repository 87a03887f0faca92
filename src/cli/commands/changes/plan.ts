// `svcsync plan` and `svcsync drift`: read, compare, show.

import { resolve } from 'node:path'
import { cwd } from 'node:process'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { driftOf, type ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import { planFileText } from '@svcsync/runs/saved/plan-file.ts'
import { defaultMaxAgeMs, savePlan, writePlanFile } from '@svcsync/runs/saved/save-plan.ts'
import { type ConnectedPlan, planForCommand, readForCommand } from '../../planning/open-for-command.ts'
import { refuseIdleSaving } from '../../planning/plan-files.ts'
import { optionsOfPlan, planAs } from '../../planning/render-plan.ts'
import type { Values } from '../../program/command.ts'
import { type ExitCode, exitCodes } from '../../program/exit-codes.ts'
import { contradiction, type SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { unlessInterrupted } from '../../terminal/interrupts.ts'
import type { drift, plan } from '../changes.ts'
import type { readPlanBefore } from '../platform/before-import.ts'

type PlanningOptions = SharedOptions &
  Partial<Pick<Values<typeof plan>, 'detailedExitcode'> & Pick<Values<typeof drift>, 'access' | 'to' | 'notify'>> & {
    readonly before?: ReturnType<typeof readPlanBefore> | undefined
  }

export async function planCommand(options: PlanningOptions, console: Console) {
  refuseIdleSaving(options)
  if (options.out !== undefined && options.due)
    throw contradiction(
      '--due',
      '--out',
      'Remove `--out`, and run `svcsync apply --due` when it is due.',
      'a saved plan is applied later',
    )
  return unlessInterrupted(runPlan)(options, console, false)
}

/** Differences are the result: they always show in the exit code. */
export async function driftCommand(options: PlanningOptions, console: Console) {
  if (options.access && options.only.length > 0)
    throw contradiction('--access', '--only', 'Remove one of the two: unselected access would count as undeclared.')
  return unlessInterrupted(runPlan)(options, console, true)
}

async function runPlan(options: PlanningOptions, console: Console, isDrift: boolean) {
  const startedMs = Date.now()
  const read = readForCommand(options, false)
  await refuseWebhooks(read, options)
  const byHand = options.access ? await import('@svcsync/runs/open/with-policies.ts') : undefined
  const { opened, global } = byHand?.withGlobalPrivileges(read) ?? { opened: read, global: undefined }
  const planned = await planForCommand(opened, options, console, {
    unmanaged: unmanagedScope(options),
    licences: !isDrift,
    withHistory: isDrift && keepsHistory(opened, options),
  })
  try {
    const { out } = options
    const whole = out === undefined ? planned.document : await save(opened, planned, out, options)
    const drift = isDrift ? driftOf(whole, planned.driftAccess?.()) : whole
    const access = options.access ? await import('../review/access.ts') : undefined
    const found = access ? await access.addAccess(drift, opened, planned, global, console) : drift
    const recorded = isDrift ? await recordRun(found, opened, planned, options, startedMs, console) : undefined
    const document = recorded?.document ?? found
    // A saved plan has its target, its base and its variables in itself.
    const { target: _, since: _since, rotate: _rotate, ...ofSaved } = { ...options, var: {} }
    const made = optionsOfPlan(options)
    const offer = { file: out, options: out === undefined ? made : optionsOfPlan(ofSaved) }
    const ways = { options: made }
    const shown = { ...options, hintsLedger: !isDrift && hintsLedger(opened, options) }
    const isRefused = document.unreadable.length > 0 && opened.project.settings.unreadable === 'refuse'
    const text = await planAs(document, shown, console, !isDrift && !isRefused && offer, isDrift ? ways : undefined)
    await console.result(options.before === undefined ? text : `${options.before(document)}\n\n${text}`)
    await recorded?.keep()
    if (isDrift && notifies(options))
      await (await import('./drift-issue.ts')).publishDrift(document, opened, options, recorded?.last, console)
    if (out !== undefined) console.note(`Saved to ${out}; it expires at ${document.expiresAt}.`)
    return exitCodeOfPlan(document, isDrift, isDrift || options.detailedExitcode === true)
  } finally {
    await planned.client.close()
  }
}

/** No history for another installation, or for a comparison with another base. */
const keepsHistory = ({ project }: ReadProject, { ledger, baseUrl, since }: PlanningOptions): boolean =>
  project.ledger !== undefined && ledger !== false && baseUrl === undefined && since === undefined

async function refuseWebhooks(read: ReadProject, options: PlanningOptions): Promise<void> {
  const { notify = [], to } = options
  if (notify.length === 0) return
  ;(await import('../../planning/notify.ts')).refuseUnknownWebhooks(read.project, notify)
  if (to !== undefined || keepsHistory(read, options)) return
  throw new OperatorError('SVC2109', '`--notify` needs a memory of the verdict before: an issue, or the ledger', {
    hint: 'Add `--to github`, `gitlab` or `azure`; or `ledger: { remote: origin }` to the project file.',
  })
}

/** With what the runs before know of it. Undefined: nobody keeps a history. */
async function recordRun(
  drift: ShownPlan,
  opened: ReadProject,
  { plan, client, known }: ConnectedPlan,
  options: PlanningOptions,
  startedMs: number,
  console: Console,
) {
  if (!keepsHistory(opened, options)) return undefined
  const { openHistory, recordDrift } = await import('../../planning/run-history.ts')
  const { project } = opened
  const history = await openHistory(project, options, console, known?.history)
  if (history === undefined) return undefined
  const { run, document, last } = recordDrift(drift, {
    ...{ plan, client, svcIds: project.target.svcIds, startedMs, nowMs: Date.now() },
    ...{
      runs: history.kept?.runs ?? [],
      looksAtAccess: options.access === true,
      everywhere: options.unmanaged === true,
      notify: options.notify ?? [],
    },
  })
  return { document, last, keep: () => history.keep(run) }
}

const notifies = ({ to, notify = [] }: PlanningOptions): boolean => to !== undefined || notify.length > 0

/** There is git, and neither the project nor the command makes anything of it. */
function hintsLedger({ project }: ReadProject, { since, ledger, quiet }: PlanningOptions): boolean {
  if (since !== undefined || ledger === false || quiet || project.ledger !== undefined) return false
  return repositoryOf(project.dir) !== undefined
}

/** A part of what is declared is a question about that part. */
function unmanagedScope({ unmanaged, only }: PlanningOptions): { readonly everywhere: boolean } | undefined {
  if (unmanaged === false || (unmanaged === undefined && only.length > 0)) return undefined
  return { everywhere: unmanaged === true }
}

async function save(
  opened: ReadProject,
  planned: ConnectedPlan,
  file: string,
  options: PlanningOptions,
): Promise<PlanDocument> {
  const { maxAge: maxAgeMs = defaultMaxAgeMs } = options
  const plan = await savePlan(opened, planned.client, planned, { maxAgeMs, commit: await commitOf(opened, options) })
  writePlanFile(resolve(cwd(), file), planFileText(plan), file)
  const { saved: _, ...document } = plan
  return document
}

async function commitOf(opened: ReadProject, options: PlanningOptions): Promise<string | undefined> {
  const dir = opened.project.ledger && repositoryOf(opened.project.dir)
  if (dir === undefined || options.ledger === false) return undefined
  const { commitForCommand } = await import('../../planning/ledger-for-command.ts')
  const { commit, reason, isPart } = commitForCommand(dir, opened, options)
  return reason === undefined || isPart ? commit : undefined
}

/** Unread objects never count as "no difference". */
function exitCodeOfPlan(
  document: PlanDocument,
  isDrift: boolean,
  differencesCount: boolean,
): ExitCode<'done' | 'error' | 'differences'> {
  const { accessDrift, unreadable, changes, warnings } = document
  if (unreadable.length > 0 || (accessDrift?.unread.length ?? 0) > 0) return exitCodes.error
  const denied = warnings.filter(({ code, severity }) => code === 'SVC1807' && severity === 'error').length
  const found = changes.length + (accessDrift?.undeclared ?? 0) + (isDrift ? denied : 0)
  return differencesCount && found > 0 ? exitCodes.differences : exitCodes.done
}
