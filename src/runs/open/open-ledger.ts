// Opens the ledger of a project's target: the remote, what was applied last, and who may be applying.
import { hostname, userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Promotion } from '@svcsync/core/guards/guard.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { commitsBetween, exactCommit } from '@svcsync/ledger/exact-commit.ts'
import { type LeaseSettings, ownProcess } from '@svcsync/ledger/lease.ts'
import { type LedgerState, readLedger } from '@svcsync/ledger/ledger.ts'
import { openRemote, type Remote } from '@svcsync/ledger/remote.ts'
import type { Project } from '@svcsync/project/project.ts'
import type { ReadProject } from './open-project.ts'
import { filesOf } from './watched-paths.ts'

interface LedgerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  clock(): number
  readonly signal?: AbortSignal | undefined
  readonly allowUnsigned?: readonly string[] | undefined
  readonly withHistory?: boolean
}

/** Throws an OperatorError where there is no such remote, or none that may be used. */
export function remoteOf(
  { file, ledger }: { readonly file: string; readonly ledger: NonNullable<Project['ledger']> },
  allowed: readonly string[] = [],
  signal?: AbortSignal,
): Remote {
  return { ...openRemote(file, ledger.remote, signal), ...(ledger.signed === 'require' && { signed: { allowed } }) }
}

/** Undefined: the project has none. Rejects with an OperatorError where it cannot be read. */
export async function openLedger(
  { file, ledger, target }: Pick<Project, 'file' | 'ledger' | 'target'>,
  { env, clock, signal, allowUnsigned, withHistory }: LedgerOptions,
): Promise<(LeaseSettings & { readonly state: LedgerState }) | undefined> {
  if (ledger === undefined) return undefined
  const remote = remoteOf({ file, ledger }, allowUnsigned, signal)
  return {
    remote,
    target: target.name,
    self: holderOf(env),
    clock,
    sleep: (delayMs, until) => delay(delayMs, undefined, until && { signal: until }).catch(() => undefined),
    state: await readLedger(remote, target.name, clock(), withHistory),
  }
}

export function commitOf(
  { dir }: Pick<Remote, 'dir'>,
  opened: Pick<ReadProject, 'project' | 'parsed' | 'manifests' | 'policyFiles' | 'exceptions'>,
  head?: string,
): ReturnType<typeof exactCommit> {
  return exactCommit(dir, filesOf(opened), head)
}

/** A job says who started it and where it is shown; elsewhere it is a person at a machine. */
function holderOf(env: LedgerOptions['env']): LeaseSettings['self'] {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env
  const job = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined
  const isJob = Boolean(job || env.CI || env.CI_JOB_URL || env.BUILD_URL)
  return {
    holder: env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || userName() || 'somebody',
    where: job ?? (env.CI_JOB_URL || env.BUILD_URL || hostname()),
    // Machines of jobs are copies of each other: what tells one from another here may be the same there.
    ...(!isJob && { process: ownProcess() }),
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In containers there are users without a name.
    return ''
  }
}

interface PromotionOptions {
  /** The planned commit; `reason`: why it is none. */
  readonly planned: ReturnType<typeof exactCommit>
  /** Files and folders of the project: two commits that differ in none of them are one. */
  readonly roots: readonly string[]
  readonly withoutLedger: boolean
  readonly nowMs: number
}

/** Undefined: the target has no promotion. Never rejects: an unreadable ledger is part of the result. */
export async function promotionOf(
  project: Pick<Project, 'file' | 'ledger' | 'guards'>,
  { planned: exact, roots, withoutLedger, nowMs }: PromotionOptions,
): Promise<Promotion | undefined> {
  const { file, ledger, guards } = project
  const from = guards.promotedFrom
  if (from === undefined) return undefined
  const isCommit = exact.commit !== undefined && (exact.reason === undefined || exact.isPart === true)
  const planned = isCommit ? (exact.commit ?? null) : null
  const unknown = (why: string): Promotion => ({ from, planned, applied: undefined, state: 'unknown', why })
  if (ledger === undefined) return unknown('the project has no ledger')
  if (withoutLedger) return unknown('`--no-ledger` leaves the ledger alone')
  try {
    const remote = remoteOf({ file, ledger })
    const applied = (await readLedger(remote, from, nowMs)).applied?.commit
    if (planned === null || applied === undefined) return { from, planned, applied, state: 'other', why: exact.reason }
    const isSame = planned === applied || isAlike(remote.dir, planned, applied, roots)
    return { from, planned, applied, state: isSame ? 'applied' : 'other' }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return unknown(`${error.message} (${error.code})`)
  }
}

/** No commit between them touches the project. */
function isAlike(dir: string, planned: string, applied: string, roots: readonly string[]): boolean {
  return commitsBetween(dir, applied, planned, roots) === 0 && commitsBetween(dir, planned, applied, roots) === 0
}
