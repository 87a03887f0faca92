// Posts to a forge beside a result: finds the forge, and reports a failure without changing the result.
import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import { OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { Forge, ForgeName } from '@svcsync/forge/forges.ts'
import type { Kept } from '@svcsync/forge/keep-item.ts'
import type { Console } from '../terminal/console.ts'

export type Service = ForgeName | 'auto'

export async function forgeOf(service: Service): Promise<Forge> {
  const { forges } = await import('@svcsync/forge/forges.ts')
  return forges[service === 'auto' ? forgeOfJob() : service]
}

function forgeOfJob(): ForgeName {
  if (env.GITHUB_ACTIONS === 'true') return 'github'
  if (env.GITLAB_CI === 'true') return 'gitlab'
  // Azure Pipelines also builds pull requests on GitHub.
  if (env.TF_BUILD?.toLowerCase() === 'true') return env.BUILD_REPOSITORY_PROVIDER === 'GitHub' ? 'github' : 'azure'
  throw new OperatorError('SVC2821', 'svcsync has nowhere to post: this is no job of GitHub, GitLab or Azure DevOps', {
    hint: 'Name the service: `--to github`, `gitlab` or `azure`.',
  })
}

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
    await tell({ code, severity, message, hint }, console)
    return false
  }
}

/** Tells where readers of the job look: beside the job, and in its summary. */
async function tell(problem: Problem, console: Console): Promise<void> {
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

export function sayKept(what: string, { became, item, why }: Kept): string {
  const words = { created: 'opened', unchanged: 'as it was', left: `left alone: ${why}` }
  const said = became in words ? words[became as keyof typeof words] : became
  const name = what.charAt(0).toUpperCase() + what.slice(1)
  return item === undefined
    ? `No ${what}: ${(why ?? 'it does not show yet').replace(/\.$/, '')}.`
    : `${name} ${item}: ${said}.`
}
