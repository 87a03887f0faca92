// Single entries of the ledger: as they are written and read back, where somebody forged them, and where git is no
// help.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import { appliedHistory } from '../../src/ledger/applied-history.ts'
import { missingFromCheckout } from '../../src/ledger/exact-commit.ts'
import { readKeptJournal } from '../../src/ledger/journal-ref.ts'
import { readLeaseNow } from '../../src/ledger/lease.ts'
import { readLedger, reasonToStay, refuseUnsignedIn, stateIn } from '../../src/ledger/ledger.ts'
import {
  appliedIn,
  emptyTree,
  type Lease,
  type LedgerEntry,
  leaseIn,
  ledgerRefs,
  readEntries,
  readEntry,
  writeApplied,
  writeCommit,
  writeLease,
} from '../../src/ledger/ledger-commit.ts'
import { openRemote } from '../../src/ledger/remote.ts'
import { git } from '../harness/repository.ts'
import { type History, openHistory } from './open-history.ts'

let lab: History['lab']
let own: History['own']
let remote: History['remote']
let [first, second, third, beside] = ['', '', '', '']
let close = (): void => {}
beforeAll(() => {
  ;({ lab, own, remote, first, second, third, beside, close } = openHistory({ 'a/one.yaml': 'one\n' }))
})
afterAll(() => close())

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
  expect(appliedIn(readEntry(own.dir, entry), 'prod')).toMatchObject({ approvedBy, commit: first })
  const unapproved = entryOf(first, undefined, undefined, { approvedBy: [] })
  expect(own.git('log', '-1', '--format=%b', unapproved)).not.toContain('Approvers')
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

it('a commit of another target, of no time, and one that keeps no commit is no entry of this one', () => {
  const forged = (At: string) => {
    const trailers = { Target: 'test', Applied: first, At }
    return readEntry(own.dir, writeCommit(own.dir, emptyTree(own.dir), [], 0, 'forged', trailers) ?? '')
  }
  expect(appliedIn(forged('x'), 'prod')).toBe('its commit is about the target `test`')
  expect(appliedIn(forged('x'), 'test')).toBe('its commit does not say when that was')
  expect(appliedIn(forged(at), 'test')).toBe('its commit does not keep the one that it names')
})

it('who approved a forged entry is read as far as they are names', () => {
  const trailers = { Target: 'prod', Applied: first, At: at, Approvers: '[1,"anna",{}]' }
  const forged = writeCommit(own.dir, emptyTree(own.dir), [first], 0, 'forged', trailers) ?? ''
  expect(appliedIn(readEntry(own.dir, forged), 'prod')).toMatchObject({ approvedBy: ['anna'] })
})

it('of approvals that the forge told, each commit has its own', () => {
  const approvals = { [second]: ['jan'], [third]: ['eva', 'anna'] }
  const newest = entryOf(third, entryOf(first), undefined, { approvals })
  const appliedBy = appliedHistory(own.dir, newest, 'prod')
  expect([first, second, third].map((commit) => appliedBy(commit)?.approvedBy)).toEqual([
    approvedBy,
    ['anna', 'ben (2)', 'jan'],
    ['anna', 'ben (2)', 'eva'],
  ])
  expect(appliedBy(third)).not.toHaveProperty('approvals')
})

