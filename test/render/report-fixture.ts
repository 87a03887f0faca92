// Reports to render: one with every outcome, and the ways in which a run can end.
import type { ApplyReport, Outcome, StepReport } from '../../src/core/plan/report.ts'
import { emptyPlan } from './plan-fixture.ts'

export function reportOf(steps: readonly StepReport[], more: Partial<ApplyReport> = {}): ApplyReport {
  const count = (outcome: Outcome) => steps.filter((step) => step.outcome === outcome).length
  return {
    formatVersion: '1.0',
    target: emptyPlan.target,
    outcome: 'converged',
    counts: {
      done: count('done'),
      unchanged: count('unchanged'),
      failed: count('failed'),
      skipped: count('skipped'),
      unknown: count('unknown'),
    },
    steps,
    changed: [],
    verified: { equal: 14, unequal: [] },
    startedAt: '2026-11-03T09:12:00.000Z',
    elapsedMs: 12_400,
    ...more,
  }
}

export function stepReport(id: number, address: string, outcome: Outcome, more: Partial<StepReport> = {}): StepReport {
  const kind = address.split('/')[0] as string
  return { id: String(id), address, kind, verb: 'create', outcome, attempts: 1, elapsedMs: 40, ...more }
}

const clerks = Array.from({ length: 20 }, (_, index) =>
  stepReport(10 + index, `group/team-${index + 1}@example.com`, 'skipped', {
    verb: 'add',
    collection: 'members',
    // A chain: each was skipped because of the one before.
    because: index === 0 ? '2' : String(9 + index),
    attempts: 0,
  }),
)

export const troubledReport: ApplyReport = reportOf(
  [
    stepReport(1, 'user/anna.nowak@example.com', 'done'),
    stepReport(2, 'group/finance@example.com', 'failed', {
      reason: 'The platform refused the request: the e-mail address `finance@example.com` is taken',
      hint: 'Choose another address, or take it from the group that has it.',
      attempts: 3,
    }),
    stepReport(3, 'group/everyone@example.com', 'unchanged', { verb: 'add', collection: 'members' }),
    stepReport(4, 'constant/main/ErpUrl', 'unknown', {
      verb: 'update',
      reason: 'The connection broke, and the constant could not be read again',
      hint: 'Run apply again: it finds out what is left to do.',
      attempts: 5,
    }),
    ...clerks,
    stepReport(40, 'user/late@example.com', 'skipped', { reason: 'The run was interrupted', attempts: 0 }),
  ],
  {
    outcome: 'partial',
    verified: {
      equal: 2,
      unequal: [
        {
          address: 'group/audit@example.com',
          differences: [
            { path: 'name', before: 'Audit', after: 'Auditors' },
            { path: 'members', added: [{ svcId: 'ewa@example.com' }], removed: [] },
          ],
        },
        { address: 'user/gone@example.com', differences: [], reason: 'It is not there any more' },
      ],
    },
  },
)
