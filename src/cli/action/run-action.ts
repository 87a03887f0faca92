// The action for GitHub: runs svcsync for each target, and shows what came out where a reviewer looks.
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { Env } from '@svcsync/platform/agents.ts'
import { rebaseProblems } from '@svcsync/render/problems/problem-places.ts'
import { formatTargets } from '@svcsync/render/problems/problem-sentences.ts'
import { renderFirstGithub } from '@svcsync/render/problems/render-problems-for-services.ts'
import { cutList, joinBlocks, prose } from '@svcsync/render/text/markdown.ts'
import { exitCodes } from '../program/exit-codes.ts'
import { eventOfJob, knownEventNames, originOf, readInputs } from './inputs.ts'

type Inputs = ReturnType<typeof readInputs>

/** Runs svcsync. Its stdout is given where it is `taken`, and shown in the log otherwise. */
type RunSvcsync = (
  args: readonly string[],
  options?: { readonly taken?: boolean; readonly env?: Readonly<Record<string, string>> },
) => Promise<{ readonly code: number; readonly stdout: string }>

interface TargetRun {
  readonly target: string
  readonly file: string | undefined
  readonly problems: readonly Problem[]
  readonly code: number
}

const summaryKb = 1000

const mostReasons = 100

type Print = (text: string) => void

/** `place`: the working folder as seen from the repository that holds it. Gives the exit code. */
export async function runAction(env: Env, place: string, svcsync: RunSvcsync, print: Print): Promise<number> {
  try {
    return await runForTargets(env, place, svcsync, print)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { code, message, hint } = error
    print(renderFirstGithub([{ code, severity: 'error', message, hint }], 'the log'))
    return exitCodes.error
  }
}

interface Job {
  readonly env: Env
  readonly inputs: Inputs
  readonly folder: string
  readonly outputs: Outputs
  readonly svcsync: RunSvcsync
}

function openJob(env: Env, svcsync: RunSvcsync): Job {
  const inputs = readInputs(env)
  const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), 'svcsync-'))
  const outputs = openOutputs(env)
  outputs.set('folder', folder)
  return { env, inputs, folder, outputs, svcsync }
}

async function runForTargets(env: Env, place: string, svcsync: RunSvcsync, print: Print): Promise<number> {
  const job = openJob(env, svcsync)
  const { inputs } = job
  const checked = await validateFirst(job, print)
  if (checked !== undefined) return checked
  const results: TargetRun[] = []
  for (const target of inputs.targets.length > 0 ? inputs.targets : ['']) {
    const result = await runFor(target, job)
    results.push(result)
    if (result.code === exitCodes.interrupted) break
  }
  const problems = results.flatMap((result) => result.problems)
  if (problems.length > 0) print(renderFirstGithub(rebaseProblems(problems, place), 'the log'))
  const isShown = await publishResults(results, job)
  const code = exitCodeOf(results, inputs)
  return code === exitCodes.done && !isShown ? exitCodes.error : code
}

/** The exit code if the job ends with the validation; undefined: it continues. */
async function validateFirst(job: Job, print: Print): Promise<number | undefined> {
  const { env, inputs, outputs, svcsync } = job
  const origin = originOf(env, eventOfJob(env))
  const isStranger = origin !== 'own'
  const isAll = isStranger || inputs.command === 'validate'
  if (!isAll && inputs.command !== 'plan') return undefined
  const { code, stdout } = await svcsync(['validate', '--format=github', ...projectOf(inputs)], {
    taken: true,
    // The variable would choose one of the targets.
    env: { SVCSYNC_TARGET: '' },
  })
  const isSound = code === exitCodes.done
  // A plan has the warnings of its target, too, behind what is more serious: a step shows ten.
  if (isAll || !isSound) print(stdout)
  if (isStranger) outputs.summarise(foreignFilesNote(origin, code))
  if (!isSound) {
    outputs.summarise(`### svcsync: the files have problems\n\nSee their lines, and the log.\n`)
    if (!isStranger) await markOutdated(job)
  }
  if (origin === 'unknown' && inputs.command !== 'validate' && isSound) throw unknownEvent(env)
  return isAll || !isSound ? code : undefined
}

