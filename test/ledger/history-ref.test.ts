// The history of a target, in a ref of a real remote: several at once, bounds, and what others write there.
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { appendRun, type HistoryRun, knownDifferences, packDays } from '../../src/core/plan/run-history.ts'
import { lastingDrift } from '../../src/core/plan/status-report.ts'
import { keepRun, readHistory } from '../../src/ledger/history-ref.ts'
import { emptyTree, writeCommit } from '../../src/ledger/ledger-commit.ts'
import { openRemote, type Remote } from '../../src/ledger/remote.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const ref = 'refs/svcsync/history/test'
let workspace: Workspace
let lab: GitRemote
let remotes: readonly Remote[]
beforeAll(async () => {
  workspace = await openWorkspace()
  lab = openGitRemote()
  lab.adopt(workspace.dir)
  commitAll(workspace.dir, 'as it is')
  git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:main')
  const clones = ['one', 'two', 'three', 'four'].map((name) => lab.clone(name, '--branch', 'main'))
  remotes = clones.map((dir) => openRemote(`${dir}/svcsync.yaml`, 'origin'))
})
afterAll(async () => {
  lab.close()
  await workspace.close()
})
beforeEach(() => git(lab.path, 'update-ref', '-d', ref))

const first = () => remotes[0] as Remote
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const runAt = (minute: number, own: Partial<HistoryRun> = {}): HistoryRun => ({
  ...{ at: at(minute), command: 'drift', only: [], isComplete: true, severity: 'none', verdict: 'no drift' },
  ...{ counts: { differences: 0 }, elapsedMs: 1, requests: 1, days: {} },
  ...own,
})
const times = async () => (await readHistory(first(), 'test')).runs.map((run) => run.at)

it('loses no run of clones that push at the same time', async () => {
  const seen = await Promise.all(remotes.map((remote) => readHistory(remote, 'test')))
  await Promise.all(remotes.map((remote, index) => keepRun(remote, 'test', seen[index] as never, runAt(index))))
  expect((await times()).sort()).toEqual([0, 1, 2, 3].map(at))
  // The user's own refs stay as they are, and one commit is all that is kept.
  expect(git(lab.path, 'rev-list', '--count', ref)).toBe('1')
})

it('says that others were faster, after some tries', async () => {
  const [mine, other] = remotes as [Remote, Remote]
  const seen = await readHistory(mine, 'test')
  let minute = 0
  // A signature request meets the other run each time.
  const racing = new Proxy(mine, {
    get: (target, key) => {
      if (key !== 'signed') return Reflect.get(target, key)
      const commit = writeCommit(other.dir, emptyTree(other.dir), [], ++minute * 1000, 'another', {
        Target: 'test',
        Runs: '[]',
      })
      git(other.dir, 'push', '--quiet', '--force', 'origin', `${commit}:${ref}`)
      return undefined
    },
  })
  await expect(keepRun(racing, 'test', seen, runAt(0))).rejects.toThrow(/other runs moved .* 8 times meanwhile/)
})

it('that git cannot store takes no earlier one away', async () => {
  await keepRun(first(), 'test', await readHistory(first(), 'test'), runAt(0))
  const [kept, objects] = [await readHistory(first(), 'test'), join(first().dir, '.git/objects')]
  renameSync(objects, `${objects}.kept`)
  symlinkSync('/proc', objects)
  const keeping = keepRun(first(), 'test', kept, runAt(1)).finally(() => {
    rmSync(objects)
    renameSync(`${objects}.kept`, objects)
  })
  await expect(keeping).rejects.toMatchObject({ code: 'SVC2236', message: `git cannot store ${ref}` })
  expect(git(lab.path, 'rev-parse', ref)).toBe(kept.entry)
})

