// `svcsync export`: what is live, as manifests.
import { dirname, join, relative, resolve } from 'node:path'
import { stderr } from 'node:process'
import type { UnreadPart } from '@svcsync/core/model/live-tree.ts'
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import type { Exported } from '@svcsync/export/export-files.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { findProjectFiles } from '@svcsync/project/find-project.ts'
import type { Project, Target } from '@svcsync/project/project.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { disarmLines, neutralise } from '@svcsync/render/text/neutralise.ts'
import { withCommands } from '@svcsync/render/text/program-name.ts'
import { exportRun, filesOfExport } from '@svcsync/runs/export/export-run.ts'
import { hasErrors, type OpenedProject, openProject } from '@svcsync/runs/open/open-project.ts'
import { exists, refuseExisting, refuseUnwritable, writeNewFiles } from '@svcsync/scaffold/write-new-files.ts'
import { connectForCommand, openOptions, targetForCommand, withProgress } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { contradiction, missingOption } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { writeUnlessInterrupted } from '../../terminal/interrupts.ts'
import { noteProject } from '../../terminal/notes.ts'
import { problemsText } from '../../terminal/problems-text.ts'
import type { exporting } from '../project.ts'

type ExportOptions = Values<typeof exporting>

export async function exportCommand(options: ExportOptions, console: Console, { dir: folder }: { dir?: string }) {
  refuseIdleOptions(options)
  const dir = folder === undefined ? undefined : resolve(folder)
  const opened = options.missing === true ? openWhole(options) : undefined
  const { project, problems, sources } = opened ?? targetForCommand(options)
  noteProject(project.file, options, console)
  // Other mistakes in the manifests do not matter here.
  if (opened === undefined && problems.length > 0) console.rendered(problemsText(problems, sources, console.errorForm))
  if (dir !== undefined) refuseBeforeReading(dir, folder ?? '', project, options)
  // Without a folder the stream mostly goes into a file of the manifests' folder.
  const schemaFor = (file: string): string =>
    schemaPath(dir === undefined ? join(project.dir, 'manifests') : dirname(join(dir, file)), project.dir)
  const isTaken = (file: string): boolean => dir !== undefined && exists(join(dir, file))
  const missing = opened && { opened, isTaken }
  const exported = await runExport(project, { ...options, schemaFor, missing }, console, sources)
  if (dir === undefined) {
    const stream = exported.files.map(({ text }) => text).join('---\n')
    if (stream !== '') await console.result(stream)
  } else {
    const existing = options.force === true ? 'replace' : 'refuse'
    const isWritten = await writeUnlessInterrupted(console, (signal) =>
      writeNewFiles(dir, exported.files, { existing, code: 'SVC2042', signal }),
    )
    if (isWritten === undefined) return exitCodes.interrupted
    const written = exported.files.map(({ file }) => `written  ${neutralise(file)}`)
    await console.result([...written, `${formatCount(written.length, 'file')} written.`].join('\n'))
    if (opened !== undefined) noteUnread(dir, exported, project, console)
  }
  return noteLeftOut(exported, project.target, console)
}

function refuseIdleOptions({ missing, with: also, force, var: variables }: ExportOptions): void {
  if (missing === true && also !== undefined)
    throw contradiction(
      '--with',
      '--missing',
      'Export once without `--missing`: manifests do not declare business entities.',
    )
  if (missing === true && force === true)
    throw contradiction('--force', '--missing', '`--missing` replaces no files: remove `--force`.')
  if (missing !== true && Object.keys(variables).length > 0)
    throw missingOption('--var', '`--missing`', 'Remove it: `export` reads no manifests.')
}

function refuseBeforeReading(
  dir: string,
  shown: string,
  project: Project,
  { force, missing, only }: ExportOptions,
): void {
  refuseUnwritable(dir, shown, 'SVC2042')
  if (force === true || missing === true) return
  refuseExisting(
    dir,
    filesOfExport(project, only).map((file) => ({ file })),
  )
}

interface RunExportOptions extends Pick<ExportOptions, 'only' | 'complete' | 'sparse' | 'with' | 'caFile' | 'verbose'> {
  schemaFor(file: string): string
  readonly missing?: { readonly opened: OpenedProject; isTaken(file: string): boolean } | undefined
}

