// `svcsync import`: brings a package of configuration to the platform, and says how it ended.
import { appendFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { cwd } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { isReplaced, putInPlace } from '@svcsync/files/write-atomically.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { endpointOf } from '@svcsync/platform/endpoints.ts'
import type { Project } from '@svcsync/project/project.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise, safeJson } from '@svcsync/render/text/neutralise.ts'
import { readImportConfig, resolveImportConfig } from '@svcsync/runs/import/import-config.ts'
import { importConfigText } from '@svcsync/runs/import/import-config-text.ts'
import { importRun, requirePackage } from '@svcsync/runs/import/import-run.ts'
import { checkProject, hasErrors } from '@svcsync/runs/open/open-project.ts'
import { checkInstallation, installationNeeds } from '@svcsync/runs/plan/check-installation.ts'
import { writeNewFiles } from '@svcsync/scaffold/write-new-files.ts'
import { confirmWrite } from '../../planning/ask-to-apply.ts'
import { connectForCommand, readForCommand, targetForCommand } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { type ExitCode, exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { takeInterrupts } from '../../terminal/interrupts.ts'
import { noteProject } from '../../terminal/notes.ts'
import { reportError } from '../../terminal/report-error.ts'
import type { importing } from '../platform.ts'

type ImportReport = Awaited<ReturnType<typeof importRun>>

type ImportOptions = Values<typeof importing>

const megabyte = 1024 * 1024
const usualTimeoutMs = 3_600_000
const ofPlan = { format: 'text', only: [], allow: [], var: {}, rotate: [] } as const
const mostLines = 200
const longestLine = 2_000

const ends: Readonly<
  Record<
    ImportReport['outcome'],
    readonly [exitCode: ExitCode<'done' | 'partial' | 'notConverged' | 'interrupted'>, sentence: string]
  >
> = {
  completed: [exitCodes.done, 'The import is done.'],
  'completed-with-errors': [exitCodes.partial, 'The import is done in part: the platform reports errors, see its log.'],
  failed: [exitCodes.partial, 'The import failed: the platform reports an error, see its log.'],
  unknown: [exitCodes.notConverged, 'svcsync does not know how the import ended.'],
  interrupted: [exitCodes.interrupted, 'Interrupted before the import started: nothing was imported.'],
}

export async function importCommand(
  options: ImportOptions,
  console: Console,
  { file }: { readonly file?: string | undefined },
) {
  const { config, init } = options
  if (init !== undefined) return writeConfig(init, { ...options, file }, console)
  if (file === undefined || config === undefined)
    throw refused(
      `\`import\` needs ${file === undefined ? 'a package' : '`--config FILE`'}`,
      'Write `svcsync import PACKAGE --config FILE`. `svcsync import --init FILE` writes a configuration.',
    )
  return importPackage(file, { ...options, config }, console)
}

/** Only a new file: an existing one may hold somebody's choices. */
async function writeConfig(
  init: string,
  options: ImportOptions & { readonly file: string | undefined },
  console: Console,
) {
  const others = (['file', 'config', 'session', 'logs', 'check', 'then', 'before'] as const).filter(
    (key) => options[key] !== undefined && options[key] !== false,
  )
  if (others.length > 0)
    throw refused('`--init` writes a configuration, and imports nothing', 'Leave out the package and its options.')
  const { project } = targetForCommand(options)
  const path = resolve(init)
  const text = importConfigText(Object.keys(project.target.databases))
  await writeNewFiles(dirname(path), [{ file: basename(path), text }], { existing: 'refuse', code: 'SVC2031' })
  await console.result(`written  ${init}`)
  return exitCodes.done
}

async function importPackage(file: string, options: ImportOptions & { readonly config: string }, console: Console) {
  if (options.then !== undefined && options.format === 'json')
    throw refused(
      '`--then` and `--format json` exclude each other: JSON is one result',
      'Run `svcsync plan --format json` after the import.',
    )
  const { project } = targetForCommand(options)
  if (project.target.apiVersion === '5.0')
    throw refused('API 5.0 has no imports', 'The target says `apiVersion: "5.0"`.')
  noteProject(project.file, options, console)
  // Mistakes in the manifests must be reported before the import, not after it.
  if (options.then !== undefined) requireValidProject(options)
  if (options.logs !== undefined) requireLogFile(options.logs, [file, options.config, options.before, project.file])
  const before = await planBefore(options, project.target)
  requirePackage(resolve(file), file)
  const config = readImportConfig(resolve(options.config), cwd(), project.target.databases)
  const kill = new AbortController()
  const client = connectForCommand(project, options, console, kill.signal)
  try {
    const configuration = await checkImport(config, client, project)
    const { name: database, dbId } = config.database as NonNullable<typeof config.database>
    if (options.check) {
      console.note(`The configuration is valid. It would go to ${project.target.name}, database ${database}.`)
      return exitCodes.done
    }
    const what = `Import ${neutralise(file)} into the database ${neutralise(database)} of`
    await confirmWrite({ act: 'import', what, first: 'Check it with --check, then' }, project.target, options, console)
    await client.authorise([
      { anyOf: endpointOf('POST', '/db/1/importsessions')?.scopes ?? [], ask: 'first' },
      ...installationNeeds(project),
    ])
    await checkInstallation(project, client, { applies: true })
    const report = await run(file, { ...options, dbId, configuration }, client, console, () => kill.abort())
    await console.result(
      options.format === 'json'
        ? safeJson({ target: project.target.name, database, file, ...report })
        : textOf(file, report),
    )
    const [exitCode] = ends[report.outcome]
    const isOver = exitCode === exitCodes.done || exitCode === exitCodes.partial
    if (options.then === undefined || !isOver) return exitCode
    const later = await runAfterImport(options.then, options, before, console)
    // The hint of a refusal to run again means the apply.
    if (later === exitCodes.refused)
      console.note('The package is imported. Continue with `svcsync apply`, not with the import.')
    return later > exitCode ? later : exitCode
  } finally {
    await client.close()
  }
}

async function planBefore({ before, then, verbose = false }: ImportOptions, target: Project['target']) {
  if (before === undefined) return undefined
  if (then === 'plan') return (await import('./before-import.ts')).readPlanBefore(before, target, verbose)
  throw refused('`--before` needs `--then plan`', 'Add `--then plan`.')
}

function requireValidProject(options: ImportOptions): void {
  const read = readForCommand({ ...options, ...ofPlan }, options.then === 'apply')
  const { problems, sources } = checkProject(read)
  if (hasErrors(problems)) throw new UnusableFiles(problems, sources)
}

async function checkImport(config: ReturnType<typeof readImportConfig>, client: PlatformClient, project: Project) {
  const isRead = config.problems.length === 0
  const found = await resolveImportConfig(config, client, project).catch((error) => {
    if (isRead) throw error
    // Mistakes are reported whatever the platform says about names.
    return undefined
  })
  if (found !== undefined) return found
  const sources = new Map(config.source === undefined ? [] : [[config.source.file, config.source]])
  throw new UnusableFiles(config.problems, sources)
}

async function run(
  file: string,
  options: ImportOptions & Pick<Parameters<typeof importRun>[1], 'dbId' | 'configuration'>,
  client: PlatformClient,
  console: Console,
  kill: () => void,
): Promise<ImportReport> {
  const { chunkSize, timeout = usualTimeoutMs, logs, session, dbId, configuration } = options
  const late: OperatorError[] = []
  // As it comes, so that what ends this early leaves what came until then.
  let put = replaceFile
  const keep = (text: string): void => {
    const problem = logs === undefined || late.length > 0 ? undefined : tryWrite(logs, (path) => put(path, text))
    if (problem !== undefined) late.push(problem)
    put = appendFileSync
  }
  const interrupts = takeInterrupts(
    () =>
      console.question(
        'Interrupted: svcsync sends nothing more. The platform completes what it began. Interrupt again to stop now.\n',
      ),
    kill,
  )
  const startedMs = Date.now()
  const tail = createTail(logs)
  try {
    return await importRun(client, {
      ...{ file: resolve(file), shown: file, dbId, configuration, session },
      ...{ chunkSize: chunkSize * megabyte, timeoutMs: timeout },
      onEvent(event) {
        if (event.type === 'session') {
          console.note(`The session is ${event.id}: if this ends early, continue with \`--session ${event.id}\`.`)
        } else if (event.type === 'sent') {
          const seconds = (Date.now() - startedMs) / 1000
          const rate = seconds > 0 ? `, ${formatSize(event.bytes / seconds)}/s` : ''
          console.progress(() => `Sending: ${formatSize(event.bytes)} of ${formatSize(event.total)}${rate}`)
        } else if (event.type === 'started') console.note('All is sent. The platform imports it.')
        else if (event.type === 'unread') console.note(`svcsync could not read the progress: ${event.why}`)
        else if (event.type === 'logs') {
          keep(event.text)
          tail.add(event.text)
        } else {
          const text = tail.take()
          if (text !== '') console.note(text)
        }
      },
      pause: (ms) => delay(ms, undefined, { signal: interrupts.stop }).catch(() => undefined),
      nowMs: Date.now,
      stop: interrupts.stop,
    })
  } finally {
    interrupts.release()
    console.endProgress()
    // The outcome appears even if the file cannot be kept.
    keep('')
    for (const { message } of late) console.note(`warning SVC2188  ${message}`)
  }
}

const replaceFile = (path: string, text: string): void => putInPlace(path, text, 0o644)

const refused = (message: string, hint: string): OperatorError => new OperatorError('SVC2188', message, { hint })

/** Before anything is sent: that it can be written, and that it is none of what is read, which it would replace. */
function requireLogFile(logs: string, inputs: readonly (string | undefined)[]): void {
  const unlogged = tryWrite(logs, isReplaced)
  if (unlogged !== undefined) throw unlogged
  const identify = (file: string) => {
    const there = statSync(resolve(file), { bigint: true, throwIfNoEntry: false })
    return there && `${there.dev} ${there.ino}`
  }
  const own = identify(logs)
  const same = inputs.find((file) => file !== undefined && own !== undefined && identify(file) === own)
  // A file with such an extension may be a manifest, and is no log.
  const isForeign = own !== undefined && /\.(?:ya?ml|json)$/i.test(logs)
  if (same === undefined && !isForeign) return
  const what = same === undefined ? `\`${logs}\`, which is no log` : `\`${same}\`, which this run reads`
  throw refused(`The log would replace ${what}`, 'Nothing was sent. Name another file after `--logs`.')
}

function tryWrite(file: string, put: (path: string) => unknown): OperatorError | undefined {
  try {
    put(resolve(file))
    return undefined
  } catch (error) {
    const why = whyUnwritable(String((error as NodeJS.ErrnoException).code))
    return refused(`The log cannot be written to \`${file}\`: ${why}`, 'Name a file in an existing folder.')
  }
}

/** The end of a log: of fifty megabytes, a million lines are counted, and not held. */
function createTail(file: string | undefined) {
  let [before, lines] = [0, [{ text: '', length: 0 }]]
  return {
    add(text: string): void {
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) lines.push({ text: '', length: 0 })
        const line = lines.at(-1) as (typeof lines)[number]
        line.text += part.slice(0, longestLine - line.text.length)
        line.length += part.length
        // One more, of which nothing may be there yet.
        if (lines.length <= mostLines + 1) continue
        lines.shift()
        before += 1
      }
    },
    take(): string {
      while (lines.at(-1)?.text.trim() === '') lines.pop()
      if (lines.length > mostLines) before += lines.splice(0, 1).length
      const where = file === undefined ? '`--logs FILE` keeps all' : `${file} has all`
      const shown = lines.map(({ text, length }) =>
        length <= longestLine ? text.replace(/\r$/, '') : `${text}… (${formatCount(length, 'character')})`,
      )
      const result = before === 0 ? shown : [`(${formatCount(before, 'line')} before; ${where})`, ...shown]
      ;[before, lines] = [0, [{ text: '', length: 0 }]]
      return result.join('\n')
    },
  }
}

