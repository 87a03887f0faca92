// A run that applies: asks for write access, carries the plan out, and reports.

import { setTimeout as delay } from 'node:timers/promises'
import type { ApplyEvent } from '@svcsync/apply/apply-event.ts'
import { applyPlan } from '@svcsync/apply/apply-plan.ts'
import { refuseByGuards } from '@svcsync/core/guards/judge-guards.ts'
import { sensitivesIn } from '@svcsync/core/model/sensitive.ts'
import { type ApplyReport, withManualSteps, withRefusals, withUnreverted } from '@svcsync/core/plan/report.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import type { Journal } from '@svcsync/journal/journal.ts'
import type { takeLease } from '@svcsync/ledger/lease.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { writeNeeds } from '../open/scope-needs.ts'
import { secretsOf } from '../open/secrets-of.ts'
import type { PlanRun } from './plan-run.ts'

export interface ApplyRunOptions {
  /** First interrupt: running steps end, no further one starts. */
  readonly stop: AbortSignal
  readonly kill?: AbortSignal | undefined
  readonly clock?: (() => number) | undefined
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined
  /** Opens the journal, when all that can be known before the first write is known; none is kept otherwise. */
  readonly journal?: ((planned: PlanRun) => Promise<Journal>) | undefined
  /** Ids of steps that another process may have sent. */
  readonly maybeSent?: ReadonlySet<string> | undefined
  /** Tells others that an apply is under way, and how it ended. */
  readonly ledger?:
    | {
        /** Before the first write. Rejects where somebody else applies. */
        takeLease(planned: PlanRun): Promise<Pick<Awaited<ReturnType<typeof takeLease>>, 'lost' | 'giveBack'>>
        note(report: ApplyReport, planned: PlanRun, client: PlatformClient): Promise<NonNullable<ApplyReport['ledger']>>
        /** Guards refuse the plan. Never rejects. */
        recordRefusal?(planned: PlanRun, client: PlatformClient): Promise<void>
        /** Never rejects either. Undefined: nobody keeps a history. */
        record?(report: ApplyReport, planned: PlanRun, client: PlatformClient): Promise<ApplyReport['history']>
      }
    | undefined
}

/** Rejects before the first write for guards, scopes, journal, lease and what is missing. */
export async function applyRun(
  opened: Pick<OpenedProject, 'project' | 'declarations'>,
  client: PlatformClient,
  planned: PlanRun,
  options: ApplyRunOptions,
): Promise<ApplyReport> {
  const { plan, target } = planned
  const { settings, kinds } = opened.project
  refuseByGuards(plan.guards)
  refuseUnreadable(plan, settings)
  refuseNeeds(plan)
  client.conceal(secretsOf(opened))
  const sent = plan.steps.filter(({ restsOn }) => restsOn === undefined)
  if (sent.length > 0) await client.authorise(writeNeeds(sent, kinds))
  const lease = sent.length > 0 ? await options.ledger?.takeLease(planned) : undefined
  let leaseNotes: readonly string[] = []
  let isBegun = false
  const apply = async (): Promise<ApplyReport> => {
    const journal = sent.length > 0 ? await options.journal?.(planned) : undefined
    isBegun = true
    return withJournal(journal, () =>
      applyPlan(plan, {
        port: client,
        target,
        kinds,
        concurrency: settings.concurrency,
        pageSize: settings.pageSize,
        retry: settings.retry,
        syncTimeoutMs: settings.sync.timeoutMs,
        stop: lease === undefined ? options.stop : AbortSignal.any([options.stop, lease.lost]),
        kill: options.kill,
        clock: options.clock ?? Date.now,
        timer: () => performance.now(),
        sleep: (delayMs, signal) =>
          delay(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
        ...(options.onEvent && { onEvent: options.onEvent }),
        log: journal,
        maybeSent: options.maybeSent,
      }),
    )
  }
  let report: ApplyReport
  let ledger: ApplyReport['ledger']
  try {
    const done = await apply()
    isBegun =
      options.maybeSent !== undefined ||
      done.steps.some(({ outcome, attempts }) => outcome !== 'skipped' || attempts > 0)
    const whole = withManualSteps(done, plan.problems)
    report = planned.undoes ? withUnreverted(whole, planned.document) : plan.due ? withRefusals(whole, plan.due) : whole
    ledger = await options.ledger?.note(report, planned, client)
  } finally {
    leaseNotes = (await lease?.giveBack(ledger?.moved ? 'complete' : isBegun ? 'begun' : 'nothing')) ?? []
  }
  if (ledger === undefined) return report
  const history = await options.ledger?.record?.(report, planned, client)
  const own = { ...ledger, ...(leaseNotes.length > 0 && { lease: leaseNotes }) }
  return { ...report, ledger: own, ...(history && { history }) }
}

/** For projects that want all or nothing. */
export function refuseUnreadable(
  { unreadable }: Pick<PlanRun['plan'], 'unreadable'>,
  settings: Pick<OpenedProject['project']['settings'], 'unreadable'>,
): void {
  const [first] = unreadable
  if (first === undefined || settings.unreadable === 'skip') return
  const others = unreadable.length > 1 ? `, and ${unreadable.length - 1} more` : ''
  throw new OperatorError('SVC2003', `${first.address} could not be read${others}: ${first.reason}`, {
    hint: (
      `Nothing was written. ${first.hint ?? ''} \`--only\` applies the rest without it, ` +
      'and so does `settings: { unreadable: skip }`.'
    ).replace(/ {2,}/g, ' '),
  })
}

/** The command opens a project with all that an apply needs, and never comes so far. */
function refuseNeeds({ needs = [], steps }: PlanRun['plan']): void {
  const sent = steps.flatMap(({ spec }) => sensitivesIn(spec).filter(({ isMissing }) => isMissing))
  const missing = [...new Set([...needs, ...sent.map(({ template }) => template)])]
  if (missing.length === 0) return
  const message = `The plan was made without ${missing.join(', ')}, which an apply needs`
  throw new OperatorError('SVC1201', message, {
    hint: 'Nothing was written. Open the project with those values, and without `needSecrets: false`.',
  })
}

/** The report is worth more than its last line in the journal: that it is missing is no reason to lose it. */
async function withJournal(journal: Journal | undefined, run: () => Promise<ApplyReport>): Promise<ApplyReport> {
  try {
    const report = await run()
    await journal?.finish(report).catch(() => undefined)
    return report
  } finally {
    await journal?.close()
  }
}
