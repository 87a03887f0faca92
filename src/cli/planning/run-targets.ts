// One command over several targets: each is the run of one target, with a console, a client and secrets of its own; manifests are parsed
// once. What each printed as JSON is its result.
import process, { cwd, env } from 'node:process'
import { isJsonObject, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { OperatorError, type Problem } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { readTargetOf } from '@svcsync/project/load-project.ts'
import { type ParsedProject, parseProject } from '@svcsync/project/parse-project.ts'
import { inShard, namedTargets, parseShard, selectTargets, shardOfJob } from '@svcsync/project/select-targets.ts'
import { endOfApply, type Reported, renderCombinedMarkdown } from '@svcsync/render/report/combined.ts'
import { verdictAsJson } from '@svcsync/render/report/render-json.ts'
import { renderTargetsText, sayTarget, type TargetEnd } from '@svcsync/render/report/targets-summary.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { projectFile, SharedReads } from '@svcsync/runs/open/open-project.ts'
import { flagOf } from '../program/command.ts'
import { type ExitCode, exitCodes, worstExitCode } from '../program/exit-codes.ts'
import type { Console } from '../terminal/console.ts'
import { takeInterrupts } from '../terminal/interrupts.ts'
import { describeError } from '../terminal/report-error.ts'
import { linkFrom } from './place-links.ts'
import { prepareResults, writeResult } from './target-results.ts'

type TargetChoice = Parameters<typeof selectTargets>[1]

type NamedTarget = ReturnType<typeof namedTargets>[number]

interface HowToRun {
  readonly command: string
  readonly choice: TargetChoice
  readonly parallel: number
  readonly failFast: boolean
  readonly shard: string | undefined
  readonly results: string | undefined
  readonly confirm: readonly string[]
}

interface RunOptions {
  readonly project?: string
  readonly format: string
}

/** What came of one target. */
interface Ended extends TargetEnd {
  readonly problems: readonly Problem[]
  /** As the command printed it; null: it printed none. */
  readonly result: JsonObject | null
  readonly startedAt: string | null
}

/** Gives the gravest exit code. Rejects with an OperatorError before any target is begun. */
export async function runTargets<Options extends object>(
  how: HowToRun,
  given: Options,
  console: Console,
  run: (options: Options, console: Console) => Promise<ExitCode>,
): Promise<ExitCode> {
  const options = given as Options & RunOptions
  refuseForOne(how.command, options)
  const parsed = parseProject(projectFile(options.project, cwd()), { kinds, displayBase: cwd() })
  const all = selectTargets(namedTargets(parsed.root), choiceOf(how.choice, parsed))
  refuseOneAddress(all, parsed)
  const chosen = inShard(all, how.shard === undefined ? shardOfJob(env) : parseShard(how.shard))
  refuseConfirmed(how.confirm, all)
  const results = how.results === undefined ? undefined : prepareResults(how.results, chosen, all)
  const shared = new SharedReads(parsed)
  const interrupts = takeInterrupts()
  // Each run listens for interrupts by itself.
  process.setMaxListeners(process.getMaxListeners() + how.parallel)
  const ends = new Map<string, Ended>()
  const waiting = [...chosen]
  const goesOn = (): boolean =>
    !interrupts.stop.aborted && !(how.failFast && [...ends.values()].some(({ exitCode }) => isFailure(exitCode)))
  const work = async (): Promise<void> => {
    while (goesOn()) {
      const target = waiting.shift()
      if (target === undefined) return
      const confirm = how.confirm.includes(target.name) ? target.name : undefined
      const one = { ...options, target: target.name, confirm, format: 'json', summary: undefined, shared }
      const end = await runOne(how.command, target, one, run, console)
      if (results !== undefined) writeResult(results, { command: how.command, ...end })
      // Of three hundred targets, text shows a line each: what they planned need not be kept.
      ends.set(target.name, options.format === 'text' ? { ...end, result: null } : end)
      console.note(sayTarget(end))
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(how.parallel, chosen.length) }, work))
  } finally {
    interrupts.release()
    process.setMaxListeners(process.getMaxListeners() - how.parallel)
  }
  const ended = chosen.map(({ name }) => ends.get(name) ?? notBegun(name))
  await console.result(await resultAs(options, how.command, ended, console))
  const codes = ended.flatMap(({ exitCode }) => exitCode ?? [])
  return worstExitCode(interrupts.stop.aborted ? [...codes, exitCodes.interrupted] : codes)
}

function isFailure(code: number | null): boolean {
  return code !== null && code !== exitCodes.done && code !== exitCodes.differences
}

async function runOne<Options extends object>(
  command: string,
  { name }: NamedTarget,
  options: Options,
  run: (options: Options, console: Console) => Promise<ExitCode>,
  console: Console,
): Promise<Ended> {
  const own = consoleOf(name, console)
  const startedMs = Date.now()
  let exitCode: ExitCode
  let problems: readonly Problem[] = []
  try {
    exitCode = await run(options, own.console)
  } catch (error) {
    const told = describeError(error, { verbose: false, form: console.errorForm })
    exitCode = told.exitCode
    problems = told.problems
    own.console.rendered(told.text)
  }
  const printed = parseJson(own.printed.at(-1) ?? '')
  // Where there is no result, the problems were printed in its place.
  const result = isJsonObject(printed) && printed.problems === undefined ? printed : null
  const about = { name, exitCode, elapsedMs: Date.now() - startedMs, startedAt: new Date(startedMs).toISOString() }
  return { ...about, problems, result, ...verdictOf(command, result, problems, exitCode) }
}

