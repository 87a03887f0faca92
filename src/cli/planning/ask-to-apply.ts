// Asks for the approval of a plan. Only the whole word approves: `yes`, or the name of the target if it demands that.
import { stderr, stdin } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { OperatorError, RefusedError } from '@svcsync/errors/index.ts'
import type { Target } from '@svcsync/project/project.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import type { SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'

/** `confirm`: the target that the command line names as the one that is meant. */
export function refuseOtherTarget(confirm: string | undefined, name: string): void {
  if (confirm === undefined || confirm === name) return
  throw new OperatorError('SVC2152', `\`--confirm\` names another target than \`${name}\`, which this run is for`, {
    hint: 'Nothing was written. Choose the target with --target.',
  })
}

interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

type Answer = 'yes' | 'no' | 'interrupted'

/** A confirmation may be misspelt this often in all. */
const mostQuestions = 3

export function askToApply(
  { counts, target }: Pick<PlanDocument, 'counts' | 'target'>,
  stop: AbortSignal,
  terminal?: Terminal,
  wantsName = false,
): Promise<Answer> {
  const where = neutralise(`${target.name} (${target.baseUrl})`)
  const what = `Apply ${formatCount(counts.steps, 'step')} to ${where}?`
  return askForWord(what, wantsName ? target.name : undefined, stop, terminal)
}

/** `name`: of the target, if it demands its name instead of `yes`. */
async function askForWord(
  what: string,
  name: string | undefined,
  stop: AbortSignal,
  { input, output }: Terminal = { input: stdin, output: stderr },
): Promise<Answer> {
  const questions = createInterface({ input, output })
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  stop.addEventListener('abort', interrupt)
  // The terminal gives Ctrl-C to the question, not to the process; closing alone would never settle it.
  questions.on('SIGINT', interrupt)
  // A terminal that goes away answers nothing any more.
  questions.on('close', interrupt)
  try {
    for (let asked = 1; asked <= mostQuestions; asked++) {
      const word = name === undefined ? '`yes`' : 'the name of the target'
      const question = `${what} Only ${word} goes on: `
      const answer = (await questions.question(question, { signal: interrupted.signal })).trim()
      if (answer === (name ?? 'yes')) return 'yes'
      if (!/^(?:y|ye|yes)$/i.test(answer)) return 'no'
      const how = name === undefined ? 'write the whole word, in small letters' : 'write it as the question has it'
      output.write(`\`${answer}\` is not taken for ${word}: ${how}.\n`)
    }
    return 'no'
  } catch {
    return stop.aborted || interrupted.signal.aborted ? 'interrupted' : 'no'
  } finally {
    stop.removeEventListener('abort', interrupt)
    questions.close()
  }
}

/**
 * For writes that no plan shows. `act`: of whom it is said; `what` goes before the target: `Send PATCH /x to`; `first`:
 * what to do before, where there is nobody to ask. Rejects with a RefusedError where nobody agrees.
 */
export async function confirmWrite(
  { act, what, first }: { readonly act: string; readonly what: string; readonly first: string },
  target: Pick<Target, 'name' | 'baseUrl' | 'confirm'>,
  { yes, confirm }: Pick<SharedOptions, 'yes' | 'confirm'>,
  console: Console,
): Promise<void> {
  refuseOtherTarget(confirm, target.name)
  const wantsName = target.confirm === 'name' && confirm === undefined
  if (confirm !== undefined || (yes === true && !wantsName)) return
  if (!console.interactive) {
    const word = wantsName ? `--confirm ${shellWord(target.name)}` : '--yes'
    throw new RefusedError('SVC2180', `${act} writes, but svcsync cannot ask`, {
      hint: `Nothing was written. ${first} run it with ${word}.`,
    })
  }
  const question = `${what} ${neutralise(`${target.name} (${target.baseUrl})`)}?`
  const answer = await askForWord(question, wantsName ? target.name : undefined, new AbortController().signal)
  if (answer !== 'yes') throw new RefusedError('SVC2180', 'Nobody agreed: nothing was written')
}
