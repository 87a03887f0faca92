// `svcsync validate`: everything that can be checked without the platform.
import { compareProblems } from '../../errors/index.ts'
import { renderProblemsJson } from '../../render/index.ts'
import { hasErrors } from '../../runs/open-project.ts'
import { openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { openForCommand, problemsText } from '../open-for-command.ts'
import type { SharedOptions } from '../shared-options.ts'

export async function validateCommand(options: SharedOptions): Promise<number> {
  const console = openConsole(options)
  const opened = openForCommand(options, false, console.colourErrors)
  const problems = [...opened.problems].sort(compareProblems)
  if (options.format === 'json') await console.result(renderProblemsJson(problems))
  else if (problems.length > 0) await console.result(problemsText(problems, opened, console.colour))
  if (options.format !== 'json' && !hasErrors(problems)) {
    const files = opened.sources.size
    await console.result(`${opened.declarations.length} objects in ${files} files are valid.`)
  }
  return hasErrors(problems) ? exitCodes.error : exitCodes.done
}
