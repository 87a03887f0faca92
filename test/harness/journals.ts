// Applies with a journal, breaks them off as a kill would, and goes on with them: in this process, as the commands do.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllowance } from '../../src/core/guards/allowances.ts'
import type { PlatformRequest } from '../../src/core/model/platform-port.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { beginJournal, type Journal } from '../../src/journal/journal.ts'
import { readJournal } from '../../src/journal/read-journal.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { PlatformClient } from '../../src/platform/client.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { readProjectAlone } from '../../src/runs/open/open-project.ts'
import { policyGuards, withPolicies } from '../../src/runs/open/with-policies.ts'
import { applyRun } from '../../src/runs/plan/apply-run.ts'
import { type PlanRun, planRun } from '../../src/runs/plan/plan-run.ts'
import { applyRest, type ResumedRun, resumeRun } from '../../src/runs/saved/resume-run.ts'
import { saveUndo, type UndoRun, undoRun } from '../../src/runs/saved/undo-run.ts'
import type { RunOptions, Workspace } from './workspace.ts'

const forever = <T>(): Promise<T> => new Promise<T>(() => undefined)
const createdAt = '2026-01-01T00:00:00.000Z'

export interface Kill {
  /** The number of the write at which everything ends, from 1. */
  readonly atWrite: number
  /** True if the platform gets that write. */
  readonly sent: boolean
}

/** Plans and applies until the kill. */
export async function applyUntilKilled(
  workspace: Workspace,
  file: string,
  kill: Kill,
  run: RunOptions = {},
): Promise<PlanRun & { readonly report: ApplyReport | undefined }> {
  const opened = workspace.open(run)
  const client = connect(opened.project, { version: 'test', env: {} })
  const { rotate, due } = run
  const settings = { only: run.only ?? [], rotate, due, version: 'test', createdAt }
  const judged = await planRun(opened, client, { ...settings, base: workspace.base(opened, run) })
  // The verdicts of guards are another matter.
  const planned: PlanRun = { ...judged, plan: { ...judged.plan, guards: [] } }
  const place = { path: join(workspace.dir, file), shown: file, clock: Date.now }
  let report: ApplyReport | undefined
  await untilKilled(client, kill, async (mortal, within) => {
    const journal = async (planned: PlanRun) => within(await beginJournal(place, planned))
    report = await applyRun(opened, mortal, planned, { stop: new AbortController().signal, journal })
  })
  return Object.assign(planned, { report })
}

/** From the kill on nothing is sent, written or answered, as in a process that is gone. */
async function untilKilled(
  client: PlatformClient,
  kill: Kill,
  run: (mortal: PlatformClient, within: (journal: Journal) => Journal) => Promise<unknown>,
): Promise<void> {
  let dead = false
  let writes = 0
  let underWay = 0
  let kept: Journal | undefined
  await new Promise<void>((killed, failed) => {
    const die = <T>(): Promise<T> => {
      dead = true
      killed()
      return forever()
    }
    const send = async (request: PlatformRequest) => {
      if (dead) return forever<undefined>()
      const isLast = request.method !== 'GET' && ++writes === kill.atWrite
      if (isLast && !kill.sent) return die<undefined>()
      underWay++
      const answer = await client.send(request).finally(() => underWay--)
      if (isLast) return die<undefined>()
      return dead ? forever<undefined>() : answer
    }
    const within = (real: Journal): Journal => {
      kept = real
      return {
        ...real,
        sending: (step, attempt) =>
          dead ? forever() : real.sending(step, attempt).then(() => (dead ? forever() : undefined)),
        answered: (step, result) => (dead ? undefined : real.answered(step, result)),
      }
    }
    // It ends by itself where it has fewer writes.
    void run({ ...client, send }, within).then(() => killed(), failed)
  })
  // A request under way reaches the platform, whoever sent it.
  while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, 2))
  await kept?.close()
  await client.close()
}

export async function resume(
  workspace: Workspace,
  file: string,
  run: RunOptions & { readonly guarded?: boolean; readonly isCopy?: boolean } = {},
): Promise<{ readonly resumed: ResumedRun; readonly report: ApplyReport }> {
  const opened = await withPolicies(workspace.open(run))
  const client = connect(opened.project, { version: 'test', env: {} })
  const path = join(workspace.dir, file)
  try {
    const journal = await readJournal({ path, shown: file, keeper: run.isCopy ? {} : undefined })
    const nowMs = Date.parse(createdAt)
    const allow = (run.allow ?? []).map((each) => parseAllowance(each, policyGuards(opened)))
    const base = workspace.base(await withPolicies(opened), run)
    const judged = await resumeRun(opened, client, journal, { version: 'test', createdAt, nowMs, allow, base })
    const resumed = run.guarded ? judged : { ...judged, plan: { ...judged.plan, guards: [] } }
    const stop = new AbortController().signal
    const place = { path, shown: file, clock: Date.now }
    return { resumed, report: await applyRest(opened, client, resumed, place, { version: 'test', stop }) }
  } finally {
    await client.close()
  }
}

type UndoSettings = Pick<RunOptions, 'allow' | 'only' | 'guarded'> & { readonly isCopy?: boolean }

/** As a ref has it: what was written after the last push is missing. */
export function keepLines(file: string, count: number): void {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const kept = lines.slice(0, count).map((line) => `${line}\n`)
  writeFileSync(file, kept.join(''))
}

export interface Undone {
  readonly undone: UndoRun
  readonly report: ApplyReport
}

/** Takes back what the journal `file` tells of, and keeps a journal of that in `kept`. */
export async function undo(
  workspace: Workspace,
  file: string,
  kept: string,
  { allow = [], only = [], guarded, isCopy }: UndoSettings = {},
): Promise<Undone> {
  const { dir, env } = workspace
  const nowMs = Date.parse(createdAt)
  const project = join(dir, 'svcsync.yaml')
  const opened = await withPolicies(readProjectAlone({ project, cwd: dir, env, kinds, needCredentials: true, nowMs }))
  const client = connect(opened.project, { version: 'test', env: {} })
  try {
    const journal = await readJournal({ path: join(dir, file), shown: file, keeper: isCopy ? {} : undefined })
    const allowances = allow.map((each) => parseAllowance(each, policyGuards(opened)))
    const options = { only, allow: allowances, version: 'test', createdAt, shown: file }
    const undone = await undoRun(opened, client, journal, options)
    const judged = guarded ? undone : { ...undone, plan: { ...undone.plan, guards: [] } }
    const place = { path: join(dir, kept), shown: kept, clock: Date.now }
    const report = await applyRun(undone.opened, client, judged, {
      stop: new AbortController().signal,
      journal: async ({ preconditions }) =>
        beginJournal(place, { document: await saveUndo(undone, client), preconditions }),
    })
    return { undone, report }
  } finally {
    await client.close()
  }
}
