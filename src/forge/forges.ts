// The forges: what each calls things, and how svcsync reaches them.
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import type { Env } from '@svcsync/platform/agents.ts'
import { azurePullRequest, azurePullRequests, azureWorkItems } from './azure.ts'
import { type ForgeName, forgeNames } from './forge-name.ts'
import { gitHubIssues, gitHubPullRequest, gitHubPullRequests } from './github.ts'
import { gitLabIssues, gitLabMergeRequest, gitLabMergeRequests } from './gitlab.ts'
import type { ItemStore, RequestStore } from './keep-item.ts'
import type { CommentStore } from './post-comment.ts'
import type { Sleep } from './rest.ts'

interface Forge {
  /** The pull request of the job. Throws an OperatorError that names what is missing; so do the others. */
  comments(env: Env, event: () => unknown): CommentStore
  issues(env: Env, label: string, sleep?: Sleep): ItemStore
  requests(env: Env, branch: string, sleep?: Sleep): RequestStore
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

export const forgeOf = (service: ForgeName | 'auto', env: Env): Forge =>
  forges[service === 'auto' ? forgeOfJob(env) : service]

function forgeOfJob(env: Env): ForgeName {
  if (env.GITHUB_ACTIONS === 'true') return 'github'
  if (env.GITLAB_CI === 'true') return 'gitlab'
  // Azure Pipelines also builds pull requests on GitHub.
  if (env.TF_BUILD?.toLowerCase() === 'true') return env.BUILD_REPOSITORY_PROVIDER === 'GitHub' ? 'github' : 'azure'
  throw new OperatorError('SVC2821', 'svcsync has nowhere to post: no variable tells whose job this is', {
    hint: `Write ${quoted(forgeNames, ' or ')} after \`--to\`.`,
  })
}
