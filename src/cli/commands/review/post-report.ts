// Posts the comment of a report to the pull request of the job, whatever service runs it.
import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import { OperatorError, type Problem } from '@svcsync/errors/index.ts'
import type { Destination } from '@svcsync/forge/post-comment.ts'
import { type checkOf, reportMarker } from '@svcsync/render/report/combined.ts'
import { eventOfJob } from '../../action/inputs.ts'
import type { Console } from '../../terminal/console.ts'

/** `auto`: the one that runs the job. */
type Service = 'github' | 'gitlab' | 'azure' | 'auto'

/** `body` undefined: there is no result. The result stands, whatever becomes of the comment: a failure is a warning. */
export async function postReport(
  to: Service,
  comment: { readonly body: string | undefined; readonly isQuiet: boolean },
  console: Console,
): Promise<void> {
  await isPosted('warning', console, async () => {
    const { postComment } = await import('@svcsync/forge/post-comment.ts')
    const destination = await destinationOf(to === 'auto' ? serviceOf(env) : to)
    try {
      const posted = await postComment(destination, { ...comment, marker: reportMarker })
      console.note(`Comment on ${destination.request}: ${saidOf[posted]}.`)
    } finally {
      destination.close?.()
    }
  })
}

/** Beside the commit, on GitHub. False: it could not be written, which is an error, since a required check would be waited for without end. */
export function postVerdict(check: ReturnType<typeof checkOf>, console: Console): Promise<boolean> {
  return isPosted('error', console, async () => {
    const { checkedCommitOf, postCheck } = await import('@svcsync/forge/github.ts')
    const to = checkedCommitOf(env, eventOfJob(env))
    const posted = await postCheck(to, check, env)
    console.note(`Check "${check.name}" on ${to.commit.slice(0, 12)}: ${saidOf[posted]}.`)
  })
}

async function isPosted(severity: Problem['severity'], console: Console, act: () => Promise<void>): Promise<boolean> {
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

/** Where whoever reads the job looks: beside the job, and in its summary. */
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

const saidOf = {
  created: 'made',
  updated: 'updated',
  unchanged: 'as it was',
  'not needed': 'not needed, there is nothing to do',
  outdated: 'left alone',
  marked: 'marked as outdated, because there is a newer commit',
} as const

/** By what each service sets for its jobs. */
function serviceOf(variables: typeof env): Exclude<Service, 'auto'> {
  if (variables.GITHUB_ACTIONS === 'true') return 'github'
  if (variables.GITLAB_CI === 'true') return 'gitlab'
  // What Azure Pipelines runs may be of a pull request on GitHub.
  if (variables.TF_BUILD?.toLowerCase() === 'true')
    return variables.BUILD_REPOSITORY_PROVIDER === 'GitHub' ? 'github' : 'azure'
  throw new OperatorError('SVC2821', 'svcsync has nowhere to post: this is no job of GitHub, GitLab or Azure DevOps', {
    hint: 'Name the service: `--to github`, `gitlab` or `azure`.',
  })
}

async function destinationOf(service: Exclude<Service, 'auto'>): Promise<Destination> {
  switch (service) {
    case 'github':
      return (await import('@svcsync/forge/github.ts')).gitHubPullRequest(env, eventOfJob(env))
    case 'gitlab':
      return (await import('@svcsync/forge/gitlab.ts')).gitLabMergeRequest(env)
    case 'azure':
      return (await import('@svcsync/forge/azure.ts')).azurePullRequest(env)
  }
}
