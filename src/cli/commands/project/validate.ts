// `svcsync validate`: everything that can be checked without the platform.

import { cwd, env } from 'node:process'
import { OperatorError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { hasErrors } from '@svcsync/runs/open/open-project.ts'
import { type ValidateRunOptions, type Validation, validateRun } from '@svcsync/runs/open/validate-run.ts'
import { choiceIn } from '../../planning/for-targets.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import type { validate } from '../project.ts'
import { notSetLines } from './validation-text.ts'

type ValidateOptions = Values<typeof validate>

export async function validateCommand(options: ValidateOptions, console: Console) {
  if (options.watch === true) return watch(options, console)
  const validation = applyStrict(await validateRun(validateOptions(options)), options)
  noteProject(validation.parsed.path, options, console)
  await console.result(await formats[options.format].problems(validation, console))
  for (const line of notSetLines(validation)) console.note(line)
  return hasErrors(validation.problems) ? exitCodes.error : exitCodes.done
}

/** Only a watching run loads the watcher. */
async function watch(options: ValidateOptions, console: Console) {
  if (options.format !== 'text')
    throw new OperatorError('SVC2011', `\`--watch\` and \`--format ${options.format}\` exclude each other`, {
      hint: 'Remove one of the two: `--watch` prints text.',
    })
  const { watchValidation } = await import('./watch-validation.ts')
  return watchValidation(validateOptions(options), console, (found) => applyStrict(found, options))
}

function applyStrict(found: Validation, { strict }: ValidateOptions): Validation {
  if (strict !== true) return found
  return { ...found, problems: found.problems.map((problem) => ({ ...problem, severity: 'error' })) }
}

function validateOptions({ project, var: variables, ...given }: ValidateOptions): ValidateRunOptions {
  return { project, ...choiceIn(given), variables, cwd: cwd(), env, kinds, nowMs: Date.now() }
}
