// Saves plans of a workspace and takes them up again, as the commands do, with an injected clock.
import { Buffer } from 'node:buffer'
import { parseAllowance } from '../../src/core/guards/allowances.ts'
import type { Verdict } from '../../src/core/guards/guard.ts'
import { documentTexts } from '../../src/core/plan/plan-digest.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import { kinds } from '../../src/kinds/index.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { openTarget } from '../../src/runs/open/open-target.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { policyGuards, withPolicies, withTargetPolicies } from '../../src/runs/open/with-policies.ts'
import { applyRun } from '../../src/runs/plan/apply-run.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { parsePlanFile, planFileText } from '../../src/runs/saved/plan-file.ts'
import { defaultMaxAgeMs, savePlan } from '../../src/runs/saved/save-plan.ts'
import { savedPlanRun } from '../../src/runs/saved/saved-plan-run.ts'
import type { RunOptions, Workspace } from './workspace.ts'

export const madeAt = '2026-01-01T00:00:00.000Z'

/** The text of the file. */
export async function savedText(workspace: Workspace, run: RunOptions = {}): Promise<string> {
  const opened = await withPolicies(workspace.open(run))
  const client = connect(opened.project, { version: 'test', env: {} })
  try {
    const { only = [], rotate, version = 'test', createdAt = madeAt } = run
    const allow = (run.allow ?? []).map((each) => parseAllowance(each, policyGuards(opened)))
    const base = workspace.base(opened, run)
    const planned = await planRun(opened, client, { only, rotate, allow, version, createdAt, base })
    return planFileText(await savePlan(opened, client, planned, { maxAgeMs: defaultMaxAgeMs }))
  } finally {
    await client.close()
  }
}

export function parsed(text: string): SavedPlan {
  return parsePlanFile(Buffer.from(text), 'plan.json')
}

/** The text of a file in which somebody edited something, and then made its digest and its checksum anew. */
export function forgedText(text: string, edit: (plan: SavedPlan) => object): string {
  const { checksum: _, ...plan } = { ...parsed(text), ...edit(parsed(text)) }
  return planFileText({ ...plan, digest: sha256(documentTexts(plan.saved.svcIds).content(plan, plan.saved)) })
}

export interface TakeUpOptions {
  /** The folder of the applying side. Default: that of the workspace. */
  readonly dir?: string
  readonly env?: Readonly<Record<string, string>>
  /** In the place of that of the target. */
  readonly addresses?: { readonly baseUrl: string }
  readonly nowMs?: number
  readonly maxAgeMs?: number
  /** The allowances for guards. */
  readonly allow?: readonly string[]
  /** Guards may refuse: left out, they are asked, and everything they find is let pass. */
  readonly guarded?: boolean
}

/** The present verdicts of guards and policies on the plan. Writes nothing. */
export async function verdictsOfSaved(
  workspace: Workspace,
  text: string,
  { nowMs = Date.parse(madeAt) + 3_600_000, allow = [] }: Pick<TakeUpOptions, 'nowMs' | 'allow'> = {},
): Promise<readonly Verdict[]> {
  const { dir, env } = workspace
  const saved = parsed(text)
  const opened = await withTargetPolicies(openTarget({ cwd: dir, env, kinds, target: saved.target.name }))
  const client = connect(opened.project, { version: 'test', env: {} })
  try {
    const allowances = allow.map((each) => parseAllowance(each, policyGuards(opened)))
    return (await savedPlanRun(opened, client, saved, { env, nowMs, allow: allowances })).plan.guards
  } finally {
    await client.close()
  }
}

/** Takes up the plan and applies it, one hour after it was made. */
export async function applySaved(
  workspace: Workspace,
  text: string,
  options: TakeUpOptions = {},
): Promise<ApplyReport> {
  const { dir = workspace.dir, env = workspace.env, nowMs = Date.parse(madeAt) + 3_600_000, maxAgeMs } = options
  const { addresses } = options
  const saved = parsed(text)
  const opened = await withTargetPolicies(openTarget({ cwd: dir, env, kinds, target: saved.target.name, addresses }))
  const client = connect(opened.project, { version: 'test', env: {} })
  try {
    const allow = (options.allow ?? []).map((each) => parseAllowance(each, policyGuards(opened)))
    const planned = await savedPlanRun(opened, client, saved, { env, nowMs, maxAgeMs, allow })
    const { declarations } = planned
    // As in a workspace, guards are asked by their own tests.
    const judged = options.guarded ? planned : { ...planned, plan: { ...planned.plan, guards: [] } }
    return await applyRun({ ...opened, declarations }, client, judged, {
      stop: new AbortController().signal,
    })
  } finally {
    await client.close()
  }
}
