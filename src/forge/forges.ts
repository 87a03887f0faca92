// The three forges: what each calls things, and how svcsync reaches them.
import type { Env } from '@svcsync/platform/agents.ts'
import { azurePullRequest, azurePullRequests, azureWorkItems } from './azure.ts'
import { gitHubIssues, gitHubPullRequest, gitHubPullRequests } from './github.ts'
import { gitLabIssues, gitLabMergeRequest, gitLabMergeRequests } from './gitlab.ts'
import type { Items, Requests } from './keep-item.ts'
import type { Destination } from './post-comment.ts'

export type ForgeName = 'github' | 'gitlab' | 'azure'

export interface Forge {
  /** The pull request of the job. Throws an OperatorError that names what is missing; so do the others. */
  comments(env: Env, event: () => unknown): Destination
  issues(env: Env, label: string, sleep?: (delayMs: number) => Promise<unknown>): Items
  requests(env: Env, branch: string, sleep?: (delayMs: number) => Promise<unknown>): Requests
  /** The possible places of CODEOWNERS: the first one counts. */
  readonly codeOwners: readonly string[]
}

export const forges: Readonly<Record<ForgeName, Forge>> = {
  github: {
    comments: (env, event) => gitHubPullRequest(env, event()),
    issues: gitHubIssues,
    requests: gitHubPullRequests,
    codeOwners: ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'],
  },
  gitlab: {
    comments: (env) => gitLabMergeRequest(env),
    issues: gitLabIssues,
    requests: gitLabMergeRequests,
    codeOwners: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
  },
  azure: {
    comments: (env) => azurePullRequest(env),
    issues: azureWorkItems,
    requests: azurePullRequests,
    codeOwners: ['CODEOWNERS', '.azuredevops/CODEOWNERS', 'docs/CODEOWNERS'],
  },
}
