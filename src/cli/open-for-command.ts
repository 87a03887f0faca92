// What commands that work on a project have in common: opening it, connecting, and showing problems.
import { cwd, env } from 'node:process'
import { parseAllowance } from '../core/guards/allowances.ts'
import { AuthorError, type Problem } from '../errors/index.ts'
import { kinds } from '../kinds/index.ts'
import { codeFrame } from '../manifests/index.ts'
import type { PlatformClient } from '../platform/index.ts'
import { renderProblemsText } from '../render/index.ts'
import { type ConnectOptions, connect } from '../runs/connect.ts'
import { hasErrors, type OpenedProject, openProject, UnusableProject } from '../runs/open-project.ts'
import { type PlanRun, planRun } from '../runs/plan-run.ts'
import { policyGuards, withPolicies } from '../runs/with-policies.ts'
import type { Console } from './console.ts'
import { noteClientEvent } from './note-client-event.ts'
import type { SharedOptions } from './shared-options.ts'
import { giveYoungObjectsRoom } from './size-heap.ts'
import { version } from './version.ts'

/** Problems of a project file that cannot be used at all are shown with their frames. */
export function openForCommand(options: SharedOptions, colour: boolean): OpenedProject {
  giveYoungObjectsRoom()
  try {
    return open(options)
  } catch (error) {
    if (error instanceof UnusableProject) throw new ShownError(problemsText(error.problems, error, colour))
    throw error
  }
}

function open(options: SharedOptions): OpenedProject {
  return openProject({
    project: options.project,
    target: options.target,
    variables: options.var,
    concurrency: options.concurrency,
    cwd: cwd(),
    env,
    kinds,
    needCredentials: true,
    nowMs: Date.now(),
  })
}

/** Problems with their code frames, for people. */
export function problemsText(
  problems: readonly Problem[],
  opened: Pick<OpenedProject, 'sources'>,
  colour: boolean,
): string {
  return renderProblemsText(problems, { colour, frame: (problem) => codeFrame(problem, opened.sources) })
}

/** Credentials that are missing are among the problems of the project file: those say where. */
function connectUnlessBroken(opened: OpenedProject, console: Console, options: ConnectOptions): PlatformClient {
  try {
    return connect(opened.project, options)
  } catch (error) {
    if (!hasErrors(opened.problems)) throw error
    throw new ShownError(problemsText(opened.problems, opened, console.colourErrors))
  }
}

export interface Planned extends PlanRun {
  readonly client: PlatformClient
}

/** Opens a connection and plans. Problems of the manifests are shown with their frames before the error goes on. */
export async function planForCommand(
  project: OpenedProject,
  options: SharedOptions,
  console: Console,
  { kill, goesOn = false }: { readonly kill?: AbortSignal; readonly goesOn?: boolean } = {},
): Promise<Planned> {
  const opened = await withPolicies(project, kinds)
  const allow = options.allow.map((text) => parseAllowance(text, policyGuards(opened)))
  const client = connectUnlessBroken(opened, console, {
    version,
    env,
    signal: kill,
    caFile: options.caFile,
    onEvent: (event) => noteClientEvent(event, console, options.verbose ?? false),
  })
  let objects = 0
  try {
    const run = await planRun(opened, client, {
      kinds,
      only: options.only,
      allow,
      version,
      goesOn,
      createdAt: new Date().toISOString(),
      onProgress: (count) => {
        objects += count
        console.progress(`Reading ${opened.project.target.name}: ${objects} objects`)
      },
    })
    console.progress('')
    return { ...run, client }
  } catch (error) {
    console.progress('')
    await client.close()
    if (error instanceof AuthorError) throw new ShownError(problemsText(error.problems, opened, console.colourErrors))
    throw error
  }
}

/** An error whose full text is ready to be shown. */
export class ShownError {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
