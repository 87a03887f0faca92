// Whose reviews of merged pull requests count as approvals, over HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gitHubApprovals } from '../../src/forge/github-approvals.ts'
import { type PretendedForge, token } from './pretended-forge.ts'
import { pretendGitHub } from './pretended-github.ts'

let github: PretendedForge
beforeAll(async () => {
  github = await pretendGitHub(2)
})
afterAll(() => github.close())

const merged_at = '2026-11-23T10:00:00Z'
const pull = (number: number, more: object = {}) => ({
  ...{ id: number * 10, number, merged_at, base: { ref: 'main' }, head: { sha: 'last' }, user: { login: 'author' } },
  ...more,
})
let reviewId = 0
const review = (login: string | null, state = 'APPROVED', more: object = {}) => ({
  ...{ id: ++reviewId, user: login === null ? null : { login }, state, commit_id: 'last' },
  ...{ submitted_at: '2026-11-23T08:00:00Z', author_association: 'MEMBER', ...more },
})
const approvals = (commits: readonly string[], env: Record<string, string> = {}) =>
  gitHubApprovals(
    {
      ...{ GITHUB_TOKEN: token, GITHUB_REPOSITORY: 'org/config', GITHUB_API_URL: github.url },
      ...{ GITHUB_REF_NAME: 'main', GITHUB_REF_TYPE: 'branch', ...env },
    },
    async () => undefined,
  )(commits)

it.each([
  ['counts who approved the last commit', [review('jan'), review('anna')], ['anna', 'jan']],
  ['takes no comment for a change of mind', [review('jan'), review('jan', 'COMMENTED')], ['jan']],
  ['takes an approval back', [review('jan'), review('jan', 'CHANGES_REQUESTED')], []],
  ['gives it again', [review('jan', 'CHANGES_REQUESTED'), review('jan')], ['jan']],
  ['leaves out what was dismissed', [review('jan', 'DISMISSED')], []],
  ['counts an approval after a dismissed one', [review('jan', 'DISMISSED'), review('jan')], ['jan']],
  ['leaves out an earlier commit', [review('jan', 'APPROVED', { commit_id: 'earlier' })], []],
  ['leaves out what came after the merge', [review('jan', 'APPROVED', { submitted_at: '2026-11-23T10:00:01Z' })], []],
  ['leaves out the author', [review('author')], []],
  ['leaves out strangers', [review('eve', 'APPROVED', { author_association: 'CONTRIBUTOR' })], []],
  ['leaves out accounts that are gone', [review(null)], []],
  ['reads all pages', [review('a'), review('b'), review('c'), review('c', 'DISMISSED')], ['a', 'b']],
])('%s', async (_, reviews, names) => {
  github.lists.set('commits/merge/pulls', [pull(1)])
  github.lists.set('pulls/1/reviews', reviews)
  expect(Object.fromEntries(await approvals(['merge']))).toEqual(names.length === 0 ? {} : { merge: names })
})

it('asks about pull requests that were merged into the branch, commit by commit', async () => {
  github.lists.set('commits/first/pulls', [
    pull(1),
    pull(2, { merged_at: null }),
    pull(3, { base: { ref: 'release' } }),
  ])
  github.lists.set('commits/second/pulls', [])
  github.lists.set('commits/third/pulls', [pull(4), pull(5)])
  for (const number of [1, 2, 3, 4, 5]) github.lists.set(`pulls/${number}/reviews`, [review(`of-${number}`)])
  const found = await approvals(['first', 'second', 'third'])
  expect(Object.fromEntries(found)).toEqual({ first: ['of-1'], third: ['of-4', 'of-5'] })
})

it('rejects where GitHub does not answer, and names what a job lacks', async () => {
  github.order({ method: 'GET', status: 403, times: 9 })
  await expect(approvals(['merge'])).rejects.toMatchObject({ message: expect.stringContaining('403') })
  const lacking = { GITHUB_TOKEN: '', GITHUB_REF_TYPE: 'tag' }
  expect(() => gitHubApprovals({ ...lacking, GITHUB_REPOSITORY: 'org/config', GITHUB_REF_NAME: 'v1' })).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/GITHUB_TOKEN.*a branch in GITHUB_REF_NAME/) }),
  )
})