export async function runExport(
  project: Parameters<typeof exportRun>[0],
  options: RunExportOptions,
  console: Console,
  sources: ReadonlyMap<string, TextSource> = new Map(),
): Promise<Exported> {
  const { only, complete, sparse, with: also, schemaFor, missing } = options
  const client = connectForCommand(project, options, console)
  try {
    return await withProgress({ project, sources }, console, (onProgress) =>
      exportRun(project, client, {
        ...{ only, schemaFor, missing, onProgress },
        extent: complete === true ? 'complete' : sparse === true ? 'sparse' : 'lists',
        entities: also === 'entities',
      }),
    )
  } finally {
    await client.close()
  }
}

/** A project names the folder: it has to be there, with something in it. */
export const manifestsOf = ({ files }: Exported): Exported['files'] =>
  files.length === 0 ? [{ file: 'users.yaml', text: 'users: []\n' }] : files

/** An incomplete export is no success; declared objects, and those to be deleted, are left out on purpose. */
export function noteLeftOut({ leftOut, objects, passed }: Exported, { name, baseUrl }: Target, console: Console) {
  if (leftOut.length > 0) stderr.write(leftOutText(leftOut))
  const pruned = passed.filter(({ why }) => why === 'prune')
  const declared = passed.length - pruned.length
  const parts = [
    `${formatCount(objects, 'object')} exported from ${neutralise(`${name} · ${baseUrl}`)}`,
    ...(declared > 0 ? [`${declared} declared already`] : []),
    ...(leftOut.length > 0 ? [`${countLeftOut(leftOut)} left out`] : []),
  ]
  console.note(`${parts.join(', ')}.`)
  if (pruned.length > 0) {
    const why = 'Not exported, because `prune` of the project file deletes them:'
    console.note([why, ...pruned.map(({ address }) => `  ${address}`)].join('\n'))
  }
  // Objects that the platform tells nobody are no failure.
  return leftOut.some(({ isUntold }) => isUntold !== true) ? exitCodes.error : exitCodes.done
}

export function countLeftOut(leftOut: readonly UnreadPart[]): string {
  const fields = leftOut.filter(({ field }) => field !== undefined).length
  const lists = leftOut.filter(({ field, isList }) => field === undefined && isList === true).length
  const counts = [
    [leftOut.length - fields - lists, 'object'] as const,
    [lists, 'list'] as const,
    [fields, 'field'] as const,
  ]
  return enumerate(counts.flatMap(([count, noun]) => (count > 0 ? [formatCount(count, noun)] : [])))
}

/** Somebody who takes objects over wants plans to see them. */
function noteUnread(dir: string, { files }: Exported, project: Project, console: Console): void {
  const { files: manifests, overrides } = findProjectFiles(project)
  const read = new Set([...manifests, ...overrides])
  if (files.every(({ file }) => read.has(join(dir, file)))) return
  console.note('No plan reads these files yet: add them to `manifests` of the project file.')
}

/** The schema of manifests where a project finds it that has svcsync installed. */
export function schemaPath(fromDir: string, projectDir: string): string {
  const path = relative(fromDir, join(projectDir, 'node_modules/svcsync/schemas/manifest.schema.json'))
  return path.replaceAll('\\', '/')
}

/** With its manifests, which have to be in order: what they declare could not be told otherwise. */
function openWhole(options: ExportOptions): OpenedProject {
  const opened = openProject({ ...openOptions(options), needSecrets: false })
  if (hasErrors(opened.problems)) throw new UnusableFiles(opened.problems, opened.sources)
  return opened
}

export function leftOutText(leftOut: readonly UnreadPart[]): string {
  const lines = leftOut.flatMap(({ address, field, reason, hint, isUntold }) =>
    isUntold
      ? []
      : [
          `  ${neutralise(field === undefined ? address : `${address}  ${field}`)}`,
          `    ${neutralise(reason)}`,
          ...(hint === undefined ? [] : [`    hint: ${neutralise(withCommands(hint))}`]),
        ],
  )
  const untold = leftOut.filter(({ isUntold }) => isUntold).length
  const levels =
    untold === 0
      ? []
      : [
          `  privileges of ${formatCount(untold, 'object')}`,
          '    The platform tells no levels of them. Comments in the files name the accounts.',
        ]
  return disarmLines(`${['Left out:', ...lines, ...levels].join('\n')}\n`)
}