function textOf(file: string, report: ImportReport): string {
  const { outcome, session, bytes, bytesSent, chunks, bytesPerSecond, sha256, durationMs } = report
  const rate = bytesPerSecond === null ? '' : `, ${formatSize(bytesPerSecond)}/s`
  // This file tells nothing about the contents of an earlier session.
  const isUnsent = sha256 === '' && outcome !== 'interrupted'
  const isOpen = outcome === 'unknown' || outcome === 'interrupted'
  return [
    ends[outcome][1],
    `  file     ${neutralise(file)}, ${formatSize(bytes)} in ` +
      `${formatCount(chunks, 'chunk')}${rate}${isUnsent ? ': not sent, the session had been started before' : ''}`,
    ...(sha256 === '' ? [] : [`  sha256   ${sha256}${bytesSent < bytes ? ': of the file as it is now' : ''}`]),
    ...(sha256 === '' || bytesSent === bytes ? [] : [`  before   ${formatSize(bytes - bytesSent)} were there already`]),
    `  session  ${neutralise(session)}${isOpen ? ': look again, or go on, with `--session`' : ''}`,
    `  took     ${(durationMs / 1000).toFixed(1)} s`,
  ].join('\n')
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return formatCount(bytes, 'byte')
  if (bytes < megabyte) return `${(bytes / 1024).toFixed(1)} kB`
  return `${(bytes / megabyte).toFixed(bytes < 10 * megabyte ? 1 : 0)} MB`
}

/** An import overwrites what manifests declare. The code of an error must not say that nothing was imported. */
async function runAfterImport(
  command: 'plan' | 'apply',
  options: ImportOptions,
  before: Awaited<ReturnType<typeof planBefore>>,
  console: Console,
) {
  const shared = { ...options, ...ofPlan, before }
  const run = async (): Promise<ExitCode> => {
    if (command === 'plan') return (await import('../changes/plan.ts')).planCommand(shared, console)
    return (await import('../changes/apply.ts')).applyCommand(shared, console)
  }
  const { verbose = false, color } = options
  const exitCode = await run().catch((error: unknown) => reportError(error, { verbose, color, json: false }))
  if (exitCode === exitCodes.differences) return exitCodes.done
  return exitCode === exitCodes.error ? exitCodes.notConverged : exitCode
}
