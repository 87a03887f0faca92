// What commands that work on a project have in common: opening it, connecting, and showing problems.
import { cwd, env } from 'node:process'
import { type Allowance, parseAllowance } from '../core/guards/allowances.ts'
import { AuthorError } from '../errors/index.ts'
import { kinds } from '../kinds/index.ts'
import type { PlatformClient } from '../platform/index.ts'
import { formatCount } from '../render/format-count.ts'
import { neutralise } from '../render/neutralise.ts'
import { type ConnectOptions, connect } from '../runs/open/connect.ts'
import {
  hasErrors,
  type OpenOptions,
  type ReadProject,
  readProject,
  UnusableProject,
} from '../runs/open/open-project.ts'
import { policyGuards, withPolicies } from '../runs/open/with-policies.ts'
import { type PlanRun, type PlanRunOptions, planRun } from '../runs/plan/plan-run.ts'
import type { Console, TextForm } from './console.ts'
import { noteClientEvent, noteProject } from './notes.ts'
import { ShownError } from './problems-text.ts'
import { addressesOf, type SharedOptions } from './shared-options.ts'
import { giveYoungObjectsRoom } from './size-heap.ts'
import { version } from './version.ts'

/** Problems of a project file that cannot be used at all are shown with their frames. */
export function readForCommand(options: SharedOptions, form: TextForm): ReadProject {
  giveYoungObjectsRoom()
  return shownIfUnusable(form, () => readProject(openOptions(options)))
}

export function shownIfUnusable<T>(form: TextForm, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof UnusableProject) throw new ShownError(error.problems, error, form)
    throw error
  }
}

/** What opening a project takes, for commands that ask the platform. */
export function openOptions(
  options: Pick<SharedOptions, 'project' | 'target' | 'var' | 'concurrency' | 'baseUrl' | 'authUrl'>,
): OpenOptions {
  const { project, target, var: variables, concurrency } = options
  const addresses = addressesOf(options)
  return {
    project,
    target,
    variables,
    concurrency,
    addresses,
    cwd: cwd(),
    env,
    kinds,
    needCredentials: true,
    nowMs: Date.now(),
  }
}

/** Credentials that are missing are among the problems of the project file: those say where. */
export function connectUnlessBroken(
  opened: Pick<ReadProject, 'project' | 'problems' | 'sources'>,
  options: SharedOptions,
  console: Console,
  kill: AbortSignal | undefined,
): PlatformClient {
  noteProject(opened.project.file, options, console)
  const settings: ConnectOptions = {
    version,
    env,
    signal: kill,
    caFile: options.caFile,
    onEvent: (event) => noteClientEvent(event, console, options.verbose ?? false),
  }
  try {
    return connect(opened.project, settings)
  } catch (error) {
    if (!hasErrors(opened.problems)) throw error
    throw new ShownError(opened.problems, opened, console.errorForm)
  }
}

export interface Planned extends PlanRun {
  readonly client: PlatformClient
}

/** Opens a connection and plans. Problems of the manifests are shown with their frames before the error goes on. */
export async function planForCommand(
  project: ReadProject,
  options: SharedOptions,
  console: Console,
  { kill, ...more }: { readonly kill?: AbortSignal } & Pick<PlanRunOptions, 'applies' | 'unmanaged'> = {},
): Promise<Planned> {
  const opened = await withPolicies(project, kinds)
  const allow = allowancesOf(options, opened)
  const client = connectUnlessBroken(opened, options, console, kill)
  const { only } = options
  return runWith(opened, client, console, (onProgress) =>
    planRun(opened, client, { kinds, only, allow, version, createdAt: new Date().toISOString(), onProgress, ...more }),
  )
}

/** What the command lets guards and policies pass. */
export function allowancesOf({ allow }: SharedOptions, opened: ReadProject): readonly Allowance[] {
  return allow.map((text) => parseAllowance(text, policyGuards(opened)))
}

/** Shows progress, and problems with their frames; on an error the connection is given up. */
export async function runWith<T extends PlanRun>(
  opened: Pick<ReadProject, 'project' | 'sources'>,
  client: PlatformClient,
  console: Console,
  run: (onProgress: (count: number) => void) => Promise<T>,
): Promise<T & { readonly client: PlatformClient }> {
  let objects = 0
  const { name, baseUrl } = opened.project.target
  try {
    const result = await run((count) => {
      objects += count
      console.progress(neutralise(`Reading ${name} · ${baseUrl}: ${formatCount(objects, 'object')}`))
    })
    console.progress('')
    // Not spread: that would put a plan into words that nobody may ask for.
    return Object.assign(result, { client })
  } catch (error) {
    console.progress('')
    await client.close()
    if (error instanceof AuthorError) throw new ShownError(error.problems, opened, console.errorForm)
    throw error
  }
}
