// `svcsync validate`: everything that can be checked without the platform.
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { cwd, env } from 'node:process'
import { OperatorError, type Problem } from '../../errors/index.ts'
import { kinds } from '../../kinds/index.ts'
import { rebasePath, rebaseProblems } from '../../render/rebase-problems.ts'
import { renderProblemsJson } from '../../render/render-json.ts'
import { renderProblemsAzure } from '../../render/render-problems-azure.ts'
import { renderProblemsGithub } from '../../render/render-problems-github.ts'
import { renderProblemsGitlab } from '../../render/render-problems-gitlab.ts'
import { renderProblemsJunit } from '../../render/render-problems-junit.ts'
import { renderProblemsSarif } from '../../render/render-problems-sarif.ts'
import { hasErrors } from '../../runs/open-project.ts'
import { type ValidateRunOptions, type Validation, validateRun } from '../../runs/validate-run.ts'
import { type Console, openConsole, type TextForm } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import type { ProblemFormat, SharedOptions } from '../shared-options.ts'
import { notSetLines, validationText } from '../validation-text.ts'
import { version } from '../version.ts'

export interface ValidateOptions extends Omit<SharedOptions, 'format'> {
  readonly format: ProblemFormat
  /** Warnings are errors. */
  readonly strict?: boolean
  readonly watch?: boolean
}

export async function validateCommand(options: ValidateOptions): Promise<number> {
  const console = openConsole(options)
  if (options.watch === true) return watch(options, console)
  const validation = judge(await validateRun(validateOptions(options)), options)
  await console.result(validationAs(options.format, validation, console))
  for (const line of notSetLines(validation)) console.note(line)
  return hasErrors(validation.problems) ? exitCodes.error : exitCodes.done
}

/** What watches is loaded where somebody does. */
async function watch(options: ValidateOptions, console: Console): Promise<number> {
  if (options.format !== 'text') {
    throw new OperatorError('SVC2011', `\`--watch\` shows text, and not \`--format ${options.format}\``, {
      hint: 'Leave one of the two out: the other formats are for a file, or for the log of a job that ends.',
    })
  }
  const { watchValidation } = await import('../watch-validation.ts')
  return watchValidation(validateOptions(options), console, (found) => judge(found, options))
}

function judge(found: Validation, { strict }: ValidateOptions): Validation {
  return strict === true ? { ...found, problems: found.problems.map(asError) } : found
}

function validateOptions({ project, target, var: variables }: ValidateOptions): ValidateRunOptions {
  return { project, target, variables, cwd: cwd(), env, kinds, nowMs: Date.now() }
}

function asError(problem: Problem): Problem {
  return problem.severity === 'error' ? problem : { ...problem, severity: 'error' }
}

function validationAs(format: ProblemFormat, validation: Validation, form: TextForm): string {
  const { problems, sources } = validation
  if (format === 'json') return renderProblemsJson(problems, validation.targets)
  if (format === 'text') return validationText(validation, form)
  const folder = folderInRepository()
  const rebased = rebaseProblems(problems, folder)
  const files = [...sources.keys()].map((file) => rebasePath(file, folder))
  // The project file is the first that was read.
  const projectFile = files[0] ?? rebasePath('svcsync.yaml', folder)
  switch (format) {
    case 'github':
      return renderProblemsGithub(rebased)
    case 'gitlab':
      return renderProblemsGitlab(rebased, { projectFile })
    case 'azure':
      return renderProblemsAzure(rebased)
    case 'sarif':
      return renderProblemsSarif(rebased, { version, projectFile })
    case 'junit':
      return renderProblemsJunit(rebased, { projectFile, files })
  }
}

/** The working folder as seen from the repository that holds it, which is what services count paths from. */
function folderInRepository(): string {
  const here = cwd()
  for (let dir = here; ; dir = dirname(dir)) {
    // A folder, or in a worktree and a submodule a file.
    if (existsSync(join(dir, '.git'))) return relative(dir, here).replaceAll('\\', '/')
    if (dir === dirname(dir)) return ''
  }
}