/** What one target says beside its result goes to stderr, with its name before each line; nobody is asked about one of several. */
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

function verdictOf(
  command: string,
  result: JsonObject | null,
  problems: readonly Problem[],
  exitCode: ExitCode,
): Pick<TargetEnd, 'severity' | 'sentence'> {
  const [problem] = problems
  if (problem !== undefined) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    return { severity: 'danger', sentence: `${problem.code}  ${problem.message}${more}` }
  }
  if (exitCode === exitCodes.interrupted) return { severity: 'danger', sentence: 'interrupted' }
  if (result === null) return { severity: exitCode === exitCodes.done ? 'none' : 'danger', sentence: 'no result' }
  return sayResult(command, result)
}

function notBegun(name: string): Ended {
  const about = { name, exitCode: null, severity: 'notice', sentence: 'not begun', elapsedMs: 0 } as const
  return { ...about, problems: [], result: null, startedAt: null }
}

async function resultAs(
  { format }: RunOptions,
  command: string,
  all: readonly Ended[],
  console: Console,
): Promise<string> {
  if (format === 'json') {
    const targets = all.map(({ sentence, severity, ...each }) => ({ ...each, verdict: { severity, sentence } }))
    return safeJson({ formatVersion: '1.0', command, targets })
  }
  if (format === 'text') return renderTargetsText(command, all, console)
  const reported = all.flatMap(({ result }) => reportedAs(command, result))
  const leftOut = all.filter(({ result }) => reportedAs(command, result).length === 0)
  const why = leftOut.map(({ name, sentence }) => `\`${name}\`: ${sentence}`)
  if (format === 'html') return (await import('./as-page.ts')).combinedPage(reported, why)
  return renderCombinedMarkdown(reported, { leftOut: why, link: linkFrom(env, cwd()) })
}

function reportedAs(command: string, result: JsonObject | null): Reported[] {
  if (result === null) return []
  if (result.outcome !== undefined) return [{ command: 'apply', report: result as never }]
  if (result.changes === undefined) return []
  return [{ command: command === 'drift' ? 'drift' : 'plan', plan: result as never }]
}

/** The one that is meant when nothing is said, as for a run of one. */
function choiceOf(choice: TargetChoice, { root }: ParsedProject): TargetChoice {
  const { names, all, globs, labels } = choice
  if (all || names.length + globs.length + labels.length > 0) return choice
  const usual = env.SVCSYNC_TARGET || root?.target
  return typeof usual === 'string' ? { ...choice, names: [usual] } : choice
}

/** What is said of one installation, or of one plan, is not said of several. */
const ofOne = ['baseUrl', 'authUrl', 'expect', 'approved', 'approvedBy', 'out', 'resume', 'openapi'] as const

function refuseForOne(command: string, options: object): void {
  const given = options as Readonly<Record<string, unknown>>
  const allows = command === 'apply' && Array.isArray(given.allow) && given.allow.length > 0
  const journals = typeof given.journal === 'string' && given.journal !== 'git:'
  const idle = [
    ...ofOne.filter((key) => given[key] !== undefined && String(given[key]) !== ''),
    ...(allows ? ['allow'] : []),
    ...(journals ? ['journal'] : []),
  ]
  if (idle.length === 0) return
  const named = quoted(idle.map((key) => flagOf(key)))
  throw new OperatorError('SVC2322', `${named} ${byCount(idle.length, 'is', 'are')} for a run over one target`, {
    hint: `Nothing was begun. Run that target alone with it${journals ? ', or write `--journal git:`' : ''}.`,
  })
}

/** Two targets of one installation would change it at the same time, or tell of it twice. */
function refuseOneAddress(chosen: readonly NamedTarget[], parsed: ParsedProject): void {
  const known = new Map<string, string>()
  for (const { name } of chosen) {
    const { project } = readTargetOf(parsed, { kinds, env, target: name, displayBase: cwd(), needCredentials: false })
    const baseUrl = project?.target.baseUrl ?? ''
    if (baseUrl === '') continue
    const address = parseUrl(baseUrl)?.href.replace(/\/+$/, '') ?? baseUrl
    const other = known.get(address)
    if (other !== undefined) {
      throw new OperatorError('SVC2321', `The targets \`${other}\` and \`${name}\` have one address: ${baseUrl}`, {
        hint: 'Nothing was begun. Choose one of them.',
      })
    }
    known.set(address, name)
  }
}

function refuseConfirmed(confirm: readonly string[], chosen: readonly NamedTarget[]): void {
  const strange = confirm.find((name) => chosen.every((target) => target.name !== name))
  if (strange === undefined) return
  throw new OperatorError('SVC2152', `\`--confirm\` names \`${strange}\`, which this run is not for`, {
    hint: `Nothing was written. It is for ${quoted(chosen.slice(0, 10).map(({ name }) => name))}.`,
  })
}

/** As the one line of a summary has it. */
function sayResult(command: string, result: JsonObject): Pick<TargetEnd, 'severity' | 'sentence'> {
  if (result.outcome !== undefined) return endOfApply(result as never)
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
  const { severity, sentence } = verdictAsJson(result as never, command === 'drift')
  return { severity, sentence }
}