async function runFor(target: string, { inputs, folder, svcsync }: Job): Promise<TargetRun> {
  const { command, args, allow } = inputs
  const file = join(folder, `${nameOf(command, target)}.json`)
  // A saved plan is one with all that it takes to apply it.
  const saves = command === 'plan' && !args.includes('--due')
  const given = [
    ...projectOf(inputs),
    ...(target === '' ? [] : [`--target=${target}`]),
    ...allow.map((each) => `--allow=${each}`),
    ...(saves ? [`--out=${file}`] : []),
  ]
  const { code, stdout } = await svcsync([command, ...args, ...given, '--format=json'], { taken: true })
  if (!saves) writeFileSync(file, stdout)
  const isResult = readResult(file) !== undefined
  return { target, code, file: isResult ? file : undefined, problems: isResult ? [] : readProblems(stdout) }
}

function readProblems(stdout: string): readonly Problem[] {
  try {
    const { problems = [] } = JSON.parse(stdout) as { readonly problems?: readonly Problem[] }
    return problems
  } catch {
    return []
  }
}

const nameOf = (command: string, target: string): string =>
  target === '' ? command : `${command}-${encodeURIComponent(target).slice(0, 100)}`

const projectOf = ({ project }: Pick<Inputs, 'project'>): readonly string[] =>
  project === undefined ? [] : [`--project=${project}`]

interface ReadResult {
  readonly digest?: string
  readonly counts: Readonly<Record<string, number>>
  readonly changes?: readonly unknown[]
  readonly outcome?: string
  readonly accessDrift?: { readonly undeclared: number }
  readonly steps: readonly unknown[]
}

/** Undefined: the file contains problems instead of a result. */
function readResult(file: string): ReadResult | undefined {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8')) as Partial<ReadResult>
    // Problems are counted, too.
    return typeof result.counts === 'object' && Array.isArray(result.steps) ? (result as ReadResult) : undefined
  } catch {
    return undefined
  }
}

/** False: the check could not be written. */
async function publishResults(results: readonly TargetRun[], job: Job): Promise<boolean> {
  const { env, inputs, folder, outputs, svcsync } = job
  const { command, check, html, token } = inputs
  const files = results.flatMap(({ file }) => file ?? [])
  const failed = results.filter(({ file }) => file === undefined)
  if (failed.length > 0) {
    const targets = failed.map(({ target }) => target)
    const where = targets.includes('') ? '' : ` ${formatTargets(targets)}`
    const all = failed.flatMap(({ problems }) =>
      problems.map(({ code, message }) => `- ${prose(`${code} ${message}`)}`),
    )
    const reasons = [...new Set(all)]
    const what = ['The log has the errors.']
    outputs.summarise(joinBlocks([[`### svcsync: no ${command}${where}`], cutList(reasons, mostReasons), what]))
  }
  if (files.length === 0) {
    await markOutdated(job)
    return true
  }
  const read = results.map(({ target, file }) => ({
    target,
    result: file === undefined ? undefined : readResult(file),
  }))
  const perTarget = <Value>(take: (result: ReadResult) => Value, single: (value: Value) => string): string => {
    const [only, ...others] = read
    if (others.length === 0) return only?.result === undefined ? '' : single(take(only.result))
    return JSON.stringify(Object.fromEntries(read.map(({ target, result }) => [target, result && take(result)])))
  }
  const hasChanges = read.some(({ result }) => {
    const found = [result?.changes?.length, result?.counts.done, result?.accessDrift?.undeclared]
    return found.some((count = 0) => count > 0)
  })
  outputs.set('has-changes', String(hasChanges))
  outputs.set(
    'digest',
    perTarget(({ digest = '' }) => digest, String),
  )
  outputs.set(
    'counts',
    perTarget(({ counts }) => counts, JSON.stringify),
  )
  const run = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}#artifacts`
  const link = html && env.GITHUB_RUN_ID ? [`--page-url=${run}`] : []
  await svcsync(['report', ...files, '--format=github'])
  // After a refused apply there is only the plan, which is no verdict about anything applied.
  const isRefused =
    command === 'apply' && read.some(({ result }) => result !== undefined && result.outcome === undefined)
  if (isRefused)
    outputs.summarise('### svcsync: nothing was applied\n\nThe log says why. This is the plan as it is now.\n')
  const posts = comments(job) && !isRefused
  const checks = check && !isRefused
  const sent = [...(posts ? ['--to=github'] : []), ...(checks ? ['--check'] : [])]
  const { code, stdout } = await svcsync(['report', ...files, ...link, `--max-kb=${summaryKb}`, ...sent], {
    taken: true,
    env: sent.length > 0 ? { GITHUB_TOKEN: token } : {},
  })
  outputs.summarise(stdout)
  const targets = results.map(({ target }) => target).join('+')
  const report = join(folder, `${nameOf(command, targets)}.${html ? 'html' : 'md'}`)
  writeFileSync(report, html ? (await svcsync(['report', ...files, '--format=html'], { taken: true })).stdout : stdout)
  outputs.set('report', report)
  return !checks || code === exitCodes.done
}