it.each([
  ['[]', undefined],
  ['{"a":"anna","b":[1,"ben"]}', { a: [], b: ['ben'] }],
])('approvals of a forged entry are read as far as they are names: %s', (Approvals, told) => {
  const trailers = { Target: 'prod', Applied: first, At: at, Approvals }
  const forged = writeCommit(own.dir, emptyTree(own.dir), [first], 0, 'forged', trailers) ?? ''
  expect(appliedIn(readEntry(own.dir, forged), 'prod')).toMatchObject({ approvals: told })
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
    const run = {
      exact: { commit: first, reason: 'a file differs' },
      base: 'none' as const,
      hasEnded: false,
      rotates: false,
    }
    const report = { outcome, counts: { done }, unreadable: undefined } as never
    const stays = reasonToStay({ applied: undefined, begun: [] }, report, { ...run, isRemembered })
    expect(stays).toMatchObject({ reason: 'a file differs', hint: expect.stringMatching(hint) })
  },
)

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
    const hint = expect.stringContaining(`git verify-commit ${entry.slice(0, 12)}\` shows`)
    await expect(read(), ref).rejects.toMatchObject({ hint })
    await expect(read(), ref).rejects.toMatchObject({ hint: expect.stringContaining(way) })
    own.git('push', '--quiet', 'origin', `:${ref}`)
  }
  const gone = new Map([[lease, readEntry(own.dir, 'no such')]])
  expect(await refuseUnsignedIn(requiring, 'prod', { there: new Map(), here: gone })).toBeUndefined()
  const here = new Map([[lease, readEntry(own.dir, entry)]])
  await expect(refuseUnsignedIn(requiring, 'prod', { there: new Map(), here })).rejects.toMatchObject({
    code: 'SVC2245',
  })
})

it('files that a sparse checkout leaves out are known, also where the project is the whole repository', () => {
  own.git('update-index', '--skip-worktree', 'a/one.yaml')
  rmSync(join(own.dir, 'a/one.yaml'))
  const extensions = new Set(['.yaml'])
  for (const root of [own.dir, join(own.dir, 'a')])
    expect(missingFromCheckout(own.dir, { roots: [root], extensions }), root).toEqual(['a/one.yaml'])
  expect(missingFromCheckout(own.dir, { roots: [join(own.dir, 'svcsync.yaml')], extensions })).toEqual([])
})

it('what was applied before the ledger began was approved by nobody that it knows', () => {
  const noted = entryOf(third, entryOf(second))
  const appliedBy = appliedHistory(own.dir, noted, 'prod')
  expect([first, second, third].map((commit) => appliedBy(commit))).toEqual([
    { commit: second, at, application: 'ci', approvedBy: [], begins: true },
    { commit: second, at, application: 'ci', approvedBy, begins: true },
    { commit: third, at, application: 'ci', approvedBy },
  ])
  // Entries before one that svcsync has not written count no more.
  const overForeign = appliedHistory(
    own.dir,
    entryOf(third, own.git('commit-tree', `${first}^{tree}`, '-p', entryOf(first), '-m', 'x')),
    'prod',
  )
  expect([first, third].map((commit) => overForeign(commit)?.commit)).toEqual([third, third])
  expect(appliedHistory(own.dir, 'f'.repeat(40), 'prod')(first)).toBeUndefined()
})

it('the first entry has one before it, so that the log of first parents shows entries alone', () => {
  const entry = entryOf(second, entryOf(first))
  expect(own.git('log', '--first-parent', '--format=%s %ct %cn', entry).split('\n')).toEqual([
    `prod: applied ${second.slice(0, 12)}, 1 done, 2 unchanged, 3 read back 1767225600 svcsync`,
    `prod: applied ${first.slice(0, 12)}, 1 done, 2 unchanged, 3 read back 1767225600 svcsync`,
    'Begin the ledger of prod 0 svcsync',
  ])
  expect(own.git('diff', '--stat', entry, second)).toBe('')
  expect(entryOf('f'.repeat(40))).toBe('')
})

it('entries are read in their order, whatever is between them', () => {
  const [tree, entry] = [own.git('rev-parse', `${first}^{tree}`), entryOf(first, undefined, undefined, { lease: 'n' })]
  const read = readEntries(own.dir, ['HEAD', 'no such', tree, 'f'.repeat(40), entry, first])
  expect(read.map(({ id, flaw }) => [id, flaw])).toEqual([
    [third, undefined],
    ['', 'git cannot read it'],
    [tree, 'it is a tree, and no commit'],
    ['', 'git cannot read it'],
    [entry, undefined],
    [first, undefined],
  ])
  expect(appliedIn(read[4] as LedgerEntry, 'prod')).toMatchObject({ lease: 'n', entry, project: 'svcsync.yaml' })
  expect(readEntries(join(own.dir, '.git'), [first])).toMatchObject([{ id: first, parents: [] }])
})

