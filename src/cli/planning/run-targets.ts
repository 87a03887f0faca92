// Runs a command over several targets: each has its own console, client and secrets; manifests are parsed once.
import process, { cwd, env } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { isJsonObject, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { type Problem, RefusedError } from '@svcsync/errors/index.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { formatWave, type NamedTarget } from '@svcsync/project/select-targets.ts'
import { endOfApply, type RunResult, renderCombinedMarkdown } from '@svcsync/render/report/combined.ts'
import { verdictAsJson } from '@svcsync/render/report/render-json.ts'
import { formatTarget, renderTargetsText, type TargetRecord } from '@svcsync/render/report/targets-summary.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { projectFile, SharedReads } from '@svcsync/runs/open/open-project.ts'
import { type ExitCode, exitCodes, worstExitCode } from '../program/exit-codes.ts'
import type { Console } from '../terminal/console.ts'
import { takeInterrupts } from '../terminal/interrupts.ts'
import { ProblemsOfTargets } from '../terminal/problems-text.ts'
import { describeError } from '../terminal/report-error.ts'
import { linkFrom } from './place-links.ts'
import { parseForCommand, refuseSingleOptions, resolveRun } from './resolve-run.ts'
import { resumeOf, verdictAs, whyLedgerStays, writeResult } from './result-files.ts'

/** Gives the gravest exit code. Rejects with an OperatorError before any target is begun. */
export async function runTargets<Options extends object>(
  how: Parameters<typeof resolveRun>[0] & { readonly parallel: number; readonly failFast: boolean },
  given: Options,
  console: Console,
  run: (options: Options, console: Console) => Promise<ExitCode>,
): Promise<ExitCode> {
  const options = given as Options & { readonly project?: string; readonly format: string }
  const { command, confirm: confirmed } = how
  refuseSingleOptions(command, options)
  const parsed = parseForCommand(projectFile(options.project, cwd()))
  const { chosen, waves, results, done } = resolveRun(how, parsed, options)
  const shared = new SharedReads(parsed)
  const interrupts = takeInterrupts()
  // Each run listens for interrupts by itself.
  process.setMaxListeners(process.getMaxListeners() + how.parallel)
  const ends = new Map<string, TargetRecord>()
  const together = new ProblemsOfTargets()
  /** Targets whose ledger did not move. */
  const staying = new Set<string>()
  const whyNot = (): string | undefined => {
    if (interrupts.stop.aborted) return 'the run was interrupted'
    const failed = how.failFast ? [...ends.values()].find(hasFailed) : undefined
    return failed && `\`${failed.name}\` failed, with \`--fail-fast\``
  }
  const work = async (waiting: NamedTarget[]): Promise<void> => {
    while (whyNot() === undefined) {
      const target = waiting.shift()
      if (target === undefined) return
      const confirm = confirmed.includes(target.name) ? target.name : undefined
      const one = { ...options, target: target.name, confirm, format: 'json', summary: undefined, shared }
      const end = await runOne(command, target, one, run, console, together)
      if (results !== undefined) writeResult(results, command, end)
      if (end.result !== null && whyLedgerStays(end.result) !== undefined) staying.add(target.name)
      // Text shows a line for each of three hundred targets, so their plans need not be kept.
      ends.set(target.name, options.format === 'text' ? { ...end, result: null } : end)
      console.note(formatTarget(end))
    }
  }
  let stopped: string | undefined
  try {
    for (const wave of waves) {
      const waiting = [...wave.targets]
      await Promise.all(Array.from({ length: Math.min(how.parallel, waiting.length) }, () => work(waiting)))
      stopped = whyNot() ?? waveFailure(wave, ends)
      if (stopped !== undefined) break
    }
  } finally {
    interrupts.release()
    process.setMaxListeners(process.getMaxListeners() - how.parallel)
  }
  for (const { name } of chosen.filter((each) => !ends.has(each.name) && !done.has(each.name))) {
    const end = unstartedTarget(name, stopped ?? 'the run ended before')
    if (results !== undefined) writeResult(results, command, end)
    ends.set(name, end)
  }
  for (const text of together.texts(console.errorForm)) console.rendered(text)
  const ended = chosen.map(({ name }) => ends.get(name) ?? finishedTarget(name))
  await console.result(await resultAs(options.format, command, ended, console))
  const left = ended.filter((each) => each.exitCode === null || hasFailed(each) || staying.has(each.name)).length
  if (left > 0 && command === 'apply') console.note(hintToResume(left, results))
  const codes = ended.flatMap(({ exitCode }) => exitCode ?? [])
  return worstExitCode(interrupts.stop.aborted ? [...codes, exitCodes.interrupted] : codes)
}

/** Why the next wave is not begun; undefined: it may be. */
function waveFailure(
  { wave, targets }: TargetsRun['waves'][number],
  ends: ReadonlyMap<string, TargetRecord>,
): string | undefined {
  const failed = targets.filter(({ name }) => hasFailed(ends.get(name))).length
  if (wave === undefined || failed <= wave.failures) return undefined
  return `the wave \`${formatWave(wave)}\` had ${formatCount(failed, 'failure')} and may have ${wave.failures}`
}

function hintToResume(left: number, results: TargetsRun['results']): string {
  const what = `${formatCount(left, 'target')} that ${byCount(left, 'is', 'are')} left`
  if (results === undefined)
    return `hint: Run the apply again. With \`--results DIR\`, \`--resume DIR\` then takes only ${what}.`
  return `hint: \`${resumeOf(results)}\` resumes with ${what}.`
}

function hasFailed(end: Pick<TargetRecord, 'exitCode'> | undefined): boolean {
  const code = end?.exitCode ?? null
  return code !== null && code !== exitCodes.done && code !== exitCodes.differences
}

async function runOne<Options extends object>(
  command: string,
  { name }: NamedTarget,
  options: Options,
  run: (options: Options, console: Console) => Promise<ExitCode>,
  console: Console,
  together: ProblemsOfTargets,
): Promise<TargetRecord> {
  const own = consoleOf(name, console)
  const startedMs = Date.now()
  let exitCode: ExitCode
  let problems: readonly Problem[] = []
  try {
    exitCode = await run(options, own.console)
  } catch (error) {
    const described = describeError(withTargetHint(error, name), { verbose: false, form: console.errorForm })
    exitCode = described.exitCode
    problems = described.problems
    if (error instanceof UnusableFiles) together.add(name, error)
    else own.console.rendered(described.text)
  }
  const printed = parseJson(own.printed.at(-1) ?? '')
  // Without a result, its problems were printed instead.
  const result = isJsonObject(printed) && printed.problems === undefined ? printed : null
  const about = { name, exitCode, elapsedMs: Date.now() - startedMs, startedAt: new Date(startedMs).toISOString() }
  return { ...about, problems, result, ...verdictOf(command, result, problems, exitCode) }
}

/** The options that let a refusal pass are for a run over one target. */
function withTargetHint(error: unknown, name: string): unknown {
  if (!(error instanceof RefusedError) || error.options === undefined) return error
  const { code, message, hint, reasons, options } = error
  return new RefusedError(code, message, { hint, reasons, options: `--target ${shellWord(name)} ${options}` })
}

/** Sends each target's messages to stderr with its name before each line. One of several targets asks no questions. */
function consoleOf(name: string, console: Console): { readonly console: Console; readonly printed: string[] } {
  const printed: string[] = []
  const marked = (text: string): string => text.replace(/\n$/, '').replace(/^/gm, `[${name}] `)
  return {
    printed,
    console: {
      ...console,
      isUnheard: false,
      interactive: false,
      live: false,
      result: async (text) => {
        printed.push(typeof text === 'string' ? text : [...text].join(''))
      },
      clearScreen: () => undefined,
      question: (text) => console.question(`${marked(text)}\n`),
      note: (text) => console.note(marked(text)),
      rendered: (text) => console.rendered(marked(text)),
      progress: () => undefined,
      endProgress: () => undefined,
    },
  }
}

type TargetsRun = ReturnType<typeof resolveRun>
type Verdict = Pick<TargetRecord, 'severity' | 'sentence' | 'isRefused'>

function verdictOf(
  command: string,
  result: JsonObject | null,
  problems: readonly Problem[],
  exitCode: ExitCode,
): Verdict {
  const [problem] = problems
  if (problem !== undefined) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    const sentence = `${problem.code}  ${problem.message}${more}`
    return { severity: 'danger', sentence, isRefused: exitCode === exitCodes.refused }
  }
  if (exitCode === exitCodes.interrupted) return { severity: 'danger', sentence: 'interrupted' }
  if (result === null) return { severity: exitCode === exitCodes.done ? 'none' : 'danger', sentence: 'no result' }
  return resultVerdict(command, result)
}

