// Reads from GitHub's reviews who approved the pull requests behind commits, for the ledger to note.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Env } from '@svcsync/platform/agents.ts'
import { clientFor, repositoryOf } from './github.ts'
import type { Sleep } from './rest.ts'

/** Names by the commit that they approved; commits that nobody approved are left out. */
type ApproversByCommit = ReadonlyMap<string, readonly string[]>

/**
 * A review counts that approves the last commit of a pull request into this branch, by somebody else than its author,
 * of the repository's people, given before the merge, and neither dismissed nor taken back. Throws an OperatorError
 * that names what is missing; what it gives rejects with a PlatformError.
 */
export function gitHubApprovals(env: Env, sleep?: Sleep): (commits: readonly string[]) => Promise<ApproversByCommit> {
  const { GITHUB_REF_NAME: branch = '', GITHUB_REF_TYPE = 'branch' } = env
  const missing = branch === '' || GITHUB_REF_TYPE !== 'branch' ? ['a branch in GITHUB_REF_NAME'] : []
  const to = repositoryOf(env, missing, { to: 'repository whose reviews to ask for', job: 'a job that applies' })
  return async (commits) => {
    const rest = clientFor(to, env, sleep)
    const repository = `/repos/${to.repository}`
    const approversOf = async ({ number, head, user: author, merged_at }: JsonObject): Promise<string[]> => {
      const reviews = await rest.list(`${repository}/pulls/${number}/reviews`, byId)
      const last = new Map<string, JsonObject>()
      for (const review of reviews.values()) {
        const isSaid = review.state !== 'COMMENTED' && String(review.submitted_at) <= String(merged_at)
        const login = loginOf(review.user)
        if (isSaid && login !== undefined) last.set(login, review)
      }
      return [...last].flatMap(([login, { state, commit_id, author_association }]) =>
        state === 'APPROVED' &&
        isJsonObject(head) &&
        commit_id === head.sha &&
        login !== loginOf(author) &&
        insiders.has(author_association)
          ? login
          : [],
      )
    }
    try {
      const found = new Map<string, readonly string[]>()
      for (const commit of commits) {
        const pulls = await rest.list(`${repository}/commits/${commit}/pulls`, byId)
        const merged = [...pulls.values()].filter(
          ({ merged_at, base }) => typeof merged_at === 'string' && isJsonObject(base) && base.ref === branch,
        )
        const names = (await Promise.all(merged.map(approversOf))).flat()
        if (names.length > 0) found.set(commit, [...new Set(names)].sort())
      }
      return found
    } finally {
      rest.close()
    }
  }
}

/** On a public repository anybody can approve. */
const insiders = new Set<unknown>(['OWNER', 'MEMBER', 'COLLABORATOR'])

/** Undefined: the account is gone. */
function loginOf(user: unknown): string | undefined {
  return isJsonObject(user) && typeof user.login === 'string' ? user.login : undefined
}

function byId(page: unknown): ReadonlyMap<number, JsonObject> {
  const all = Array.isArray(page) ? page.filter(isJsonObject) : []
  return new Map(all.map((each) => [each.id as number, each]))
}
