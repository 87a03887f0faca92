// Commits that a lease names as begun: which count, and which are strays of another history.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import { openRemote } from '../../src/ledger/remote.ts'
import { strayCommits, withoutStrays } from '../../src/ledger/stray-commits.ts'
import { git } from '../harness/repository.ts'
import { type History, openHistory } from './open-history.ts'

let lab: History['lab']
let own: History['own']
let remote: History['remote']
let [first, second, third, beside] = ['', '', '', '']
let close = (): void => {}
beforeAll(() => {
  ;({ lab, own, remote, first, second, third, beside, close } = openHistory())
})
afterAll(() => close())

const at = '2026-01-01T00:00:00.000Z'
const begunOf = (commit: string | null): BegunCommit => ({ commit, at, only: [] })

it('leaves out what is none of the applied history, and nothing else', () => {
  const begun = ['a', 'b', 'c'].map(begunOf)
  const strays = ['a', 'c'].map((commit) => ({ commit, isKnown: true }))
  expect(withoutStrays(begun, strays)).toEqual([begunOf('b')])
  expect(withoutStrays(begun, [])).toEqual(begun)
})

it('a begun commit of another history is told from one of which nobody can tell', async () => {
  const begun = (commit: string) => [begunOf(commit)]
  const unknown = 'f'.repeat(40)
  const strays = (commit: string, planned: string | null = third) =>
    strayCommits(remote, { applied: { commit: third }, begun: begun(commit) }, planned)
  expect(await strays(second)).toEqual([])
  expect(await strays(beside)).toEqual([{ commit: beside, isKnown: true }])
  expect(await strays(unknown)).toEqual([{ commit: unknown, isKnown: false }])
  expect(await strays(beside, null)).toEqual([{ commit: beside, isKnown: false }])
  const undone = begun(beside).map((each) => ({ ...each, undo: true as const }))
  const [own] = await strayCommits(remote, { applied: { commit: third }, begun: undone }, third)
  expect(own).toEqual({ commit: beside, isKnown: true, undo: true })
  const both = [...undone, ...begun(second)]
  expect(await strayCommits(remote, { applied: { commit: third }, begun: both }, third)).toEqual([own])
  const twice = { applied: { commit: third }, begun: [...undone, ...begun(beside)] }
  expect(await strayCommits(remote, twice, third)).toEqual([{ commit: beside, isKnown: true }])
})

describe('a commit that was begun', () => {
  const strays = (commit: string | null, planned = third, applied: string | null = third, to = remote) =>
    strayCommits(
      to,
      { applied: applied === null ? undefined : { commit: applied }, begun: [begunOf(commit), begunOf(commit)] },
      planned,
    )
  const later = () => own.git('commit-tree', `${third}^{tree}`, '-p', third, '-m', 'later')

  it('counts where it is on one line with the planned one and the applied one', async () => {
    for (const [planned, applied] of [
      [third, third],
      [third, first],
      [third, second],
      [second, third],
    ] as const)
      expect(await strays(second, planned, applied), `${planned} ${applied}`).toEqual([])
    expect(await strays(beside, beside, null)).toEqual([])
    expect(await strays(first, beside, null)).toEqual([])
    expect(await strays(null)).toEqual([])
    expect(await strays(second, third, beside)).toEqual([{ commit: second, isKnown: true }])
    // What is planned itself counts, whatever was applied; and nobody can tell of an applied one that is not here.
    expect(await strays(beside, beside, third)).toEqual([])
    expect(await strays(second, third, 'f'.repeat(40))).toEqual([{ commit: second, isKnown: false }])
  })

  it('and comes after the planned one counts where the default branch has it', async () => {
    const unpublished = later()
    expect(await strays(third, first, first)).toEqual([{ commit: third, isKnown: false }])
    git(lab.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    expect(await strays(third, first, first)).toEqual([])
    for (const applied of [third, unpublished])
      expect(await strays(unpublished, third, applied)).toEqual([{ commit: unpublished, isKnown: true }])
    // The branch has gone on since this clone was made.
    const clone = lab.clone('behind', '--branch', 'main')
    own.git('push', '--quiet', 'origin', `${unpublished}:main`)
    expect(await strays(third, first, first, openRemote(join(clone, 'svcsync.yaml'), 'origin'))).toEqual([])
    own.git('push', '--quiet', '--force', 'origin', `${third}:main`)
  })

  it('is looked for in the history that a shallow clone lacks', async () => {
    git(lab.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    const clone = lab.clone('shallow', '--depth=1')
    const shallow = openRemote(join(clone, 'svcsync.yaml'), 'origin')
    expect(await strays(second, third, third, shallow)).toEqual([])
    expect(git(clone, 'rev-parse', '--is-shallow-repository')).toBe('false')
    expect(git(clone, 'for-each-ref', '--format=%(refname)')).not.toContain('svcsync')
    // Also of a branch that is not the default one.
    const onSide = own.git('commit-tree', `${first}^{tree}`, '-p', beside, '-m', 'on side')
    own.git('push', '--quiet', 'origin', `${onSide}:refs/heads/beside`)
    const side = openRemote(join(lab.clone('side', '--depth=1', '--branch', 'beside'), 'svcsync.yaml'), 'origin')
    expect(await strays(beside, onSide, null, side)).toEqual([])
  })
})