/** `why`: as part of a sentence. */
function unstartedTarget(name: string, why: string): TargetRecord {
  const about = { name, exitCode: null, severity: 'notice', sentence: `not begun: ${why}`, elapsedMs: 0 } as const
  return { ...about, problems: [], result: null, startedAt: null }
}

/** A finished target of the resumed run does not begin again. */
function finishedTarget(name: string): TargetRecord {
  const about = { name, exitCode: exitCodes.done, severity: 'none', sentence: 'done before', elapsedMs: 0 } as const
  return { ...about, isBefore: true, problems: [], result: null, startedAt: null }
}

async function resultAs(
  format: string,
  command: string,
  all: readonly TargetRecord[],
  console: Console,
): Promise<string> {
  if (format === 'json') {
    const targets = all.map(({ sentence, severity, isRefused, ...each }) => ({
      ...each,
      verdict: verdictAs({ sentence, severity, isRefused }),
    }))
    return safeJson({ formatVersion: '1.0', command, targets })
  }
  if (format === 'text') return renderTargetsText(command, all, console)
  const reported = all.flatMap(({ result }) => resultsOf(command, result))
  const leftOut = all.filter(({ result }) => resultsOf(command, result).length === 0)
  const why = leftOut.map(({ name, sentence }) => `\`${name}\`: ${sentence}`)
  if (format === 'html') return (await import('./as-page.ts')).combinedPage(reported, why)
  return renderCombinedMarkdown(reported, { leftOut: why, link: linkFrom(env, cwd()) })
}

