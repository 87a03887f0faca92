// `svcsync validate`: everything that can be checked without the platform.
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { cwd, env } from 'node:process'
import { overridesIn } from '../../core/apply-overrides.ts'
import { externalAccounts, undeclaredUses } from '../../core/external-accounts.ts'
import { compareProblems, type Problem } from '../../errors/index.ts'
import { kinds } from '../../kinds/index.ts'
import { formatCount } from '../../render/format-count.ts'
import { rebasePath, rebaseProblems } from '../../render/rebase-problems.ts'
import { renderProblemsJson } from '../../render/render-json.ts'
import { renderProblemsAzure } from '../../render/render-problems-azure.ts'
import { renderProblemsGithub } from '../../render/render-problems-github.ts'
import { renderProblemsGitlab } from '../../render/render-problems-gitlab.ts'
import { renderProblemsJunit } from '../../render/render-problems-junit.ts'
import { renderProblemsSarif } from '../../render/render-problems-sarif.ts'
import { hasErrors, type OpenedProject, openProject, UnusableProject } from '../../runs/open-project.ts'
import { problemsOfDesired, withPolicies } from '../../runs/with-policies.ts'
import { openConsole, type TextForm } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { problemsText } from '../problems-text.ts'
import type { ProblemFormat, SharedOptions } from '../shared-options.ts'
import { version } from '../version.ts'

export interface ValidateOptions extends Omit<SharedOptions, 'format'> {
  readonly format: ProblemFormat
  /** Warnings are errors. */
  readonly strict?: boolean
}

type Checked = Pick<OpenedProject, 'problems' | 'sources'> & { readonly declarations: readonly unknown[] }

export async function validateCommand(options: ValidateOptions): Promise<number> {
  const console = openConsole(options)
  const checked = await check(options)
  const problems = [...checked.problems].sort(compareProblems).map((problem) => judge(problem, options.strict === true))
  await console.result(problemsAs(options.format, problems, checked, console))
  return hasErrors(problems) ? exitCodes.error : exitCodes.done
}

/** A project file of which nothing can be made has problems like any other file: they are the result as well. */
async function check(options: ValidateOptions): Promise<Checked> {
  const { project, target, var: variables, concurrency } = options
  try {
    const found = openProject({
      project,
      target,
      variables,
      concurrency,
      cwd: cwd(),
      env,
      kinds,
      needCredentials: false,
      nowMs: Date.now(),
    })
    const opened = await withPolicies(found, kinds)
    // What is not read well would be judged wrongly.
    if (hasErrors(opened.problems)) return opened
    const { desired, fold } = opened
    const isExternal = externalAccounts(opened.project.externalAccounts, fold)
    // A plan asks the platform instead.
    const undeclared = undeclaredUses(desired, fold, isExternal)
    const problems = [...opened.problems, ...undeclared, ...(await problemsOfDesired(opened, desired))]
    // An override is of an object that is counted already.
    const isOverride = overridesIn(opened.assembly.overrides)
    return { ...opened, problems, declarations: opened.declarations.filter((each) => !isOverride(each)) }
  } catch (error) {
    if (error instanceof UnusableProject) {
      return { problems: error.problems, sources: error.sources, declarations: [] }
    }
    throw error
  }
}

function judge(problem: Problem, strict: boolean): Problem {
  return strict && problem.severity === 'warning' ? { ...problem, severity: 'error' } : problem
}

function problemsAs(
  format: ProblemFormat,
  problems: readonly Problem[],
  checked: Checked,
  { colour, width }: TextForm,
): string {
  if (format === 'json') return renderProblemsJson(problems)
  if (format === 'text') {
    const shown = problems.length > 0 ? problemsText(problems, checked, { colour, width }) : ''
    if (hasErrors(problems)) return shown
    const objects = checked.declarations.length
    const files = checked.sources.size
    const what = `${formatCount(objects, 'object')} in ${formatCount(files, 'file')}`
    return `${shown}${what} ${objects === 1 ? 'is' : 'are'} valid.`
  }
  const folder = folderInRepository()
  const rebased = rebaseProblems(problems, folder)
  const files = [...checked.sources.keys()].map((file) => rebasePath(file, folder))
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
