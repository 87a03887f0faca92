// Single entries of the ledger: as they are written and read back, where somebody forged them, and where git is no
// help.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import { appliedHistory } from '../../src/ledger/applied-history.ts'
import { leftOutOf } from '../../src/ledger/exact-commit.ts'
import { readKeptJournal } from '../../src/ledger/journal-ref.ts'
import { readLeaseNow } from '../../src/ledger/lease.ts'
import { readLedger, whyItStays } from '../../src/ledger/ledger.ts'
import {
  appliedIn,
  emptyTree,
  ledgerRefs,
  readEntry,
  writeApplied,
  writeCommit,
} from '../../src/ledger/ledger-commit.ts'
import { openRemote, type Remote } from '../../src/ledger/remote.ts'
import { strayCommits } from '../../src/ledger/stray-commits.ts'
import { type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { openRepository, type Repository } from '../harness/repository.ts'

let lab: GitRemote
let own: Repository
let remote: Remote
/** One after the other, and one that comes after the first as well. */
let [first, second, third, beside] = ['', '', '', '']
beforeAll(() => {
  lab = openGitRemote()
  own = openRepository()
  own.write('svcsync.yaml', '')
  own.write('a/one.yaml', 'one\n')
  ;[first, second, third] = [own.commit('1'), own.commit('2'), own.commit('3')]
  beside = own.git('commit-tree', `${first}^{tree}`, '-p', first, '-m', 'beside')
  own.git('remote', 'add', 'origin', lab.path)
  own.git('push', '--quiet', 'origin', 'main')
  remote = openRemote(join(own.dir, 'svcsync.yaml'), 'origin')
})
afterAll(() => {
  own.remove()
  lab.close()
})

const at = '2026-01-01T00:00:00.000Z'
const approvedBy = ['anna', 'ben (2)']
const entryOf = (commit: string, before?: string, counts = { done: 1, unchanged: 2 }, more = {}): string => {
  const about = { target: 'prod', project: 'svcsync.yaml', installation: 'https://svc.example.com', version: '1' }
  const how = { digest: 'sha256:0', application: 'ci', lease: '', approvedBy, objects: 3, at, ...more }
  return writeApplied(own.dir, { ...about, ...how, commit, counts: counts as never }, before) ?? ''
}

it('an entry says in one line what was applied, and keeps who approved it', () => {
  const subject = (id: string) => own.git('log', '-1', '--format=%s', id)
  const entry = entryOf(first)
  expect(subject(entry)).toBe(`prod: applied ${first.slice(0, 12)}, 1 done, 2 unchanged, 3 read back`)
  expect(subject(entryOf(first, entry, { done: 0, unchanged: 2 }))).toMatch(/, nothing was to do$/)
  expect(appliedIn(readEntry(own.dir, entry), 'prod')).toMatchObject({
    approvedBy,
    commit: first,
    counts: '1 done, 2 unchanged',
  })
})

it.each([
  ['names no target', { Applied: 'own', At: at }],
  ['names no commit', { Target: 'prod', At: at }],
  ['says no time', { Target: 'prod', Applied: 'own' }],
])('a commit that %s is no entry', (_what, trailers: Record<string, string>) => {
  const named = { ...trailers, ...(trailers.Applied && { Applied: first }) }
  const forged = writeCommit(own.dir, emptyTree(own.dir), [first], 0, 'forged', named) ?? ''
  expect(appliedIn(readEntry(own.dir, forged), 'prod')).toBe('its commit is none of svcsync')
})

it('who approved a forged entry is read as far as they are names', () => {
  const trailers = { Target: 'prod', Applied: first, At: at, Approvers: '[1,"anna",{}]' }
  const forged = writeCommit(own.dir, emptyTree(own.dir), [first], 0, 'forged', trailers) ?? ''
  expect(appliedIn(readEntry(own.dir, forged), 'prod')).toMatchObject({ approvedBy: ['anna'] })
})

it('a commit that was never applied by itself came with the next one that was', () => {
  const later = '2026-01-02T00:00:00.000Z'
  const newest = entryOf(third, entryOf(first), undefined, { at: later })
  const appliedBy = appliedHistory(own.dir, newest, 'prod')
  expect([first, second, third, beside].map((commit) => appliedBy(commit)?.at)).toEqual([at, later, later, undefined])
})

it.each([
  [
    'as declared, from files that are no commit',
    'converged',
    1,
    false,
    / A line that is deleted .* revokes nothing\.$/,
  ],
  ['what the ledger remembers', 'converged', 1, true, /moves the ledger\.$/],
  ['nothing to write', 'nothing-to-do', 0, false, /moves the ledger\.$/],
] as const)(
  'whoever applied %s hears whether a deleted line still revokes',
  (_what, outcome, done, isRemembered, hint) => {
    const run = { exact: { commit: first, reason: 'a file differs' }, base: null, hasEnded: false, rotates: false }
    const report = { outcome, counts: { done }, unreadable: undefined } as never
    const stays = whyItStays({ applied: undefined, begun: [] }, report, { ...run, isRemembered })
    expect(stays).toMatchObject({ reason: 'a file differs', hint: expect.stringMatching(hint) })
  },
)

it('a begun commit of another history is told from one of which nobody can tell', async () => {
  const begun = (commit: string): BegunCommit[] => [{ commit, at, only: [] }]
  const unknown = 'f'.repeat(40)
  const strays = (commit: string, planned: string | null = third) =>
    strayCommits(remote, { applied: { commit: third }, begun: begun(commit) }, planned)
  expect(await strays(second)).toEqual([])
  expect(await strays(beside)).toEqual([{ commit: beside, isKnown: true }])
  expect(await strays(unknown)).toEqual([{ commit: unknown, isKnown: false }])
  expect(await strays(beside, null)).toEqual([{ commit: beside, isKnown: false }])
})

it('an unsigned lease, entry and journal are refused where the project requires signatures, and named', async () => {
  const entry = entryOf(first)
  const requiring = { ...remote, signed: { allowed: [] } }
  const { applied, lease, journal } = ledgerRefs('prod')
  const readers = [
    [lease, () => readLeaseNow({ remote: requiring, target: 'prod', clock: () => 0 } as never), 'run once with'],
    [applied, () => readLedger(requiring, 'prod', 0), 'run once with'],
    [journal, () => readKeptJournal(requiring, journal), `git push origin :${journal}`],
  ] as const
  for (const [ref, read, way] of readers) {
    own.git('push', '--quiet', 'origin', `${entry}:${ref}`)
    await expect(read(), ref).rejects.toMatchObject({ code: 'SVC2245', message: expect.stringContaining(ref) })
    const hint = expect.stringContaining(`git verify-commit ${entry.slice(0, 12)}\` says`)
    await expect(read(), ref).rejects.toMatchObject({ hint })
    await expect(read(), ref).rejects.toMatchObject({ hint: expect.stringContaining(way) })
    own.git('push', '--quiet', 'origin', `:${ref}`)
  }
})

it('files that a sparse checkout leaves out are known, also where the project is the whole repository', () => {
  own.git('update-index', '--skip-worktree', 'a/one.yaml')
  rmSync(join(own.dir, 'a/one.yaml'))
  const extensions = new Set(['.yaml'])
  for (const root of [own.dir, join(own.dir, 'a')])
    expect(leftOutOf(own.dir, { roots: [root], extensions }), root).toEqual(['a/one.yaml'])
  expect(leftOutOf(own.dir, { roots: [join(own.dir, 'svcsync.yaml')], extensions })).toEqual([])
})

it('a git that does not answer in time, and none at all, are told from a remote that refuses', async () => {
  const file = join(own.dir, 'svcsync.yaml')
  const ended = openRemote(file, 'origin', AbortSignal.abort())
  await expect(readLedger(ended, 'prod', 0)).rejects.toThrow(/cannot be read: git did not come to an end in time$/)
  vi.spyOn(process, 'env', 'get').mockReturnValue({ PATH: '/nowhere' })
  expect(() => openRemote(file, 'origin')).toThrow(/git is not installed$/)
  vi.restoreAllMocks()
})