it('refuses what others wrote, entry by entry, and takes the rest', async () => {
  const sound = runAt(1)
  const cases: readonly (readonly [content: string, runs: number, flaw: RegExp, target?: string])[] = [
    [JSON.stringify([sound]), 0, /was not written by svcsync/, 'another'],
    ['[{', 0, /was not written by svcsync/],
    ['{}', 0, /was not written by svcsync/],
    [JSON.stringify([{ ...sound, verdict: 'x'.repeat(2 ** 20) }]), 0, /was not written by svcsync/],
    [JSON.stringify([1, null, {}, { ...sound, at: 'garbage' }, sound]), 1, /did not write: 4$/],
    [
      JSON.stringify([
        { ...sound, days: { x: 'short' } },
        { ...sound, counts: { differences: -1 } },
      ]),
      0,
      /write: 2$/,
    ],
    [JSON.stringify([{ ...sound, named: [{ is: 'a', since: 'then', what: 'x' }] }, sound]), 1, /write: 1$/],
    // The schema takes them, but they are no moments.
    [JSON.stringify([{ ...sound, at: '2026-01-01' }, sound]), 1, /write: 1$/],
    [JSON.stringify([{ ...sound, named: [{ is: 'abcdef', since: '2026-02-30', what: 'x' }] }, sound]), 1, /write: 1$/],
  ]
  const { dir } = first()
  for (const [index, [content, runs, flaw, Target = 'test']] of cases.entries()) {
    const commit = writeCommit(dir, emptyTree(dir), [], index, 'forged', { Target, Runs: content })
    git(dir, 'push', '--quiet', '--force', 'origin', `${commit}:${ref}`)
    const kept = await readHistory(first(), 'test')
    expect([kept.runs.length, kept.flaw], content.slice(0, 60)).toEqual([runs, expect.stringMatching(flaw)])
  }
  expect((await keepRun(first(), 'test', await readHistory(first(), 'test'), runAt(2))).map((run) => run.at)).toEqual([
    at(1),
    at(2),
  ])
  expect(await readHistory(first(), 'other')).toEqual({ entry: undefined, runs: [] })
})

it('keeps a hundred runs, in 256 kB, and the age of what differs with the last one', () => {
  const many = packDays(
    new Map(Array.from({ length: 9000 }, (_, index) => [`${1e5 + index}`, index < 8000 ? '2026-01-02' : '2026-01-01'])),
  )
  expect(Object.values(many).join('')).toHaveLength(6000 * 6)
  expect(many['2026-01-01']).toHaveLength(1000 * 6)
  let runs: readonly HistoryRun[] = []
  for (let minute = 0; minute < 150; minute++) runs = appendRun(runs, runAt(minute))
  expect(runs.map((run) => run.at)).toEqual(Array.from({ length: 100 }, (_, index) => at(50 + index)))
  for (let minute = 150; minute < 160; minute++) runs = appendRun(runs, runAt(minute, { days: many, named: [] }))
  expect(JSON.stringify(runs).length).toBeLessThanOrEqual(256 * 1024)
  expect(runs.at(-1)?.at).toBe(at(159))
  expect(runs.filter(({ named }) => named)).toHaveLength(1)
  expect(knownDifferences(runs, [], 'days').since.get('108500')).toBe('2026-01-01')
})

it('knows since when something differs, through runs over a part, runs that could not read all, and applies', () => {
  const days = (text: string, day = '2026-01-01') => ({ days: { [day]: text } })
  const known = (...runs: HistoryRun[]) => Object.fromEntries(knownDifferences(runs, [], 'days').since)
  const [a, b] = ['aaaaaa', 'bbbbbb']
  expect(known(runAt(0, days(a)), runAt(1, days('')))).toEqual({})
  expect(known(runAt(0, days(a)), runAt(1, { ...days(''), isComplete: false }))).toEqual({ [a]: '2026-01-01' })
  expect(known(runAt(0, days(a + b)), runAt(1, { ...days(b, '2026-01-03'), only: ['x'] }))).toEqual({
    [a]: '2026-01-01',
    [b]: '2026-01-03',
  })
  const apply = runAt(1, { command: 'apply', days: undefined as never, healed: a })
  expect(known(runAt(0, days(a + b)), apply)).toEqual({ [b]: '2026-01-01' })
  const named = [
    { is: a, since: '2026-01-01', what: 'a' },
    { is: b, since: '2026-01-01', what: 'b' },
  ]
  const drift = runAt(0, { ...days(a + b), named, counts: { differences: 2 } })
  expect(lastingDrift([drift, apply])).toEqual({
    at: at(0),
    isComplete: true,
    differences: 1,
    named: [{ since: '2026-01-01', what: 'b' }],
  })
})