function resultsOf(command: string, result: JsonObject | null): RunResult[] {
  if (result === null) return []
  if (result.outcome !== undefined) return [{ command: 'apply', report: result as never }]
  if (result.changes === undefined) return []
  return [{ command: command === 'drift' ? 'drift' : 'plan', plan: result as never }]
}

function resultVerdict(command: string, result: JsonObject): Verdict {
  if (result.outcome !== undefined) {
    const { severity, sentence } = endOfApply(result as never)
    const reason = whyLedgerStays(result)
    if (reason === undefined || severity !== 'none') return { severity, sentence }
    return { severity: 'notice', sentence: `${sentence.replace(/\.$/, '')}; the ledger stays as it is: ${reason}` }
  }
  if (command === 'doctor') {
    const { result: worst, counts } = result as { result?: string; counts?: Readonly<Record<string, number>> }
    const { problem = 0, warning = 0 } = counts ?? {}
    const sentence = [
      ...(problem > 0 ? [formatCount(problem, 'problem')] : []),
      ...(warning > 0 ? [formatCount(warning, 'warning')] : []),
    ].join(', ')
    return {
      severity: worst === 'ok' ? 'none' : worst === 'warning' ? 'notice' : 'danger',
      sentence: sentence || 'all is well',
    }
  }
  const { severity, sentence, points } = verdictAsJson(result as never, command === 'drift')
  return { severity, sentence, isRefused: points.some(({ kind }) => kind === 'refused') }
}