const held = { holder: 'anna', where: 'ci', since: at, until: '2026-01-01T00:05:00.000Z', begun: [], after: undefined }
const leaseOf = (lease: Partial<Lease> = {}): string => writeLease(own.dir, { ...held, ...lease }, 'prod', 1000) ?? ''
const begunOf = (commit: string | null, more = {}): BegunCommit => ({ commit, at, only: [], ...more })

it('a lease is read as it was written, and its subject says who has it', () => {
  const full = {
    ...held,
    process: 'x:1',
    begun: [begunOf(first), begunOf(null)],
    after: second,
    name: 'n',
    left: [begunOf(first)],
  }
  for (const [lease, subject] of [
    [full, `prod: held by anna, begun and not completed: ${first.slice(0, 12)}, after an undo`],
    [{ ...held, begun: [begunOf(null)], until: undefined }, 'prod: given back by anna, after an undo'],
    [held, 'prod: held by anna'],
  ] as const) {
    const entry = leaseOf(lease)
    const body = own.git('log', '-1', '--format=%b', entry)
    expect([body.includes('Begun: '), body.includes('Left: ')]).toEqual([lease !== held, lease === full])
    expect(leaseIn(readEntry(own.dir, entry), 'prod')).toEqual({
      entry,
      process: undefined,
      name: undefined,
      left: [],
      ...lease,
    })
    expect(own.git('log', '-1', '--format=%s %ct', entry)).toBe(`${subject} 1`)
  }
  // Two that say the same are two.
  expect(leaseOf()).not.toBe(leaseOf())
})

it.each([
  ['no holder', { Target: 'prod', Since: at }, 'its commit is none of svcsync'],
  ['no beginning', { Target: 'prod', Holder: 'anna' }, 'its commit is none of svcsync'],
  ['no target', { Holder: 'anna', Since: at }, 'its commit is none of svcsync'],
  ['another target', { Target: 'test', Holder: 'anna', Since: at }, 'its commit is about the target `test`'],
])('a commit that names %s is no lease', (_what, trailers, flaw) => {
  const forged = writeCommit(own.dir, emptyTree(own.dir), [], 0, 'forged', trailers as Record<string, string>) ?? ''
  expect(leaseIn(readEntry(own.dir, forged), 'prod')).toBe(flaw)
  expect(leaseIn(readEntry(own.dir, emptyTree(own.dir)), 'prod')).toBe('it is a tree, and no commit')
})

it.each([
  ['commits that the lease does not keep', [begunOf('f'.repeat(40))]],
  ['something else', [1]],
  ['nothing in a list', {}],
  ['a part that is none', [{ commit: null, at, only: 'all' }]],
])('a lease that names %s as begun has begun nothing', (_what, begun) => {
  const trailers = { Target: 'prod', Holder: 'anna', Since: at, Begun: JSON.stringify(begun) }
  const forged = writeCommit(own.dir, emptyTree(own.dir), [first], 0, 'forged', trailers) ?? ''
  expect(leaseIn(readEntry(own.dir, forged), 'prod')).toMatchObject({ begun: [], left: [] })
})

