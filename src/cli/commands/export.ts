// `svcsync export`: what is live, as manifests.
import { dirname, join, relative, resolve } from 'node:path'
import { cwd, env, stderr } from 'node:process'
import { foldSvcId } from '../../core/address.ts'
import type { Exported } from '../../export/index.ts'
import { kinds } from '../../kinds/index.ts'
import type { PlatformClient } from '../../platform/index.ts'
import type { Project } from '../../project/index.ts'
import { neutralise } from '../../render/neutralise.ts'
import { connect } from '../../runs/connect.ts'
import { type ExportedProject, exportRun } from '../../runs/export-run.ts'
import { UnusableProject } from '../../runs/open-project.ts'
import { openTarget } from '../../runs/open-target.ts'
import { refuseExisting, writeFiles } from '../../runs/write-new-files.ts'
import { type Console, openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { problemsText, ShownError } from '../problems-text.ts'
import { leftOutText } from '../render-left-out.ts'
import { version } from '../version.ts'

export interface ExportOptions {
  readonly project?: string
  readonly target?: string
  readonly only: readonly string[]
  readonly complete?: boolean
  readonly force?: boolean
  readonly concurrency?: number
  readonly caFile?: string
  readonly color: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

export async function exportCommand(folder: string | undefined, options: ExportOptions): Promise<number> {
  const console = openConsole(options)
  const { project, warnings } = projectOf(options, console)
  if (warnings !== '') console.rendered(warnings)
  const dir = folder === undefined ? undefined : resolve(folder)
  // Without a folder the stream mostly goes into a file of the manifests' folder.
  const schemaFor = (file: string): string =>
    schemaPath(dir === undefined ? join(project.dir, 'manifests') : dirname(join(dir, file)), project.dir)
  const exported = await runExport(project, { ...options, schemaFor }, console)
  if (dir === undefined) {
    const stream = exported.files.map(({ text }) => text).join('---\n')
    if (stream !== '') await console.result(stream)
  } else {
    if (options.force !== true) refuseExisting(dir, exported.files)
    writeFiles(dir, exported.files, options.force === true)
    await console.result(writtenText(exported))
  }
  return sayLeftOut(exported, console)
}

export interface RunExportOptions extends Pick<ExportOptions, 'only' | 'complete' | 'caFile' | 'verbose'> {
  schemaFor(file: string): string
}

/** Connects, reads, and says how far it is. */
export async function runExport(
  project: ExportedProject,
  options: RunExportOptions,
  console: Console,
): Promise<Exported> {
  const { target } = project
  const client: PlatformClient = connect(project, {
    version,
    env,
    caFile: options.caFile,
    onEvent: (event) => {
      if (options.verbose && event.kind === 'retry') {
        console.note(`${event.method} ${event.path}: again in ${event.delayMs} ms (${event.reason.code})`)
      }
    },
  })
  let objects = 0
  try {
    return await exportRun(project, client, {
      kinds,
      fold: (svcId) => foldSvcId(svcId, target.svcIds === 'case-sensitive'),
      only: options.only,
      complete: options.complete === true,
      schemaFor: options.schemaFor,
      onProgress: (count) => {
        objects += count
        console.progress(neutralise(`Reading ${target.name}: ${objects} objects`))
      },
    })
  } finally {
    console.progress('')
    await client.close()
  }
}

/** What is live and not told is no success. */
export function sayLeftOut({ leftOut, objects }: Exported, console: Console): number {
  if (leftOut.length > 0) stderr.write(leftOutText(leftOut))
  console.note(
    `${objects} ${objects === 1 ? 'object' : 'objects'} exported${leftOut.length > 0 ? `, ${leftOut.length} left out` : ''}.`,
  )
  return leftOut.length > 0 ? exitCodes.error : exitCodes.done
}

/** The schema of manifests where a project finds it that has svcsync installed. */
export function schemaPath(fromDir: string, projectDir: string): string {
  const path = relative(fromDir, join(projectDir, 'node_modules/svcsync/schemas/manifest.schema.json'))
  return path.replaceAll('\\', '/')
}

export function writtenText({ files }: Pick<Exported, 'files'>): string {
  return [...files.map(({ file }) => `written  ${neutralise(file)}`), `${files.length} files written.`].join('\n')
}

function projectOf(options: ExportOptions, console: Console): { readonly project: Project; readonly warnings: string } {
  try {
    const { project, problems, sources } = openTarget({ ...options, cwd: cwd(), env, kinds })
    const warnings = problems.length === 0 ? '' : problemsText(problems, { sources }, console.errorForm)
    return { project, warnings }
  } catch (error) {
    if (error instanceof UnusableProject) {
      throw new ShownError(error.problems, error, console.errorForm)
    }
    throw error
  }
}
