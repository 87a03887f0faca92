// Posts beside a result: a failure is reported, and does not change the result.
import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import { OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { Console } from '../terminal/console.ts'

export async function isPosted(
  severity: Problem['severity'],
  console: Console,
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { code, message, hint } = error
    await publishProblem({ code, severity, message, hint }, console)
    return false
  }
}

/** Tells where readers of the job look: beside the job, and in its summary. */
async function publishProblem(problem: Problem, console: Console): Promise<void> {
  const { code, severity, message, hint = '' } = problem
  const services = await import('@svcsync/render/problems/render-problems-for-services.ts')
  if (env.GITHUB_ACTIONS === 'true') console.question(services.renderFirstGithub([problem], 'the log'))
  else if (env.TF_BUILD?.toLowerCase() === 'true') console.question(services.renderAzureIssues([problem]))
  else console.note(`${severity} ${code}  ${message}. ${hint}`.trim())
  if (env.GITHUB_STEP_SUMMARY) {
    const { prose } = await import('@svcsync/render/text/markdown.ts')
    appendFileSync(env.GITHUB_STEP_SUMMARY, `> **${severity} ${code}:** ${prose(message)}\n\n`)
  }
}
