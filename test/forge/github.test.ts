// What a job of GitHub says of its pull request.
import { describe, expect, it } from 'vitest'
import { pullRequestOf } from '../../src/forge/github.ts'
import { token } from './pretended-forge.ts'

describe('the pull request of a job', () => {
  const env = { GITHUB_TOKEN: token, GITHUB_REPOSITORY: 'org/config', GITHUB_REF: 'refs/pull/12/merge' }
  it('is what the event says, or else the ref', () => {
    expect(pullRequestOf(env, { pull_request: { number: 7, head: { sha: 'abc' } } })).toMatchObject({
      number: 7,
      commit: 'abc',
    })
    expect(pullRequestOf(env, undefined)).toMatchObject({
      number: 12,
      commit: undefined,
      apiUrl: 'https://api.github.com',
    })
  })

  it.each([
    [{ ...env, GITHUB_TOKEN: '' }, 'GITHUB_TOKEN is missing'],
    [{ ...env, GITHUB_REPOSITORY: '../x' }, 'GITHUB_REPOSITORY is missing'],
    [{ ...env, GITHUB_REF: 'refs/heads/main' }, 'the number of a pull request'],
  ])('is told to be missing: %j', (variables, sentence) => {
    expect(() => pullRequestOf(variables, undefined)).toThrow(sentence)
  })
})
