// The common part of commands that work on a project: opening it, connecting, and showing problems.
import { cwd, env } from 'node:process'
import { type Allowance, parseAllowance, unusedAllowances } from '@svcsync/core/guards/allowances.ts'
import type { Verdict } from '@svcsync/core/guards/guard.ts'
import { cutToWidth } from '@svcsync/core/model/text-width.ts'
import { longestApplyMs } from '@svcsync/core/model/time-bounds.ts'
import { AuthorError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import type { KnownLedger } from '@svcsync/ledger/stray-commits.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Project } from '@svcsync/project/project.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import { connect } from '@svcsync/runs/open/connect.ts'
import type { OpenOptions, ReadProject } from '@svcsync/runs/open/open-project.ts'
import { hasErrors, readProject } from '@svcsync/runs/open/open-project.ts'
import { type OpenedTarget, openTarget } from '@svcsync/runs/open/open-target.ts'
import { policyGuards, withPolicies } from '@svcsync/runs/open/with-policies.ts'
import { type PlanRun, type PlanRunOptions, planRun } from '@svcsync/runs/plan/plan-run.ts'
import { allowed, contradiction, missingOption, type SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'
import { noteClientEvent, noteProject, noteUnknownKeys } from '../terminal/notes.ts'
import { growYoungRoom, keepHeapSmall, keepWasmBaseline, loadBuiltIns } from '../v8-settings.ts'
import { version } from '../version.ts'
import type { ledgerForCommand } from './ledger-for-command.ts'

/** `needSecrets`: see OpenOptions. */
export function readForCommand(options: SharedOptions, needSecrets = true): ReadProject {
  loadBuiltIns()
  // A run that sends secrets may write for minutes, and needs less memory all the while, unless its project needs more.
  growYoungRoom(needSecrets ? 1 : 16)
  let read = 0
  const onText = (characters: number): void => {
    read += characters
    if (read > manyCharacters) growYoungRoom(16)
  }
  return readProject({ ...openOptions(options), needSecrets, onText })
}

export function targetForCommand(
  options: Omit<Parameters<typeof openTarget>[0], 'addresses' | 'cwd' | 'env' | 'kinds'> &
    Pick<SharedOptions, 'baseUrl' | 'authUrl'>,
): OpenedTarget {
  const { baseUrl, authUrl } = options
  return openTarget({ ...options, addresses: { baseUrl, authUrl }, cwd: cwd(), env, kinds })
}

/** The options for opening a project, for commands that ask the platform. */
export function openOptions(
  options: Pick<SharedOptions, 'project' | 'target' | 'var' | 'concurrency' | 'baseUrl' | 'authUrl' | 'shared'>,
): OpenOptions {
  const { project, target, var: variables, concurrency, baseUrl, authUrl, shared } = options
  const given = { project, target, variables, concurrency, addresses: { baseUrl, authUrl } }
  return { ...given, cwd: cwd(), env, kinds, needCredentials: true, nowMs: Date.now(), shared }
}

/** Credentials that are missing are among the problems of the project file: those say where. */
export function connectUnlessBroken(
  opened: Pick<ReadProject, 'project' | 'problems' | 'sources'>,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal | undefined,
): PlatformClient {
  noteProject(opened.project.file, options, console)
  try {
    return connectForCommand(opened.project, options, console, kill)
  } catch (error) {
    if (!hasErrors(opened.problems)) throw error
    throw new UnusableFiles(opened.problems, opened.sources)
  }
}

export function connectForCommand(
  project: Parameters<typeof connect>[0],
  { caFile, verbose = false }: Pick<SharedOptions, 'caFile' | 'verbose'>,
  console: Console,
  signal?: AbortSignal,
): PlatformClient {
  keepWasmBaseline()
  return connect(project, {
    version,
    env,
    signal,
    caFile,
    onEvent: (event) => noteClientEvent(event, console, verbose),
    ...(verbose && { onUnknownKey: noteUnknownKeys(console) }),
  })
}

export interface ConnectedPlan extends PlanRun {
  readonly client: PlatformClient
  readonly known?: KnownLedger | undefined
}

interface PlanCommandOptions extends Pick<PlanRunOptions, 'applies' | 'unmanaged' | 'licences'> {
  readonly kill?: AbortSignal
  readonly ledger?: KnownLedger | undefined
  readonly withHistory?: boolean
}

/** Opens a connection and plans. */
export async function planForCommand(
  project: ReadProject,
  options: SharedOptions,
  console: Console,
  { kill, ledger, withHistory, ...more }: PlanCommandOptions = {},
): Promise<ConnectedPlan> {
  const { only, rotate } = options
  if (options.due && rotate?.length) throw contradiction('--rotate', '--due')
  const opened = await withPolicies(project)
  // 100,000 nested groups take 475 MB instead of 572 MB, for a tenth of the time: smaller plans fit without it.
  if (opened.declarations.length > fillingDeclarations) keepHeapSmall(30)
  const { base, history, known } = await baseForCommand(opened, options, console, ledger, withHistory)
  const sinceMs = known?.applied && Date.parse(known.applied.at) - longestApplyMs
  const allow = allowancesOf(options, opened)
  const promotion = await promotionForCommand(opened, options)
  const client = connectUnlessBroken(opened, options, console, kill)
  if (options.format === 'text' && !options.quiet) loadMeanwhile(() => import('@svcsync/render/plan/plan-blocks.ts'))
  const planned = await runWith(opened, client, console, (onProgress) =>
    planRun(opened, client, {
      ...{ only, rotate, allow, version, onProgress, base, history, promotion, ...more },
      createdAt: new Date().toISOString(),
      due: options.due ? { sinceMs } : undefined,
    }),
  )
  return Object.assign(planned, { known })
}

/** Plans, and closes the connection in the end. */
export async function withPlan<T>(
  opened: ReadProject,
  options: SharedOptions,
  console: Console,
  use: (planned: ConnectedPlan) => Promise<T>,
): Promise<T> {
  const planned = await planForCommand(opened, options, console)
  try {
    return await use(planned)
  } finally {
    await planned.client.close()
  }
}

/** In a later turn of the event loop than the first requests leave in: while they are under way. */
function loadMeanwhile(load: () => Promise<unknown>): void {
  // Whoever needs it loads it again, and hears of what is wrong.
  setImmediate(() => setImmediate(() => load().catch(() => undefined)))
}

const manyDeclarations = 20_000
/** Of some 40,000 declarations. */
const manyCharacters = 4_000_000
const fillingDeclarations = 80_000

/** The base: as the command says, or else from the ledger. Present mistakes are reported first. */
async function baseForCommand(
  opened: ReadProject,
  options: SharedOptions,
  console: Console,
  ledger: PlanCommandOptions['ledger'],
  withHistory: boolean | undefined,
): Promise<Pick<PlanRunOptions, 'base' | 'history'> & { readonly known?: KnownLedger | undefined }> {
  const { since } = options
  const hasLedger = opened.project.ledger !== undefined && options.ledger !== false
  if ((since === undefined && !hasLedger) || hasErrors(opened.problems)) return {}
  // Declarations exist twice here; for few of them, frequent garbage collection costs more than it saves.
  if (opened.declarations.length > manyDeclarations) keepHeapSmall()
  const [{ commitHistory, openBase }, { withoutStrays }] = await Promise.all([
    import('@svcsync/runs/open/open-base.ts'),
    import('@svcsync/ledger/stray-commits.ts'),
  ])
  const asksLedger = ledger === undefined && (since === undefined || (options.due && hasLedger))
  const known = asksLedger
    ? await (await import('./ledger-for-command.ts')).ledgerForPlan(opened.project, options, console, withHistory)
    : ledger
  const { applied, begun = [], strays = [], head } = known ?? {}
  if (since === undefined && applied === undefined && begun.length === 0) return { known }
  const wanted =
    since === undefined
      ? { ref: applied?.commit, at: applied?.at, begun: withoutStrays(begun, strays), from: 'ledger' as const }
      : { ref: since, asOfMs: options.asOfMs }
  const base = openBase(wanted, opened, openOptions(options))
  // With any base, an apply must not go back behind the applied commit. Without a ledger, the plan asked no remote.
  const last = commitHistory(opened, applied?.commit, since === undefined ? strays : [], head)
  const history = since !== undefined && last?.follows === 'yes' ? undefined : last
  return { base, history, known }
}

/** The state of the planned commit in the earlier target. Undefined: nobody asks. */
export async function promotionForCommand(
  opened: ReadProject,
  options: SharedOptions,
): Promise<PlanRunOptions['promotion']> {
  if (opened.project.guards.promotedFrom === undefined || hasErrors(opened.problems)) return undefined
  const { promotionForPlan } = await import('./ledger-for-command.ts')
  return promotionForPlan(opened, options)
}

/** The ledger of what is to be applied, when nobody else applies; undefined: the project has none, or does without. */
export async function ledgerForApply(
  ...request: Parameters<typeof ledgerForCommand>
): Promise<Awaited<ReturnType<typeof ledgerForCommand>>> {
  const [{ opened }, options] = request
  // Mistakes in the files are reported first.
  if (hasErrors(opened.problems)) return undefined
  if (opened.project.ledger === undefined || options.ledger === false) {
    if (options.approvals === undefined) return undefined
    throw missingOption('--approvals', 'a ledger', 'Apply with a ledger, or remove `--approvals`.')
  }
  return (await import('./ledger-for-command.ts')).ledgerForCommand(...request)
}

export const allowancesOf = (options: SharedOptions, opened: ReadProject): readonly Allowance[] =>
  allowed(options, 'plan').map((text) => parseAllowance(text, policyGuards(opened)))

/** Says which allowances let nothing pass: a slip of writing, or left over. */
export function noteIdle(allowances: readonly Allowance[], verdicts: readonly Verdict[], console: Console): void {
  for (const { allowance, hint } of unusedAllowances(allowances, verdicts)) {
    console.note(
      `warning SVC2072  \`--allow ${allowance.guard}=${allowance.value}\` allows nothing in this plan. ${hint}`,
    )
  }
}

/** On an error the connection is given up. */
export async function runWith<T extends PlanRun>(
  opened: Pick<ReadProject, 'project' | 'sources'>,
  client: PlatformClient,
  console: Console,
  run: (onProgress: (count: number) => void) => Promise<T>,
): Promise<ConnectedPlan & T> {
  try {
    // Not spread: that would put a plan into words that nobody may ask for.
    return Object.assign(await withProgress(opened, console, run), { client })
  } catch (error) {
    await client.close()
    throw error
  }
}

export async function withProgress<T>(
  { project: { target }, sources }: Pick<ReadProject, 'sources'> & { readonly project: Pick<Project, 'target'> },
  console: Console,
  run: (onProgress: (count: number) => void) => Promise<T>,
): Promise<T> {
  let objects = 0
  try {
    return await run((count) => {
      objects += count
      console.progress(() => {
        const line = neutralise(`Reading ${target.name} · ${target.baseUrl}: ${formatCount(objects, 'object')}`)
        return cutToWidth(line, console.errorForm.width - 1)
      })
    })
  } catch (error) {
    if (error instanceof AuthorError) throw new UnusableFiles(error.problems, sources)
    throw error
  } finally {
    console.endProgress()
  }
}
