// `svcsync report`: results of several targets or jobs, which other commands printed as JSON, as one document.
import { resolve } from 'node:path'
import { cwd, env } from 'node:process'
import { isJsonObject, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { misfitOf } from '@svcsync/core/plan/misfit.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { OperatorError, type Problem, RefusedError } from '@svcsync/errors/index.ts'
import { isUnread, largestDocument, readBoundedText } from '@svcsync/files/read-bounded.ts'
import type { ForgeName } from '@svcsync/forge/forge-name.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import {
  checkOf,
  isQuiet as isNothingToDo,
  type RunResult,
  renderCombinedMarkdown,
  reportMarker,
} from '@svcsync/render/report/combined.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import { refuseAltered } from '@svcsync/runs/saved/plan-file.ts'
import { eventOfJob } from '../../action/inputs.ts'
import { linkFrom } from '../../planning/place-links.ts'
import { isPosted } from '../../planning/posting.ts'
import { describeMissingResults, expandFolders, refuseMixed, resultOfTarget } from '../../planning/result-files.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { Console } from '../../terminal/console.ts'
import type { report } from '../review.ts'

export async function reportCommand(
  options: Values<typeof report>,
  console: Console,
  { files }: { files: readonly string[] },
) {
  if (files.length === 0) {
    if (options.to === undefined)
      throw new OperatorError('SVC2818', 'There is nothing to report', {
        hint: 'Name files that `--format json` has written.',
      })
    await postReport(options.to, { isQuiet: false, body: undefined }, console)
    return exitCodes.done
  }
  const results: ResultOfTarget[] = []
  const read = expandFolders(files).flatMap((file) => readResult(file, results) ?? [])
  refuseMixed(results)
  for (const message of describeMissingResults(results))
    read.push({ problem: { code: unusable, severity: 'error', message } })
  const problems = read.flatMap((each) => ('problem' in each ? [each.problem] : []))
  const all = read.flatMap((each) => ('problem' in each ? [] : [each]))
  if (all.length === 0 || problems.some(({ code }) => code !== unusable)) {
    if (options.to !== undefined) await postReport(options.to, { isQuiet: false, body: undefined }, console)
    throw new UnusableFiles(problems)
  }
  const { format, maxKb, pageUrl } = options
  const leftOut = problems.map(({ message }) => message)
  const form = { page: pageUrl, leftOut, link: linkFrom(env, cwd()) }
  let rendered: string | undefined
  const comment = (): string => {
    rendered ??= renderCombinedMarkdown(all, form)
    return rendered
  }
  await console.result(await formats[format].several({ all, problems, leftOut, maxKb, pageUrl, comment }))
  const isQuiet = problems.length === 0 && all.every(isNothingToDo)
  if (options.to !== undefined) await postReport(options.to, { isQuiet, body: comment() }, console)
  const isChecked = !options.check || (await postVerdict(checkOf(all, form), console))
  for (const { code, message } of problems) console.question(`error ${code}  Not reported: ${neutralise(message)}\n`)
  return problems.length === 0 && isChecked ? exitCodes.done : exitCodes.error
}

/** Formats of this number are understood, whatever was added to them since. */
const known = /^1\.\d+$/

/** The code of a file that cannot be reported; an altered one is refused with all others. */
const unusable = 'SVC2184'

type ResultOfTarget = NonNullable<ReturnType<typeof resultOfTarget>>

/** Collects every problem, since a job has many files. Undefined: the target was not started. */
function readResult(file: string, results: ResultOfTarget[]): RunResult | { readonly problem: Problem } | undefined {
  const fail = (message: string, hint: string) => ({
    problem: { code: unusable, severity: 'error', message: `\`${file}\` ${message}`, hint } as const,
  })
  const text = readBoundedText(resolve(cwd(), file), largestDocument)
  if (isUnread(text)) return fail(`cannot be read: ${text.reason}`, 'Name files that `--format json` has written.')
  const data = parseJson(text)
  if (data === undefined) return fail('is not JSON, or only a part of it', made)
  if (!isJsonObject(data)) return fail('is no result of svcsync', made)
  const own = resultOfTarget(data, file)
  if (own === undefined) return parseResult(data, text, file, fail)
  results.push(own)
  const { name, exitCode, sentence, result } = own
  if (exitCode === null) return undefined
  const what = exitCode === exitCodes.refused ? 'was refused' : 'has no result'
  const outcome = `(\`${name}\`) ${what}: ${sentence} (exit code ${exitCode})`
  return result === null ? fail(outcome, 'Look at the log of its job.') : parseResult(result, '', file, fail)
}

const made = 'Write it with `plan`, `drift` or `apply` and `--format json`.'

/** `text`: the whole of a file, of which it is to be known whether it was altered. */
function parseResult(
  data: JsonObject,
  text: string,
  file: string,
  fail: (message: string, hint: string) => { readonly problem: Problem },
): RunResult | { readonly problem: Problem } {
  const isReport = data.outcome !== undefined
  if (!known.test(String(data.formatVersion)) || (!isReport && data.changes === undefined)) {
    if (data.formatVersion === undefined || (!isReport && data.changes === undefined))
      return fail('is no plan, no drift and no report of an apply', made)
    const format = `has the format ${String(data.formatVersion)}, which this version of svcsync does not know`
    return fail(format, 'Use the version that wrote it.')
  }
  const misfit = misfitOf(data, isReport ? 'report.schema.json' : 'plan.schema.json')
  if (misfit !== undefined) return fail(`is not as svcsync wrote it, at \`${misfit}\``, made)
  if (isReport) return { command: 'apply', report: data as never }
  if (data.ways !== undefined) return { command: 'drift', plan: data as never }
  const plan = data as never as PlanDocument
  try {
    refuseAltered(plan, text, file)
    return { command: 'plan', plan }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const { code, message, hint = made } = error
    return { problem: { code, severity: 'error', message, hint } }
  }
}

/** `body` undefined: there is no result. The result stands, whatever becomes of the comment: a failure is a warning. */
async function postReport(
  to: ForgeName | 'auto',
  comment: { readonly body: string | undefined; readonly isQuiet: boolean },
  console: Console,
): Promise<void> {
  await isPosted('warning', console, async () => {
    const [{ forgeOf }, { postComment }] = await Promise.all([
      import('@svcsync/forge/forges.ts'),
      import('@svcsync/forge/post-comment.ts'),
    ])
    const destination = forgeOf(to, env).comments(env, () => eventOfJob(env))
    try {
      const posted = await postComment(destination, { ...comment, marker: reportMarker })
      console.note(`Comment on ${destination.request}: ${commentOutcomes[posted]}.`)
    } finally {
      destination.close?.()
    }
  })
}

/** False: the check could not be written, which is an error: a required check would be waited for without end. */
function postVerdict(check: ReturnType<typeof checkOf>, console: Console): Promise<boolean> {
  return isPosted('error', console, async () => {
    const { checkedCommitOf, postCheck } = await import('@svcsync/forge/github.ts')
    const to = checkedCommitOf(env, eventOfJob(env))
    const posted = await postCheck(to, check, env)
    console.note(`Check "${check.name}" on ${to.commit.slice(0, 12)}: ${commentOutcomes[posted]}.`)
  })
}

const commentOutcomes = {
  created: 'made',
  updated: 'updated',
  unchanged: 'as it was',
  'not needed': 'not needed, there is nothing to do',
  outdated: 'left alone',
  marked: 'marked as outdated, because there is a newer commit',
} as const
