// Runs a doctor on a workspace, as the command does.
import type { Check, DoctorReport } from '../../src/core/plan/doctor-report.ts'
import { type DoctorRunOptions, doctorRun, problemsOfSecrets } from '../../src/runs/doctor/doctor-run.ts'
import { type ConnectOptions, connect } from '../../src/runs/open/connect.ts'
import type { Workspace } from '../harness/workspace.ts'

export interface Examination
  extends Pick<DoctorRunOptions, 'purpose'>,
    Pick<ConnectOptions, 'clock' | 'caFile' | 'env'> {}

export function examine(
  workspace: Workspace,
  { purpose, clock, caFile, env = {} }: Partial<Examination> = {},
): Promise<DoctorReport> {
  const opened = workspace.open({ needSecrets: false })
  const { target, settings } = opened.project
  return doctorRun(opened, {
    purpose,
    ofSecrets: purpose === 'apply' ? problemsOfSecrets(opened, workspace.open({ needSecrets: true })) : [],
    connect: (hooks, apiVersion = target.apiVersion) =>
      connect(
        {
          ...opened.project,
          target: { ...target, apiVersion },
          settings: { ...settings, retry: { attempts: 1, maxDelayMs: 10 } },
        },
        {
          version: 'test',
          env,
          clock,
          caFile,
          ...hooks,
        },
      ),
  })
}

export function checkOf(report: DoctorReport, name: Check['check']): Check {
  return report.checks.find(({ check }) => check === name) as Check
}

/** Names and results of the checks that are not well. */
export function unwell({ checks }: DoctorReport): readonly string[] {
  return checks.filter(({ result }) => result !== 'ok').map(({ check, result }) => `${check}: ${result}`)
}

export function stateOf(report: DoctorReport, name: string): string | undefined {
  const found = report.variants.find((each) => each.switch === name)
  if (found === undefined) throw new TypeError(`no variant ${name}`)
  return found.state
}