describe('what was begun and not completed', () => {
  const all = () => [begunOf(first), begunOf(second, { undo: true }), begunOf(null)]
  const rest = () => [begunOf(first)]
  const none = () => []
  /** `applied`: the lease of the entry. `isThere`: the remote has the lease still. */
  const begunWith = (lease: Partial<Lease>, applied: string | undefined, isThere = true, commit = beside) => {
    const entry = applied === undefined ? undefined : entryOf(commit, undefined, undefined, { lease: applied })
    const refs = ledgerRefs('prod')
    const after = lease.after === 'entry' ? entry : lease.after && third
    const here = new Map([[refs.lease, readEntry(own.dir, leaseOf({ begun: all(), left: rest(), ...lease, after }))]])
    const there = new Map(isThere ? here : [])
    if (entry !== undefined) there.set(refs.applied, readEntry(own.dir, entry))
    return stateIn(remote, 'prod', { there, here, head: undefined }, Date.parse(at)).begun
  }
  it.each([
    ['of a lease whose apply wrote the entry is what that left', { name: 'n' }, 'n', true, rest],
    ['of a lease whose apply wrote no entry is all of it', { name: 'n' }, 'other', true, all],
    ['before anything was applied is all of it', { name: 'n' }, undefined, true, all],
    ['of an older svcsync counts until something is applied', { after: 'entry' }, '', true, all],
    ['of an older svcsync counts no more once something is applied', { after: 'other' }, '', true, none],
    ['is remembered here where the ref is gone', { name: 'n', after: 'entry' }, 'other', false, all],
    [
      'is forgotten here where the ref is gone, and something was applied',
      { name: 'n', after: 'other' },
      'm',
      false,
      none,
    ],
    ['is what was left here where the ref is gone, and its apply wrote the entry', { name: 'n' }, 'n', false, rest],
  ] as const)('%s', (_what, lease, applied, isThere, expected) => {
    expect(begunWith(lease, applied, isThere)).toEqual(expected())
  })
  it('is nothing of what was applied, but for what takes it back', () => {
    expect(begunWith({ name: 'n' }, 'other', true, first)).toEqual(all().slice(1))
    expect(begunWith({ name: 'n' }, 'other', true, second)).toEqual(all())
  })
})

it('a ledger that is gone from the remote is missed by a clone that has seen it', () => {
  const [{ applied }, entry] = [ledgerRefs('prod'), entryOf(first)]
  const lossOf = (seen: string) =>
    stateIn(
      remote,
      'prod',
      { there: new Map(), here: new Map([[applied, readEntry(own.dir, seen)]]), head: undefined },
      0,
    ).loss
  expect(lossOf(entry)).toBe(
    `${applied} is gone from the remote \`origin\`. This clone has seen it, with ${first.slice(0, 7)} ` +
      `as applied at ${at}: \`git push origin ${entry.slice(0, 12)}:${applied}\` puts it back.`,
  )
  expect(lossOf(first)).toBeUndefined()
})

it('a git that does not answer in time, and none at all, are told from a remote that refuses', async () => {
  const file = join(own.dir, 'svcsync.yaml')
  const ended = openRemote(file, 'origin', AbortSignal.abort())
  await expect(readLedger(ended, 'prod', 0)).rejects.toThrow(/cannot be read: git did not end in time$/)
  vi.spyOn(process, 'env', 'get').mockReturnValue({ PATH: '/nowhere' })
  expect(() => openRemote(file, 'origin')).toThrow(/git is not installed$/)
  vi.restoreAllMocks()
})

it('a lease of a target whose name looks like a trailer is what its trailers say', () => {
  const target = 'Svcsync-Until: x'
  const entry = writeLease(own.dir, { ...held, until: undefined }, target, 1000) ?? ''
  expect(leaseIn(readEntry(own.dir, entry), target)).toMatchObject({ until: undefined, holder: 'anna' })
})

describe('refs', () => {
  it.each([
    'prod',
    'a b',
    '..',
    '.hidden',
    'x.lock',
    'x.',
    'ä/ö',
    '@{1}',
    '-x',
    '~^:?*[\\',
    'a..b',
    "it's (1)!",
    'con',
    'NUL.x',
  ])('git takes that of a target `%s`, and each its own', (target) => {
    const { applied } = ledgerRefs(target)
    expect(git(lab.path, 'check-ref-format', applied)).toBe('')
    expect(applied.startsWith('refs/svcsync/applied/') && !applied.slice(21).includes('/')).toBe(true)
    expect(decodeURIComponent(applied.slice(21))).toBe(target)
    expect(applied).not.toMatch(/applied\/(?:con|nul)/i)
  })
})