/** A comment of an earlier commit says that it is one. */
async function markOutdated(job: Job): Promise<void> {
  if (comments(job)) await job.svcsync(['report', '--to=github'], { env: { GITHUB_TOKEN: job.inputs.token } })
}

const comments = ({ inputs, env }: Job): boolean =>
  inputs.comment && (eventOfJob(env) as { readonly pull_request?: unknown } | undefined)?.pull_request !== undefined

/** Differences are no failure on a pull request; in drift they are. The reviewer decides about a plan with gaps. */
function exitCodeOf(results: readonly TargetRun[], { command }: Inputs): number {
  const failed = results.filter(({ code }) => code !== exitCodes.done)
  const codes = failed.map(({ code }) => code)
  if (command === 'plan') {
    const isPlan = ({ code, file }: TargetRun): boolean => code === exitCodes.error && file !== undefined
    return failed.find((each) => each.code !== exitCodes.differences && !isPlan(each))?.code ?? exitCodes.done
  }
  return codes.find((code) => code !== exitCodes.differences) ?? codes[0] ?? exitCodes.done
}

function foreignFilesNote(origin: 'fork' | 'unknown', code: number): string {
  const [title, why, then] =
    origin === 'fork'
      ? [
          'a pull request of a fork',
          'It gets no credentials',
          ' To see their changes, somebody with write access must adopt them.',
        ]
      : ['an event that gets no credentials', 'Nothing tells whose files these are', '']
  return [
    `### svcsync: ${title}`,
    '',
    `${why}, so nothing was planned: the files were validated, and nothing else.`,
    code === exitCodes.done ? `They have no problems.${then}\n` : '\n',
  ].join('\n')
}

/** A job that was to plan or apply, and did neither, is no success. */
function unknownEvent({ GITHUB_EVENT_NAME = '' }: Env): OperatorError {
  const event = GITHUB_EVENT_NAME === '' ? 'This event' : `The event \`${GITHUB_EVENT_NAME}\``
  const message = `${event} gets no credentials, or GITHUB_EVENT_PATH cannot be read: the files were only validated`
  return new OperatorError('SVC2816', message, { hint: `Run the action for one of these events: ${knownEventNames}.` })
}

interface Outputs {
  set(name: string, value: string): void
  summarise(markdown: string): void
}

function openOutputs({ GITHUB_OUTPUT, GITHUB_STEP_SUMMARY }: Env): Outputs {
  return {
    set: (name, value) => {
      if (!GITHUB_OUTPUT) return
      // Nothing in the value can be taken for its end.
      let end = 'end'
      while (value.split('\n').includes(end)) end += '.'
      appendFileSync(GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`)
    },
    summarise: (markdown) => {
      if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, `${markdown.trimEnd()}\n\n`)
    },
  }
}
