// A branch that svcsync keeps on a remote, over real git: read, moved, taken away, and never where somebody else was
// first.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commitFiles, foreignCommits } from '../../src/git/commit-files.ts'
import {
  fetchBranches,
  moveBranch,
  moveRef,
  moveTogether,
  openRemote,
  type RefUpdate,
  tryToPush,
} from '../../src/ledger/remote.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git, openRepository, type Repository } from '../harness/repository.ts'

let remote: GitRemote
let own: Repository
let base: string
beforeEach(() => {
  remote = openGitRemote()
  own = openRepository()
  own.write('svcsync.yaml', '')
  own.write('a/b/one.yaml', 'one\n')
  own.write('a/run.sh', 'run\n')
  chmodSync(`${own.dir}/a/run.sh`, 0o755)
  base = own.commit()
  own.git('remote', 'add', 'origin', remote.path)
  own.git('push', '--quiet', 'origin', 'main')
})
afterEach(() => {
  own.remove()
  remote.close()
})

const open = () => openRemote(`${own.dir}/svcsync.yaml`, 'origin', undefined, 'branch')
const files = (entries: Record<string, string>) => {
  return new Map(Object.entries(entries).map(([path, text]) => [path, Buffer.from(text)]))
}

it('makes the same commits of the same files, beside the folder', () => {
  const commits = [
    { message: 'first', files: files({ 'a/b/one.yaml': 'two\r\n', 'a/run.sh': 'go\n' }) },
    { message: 'second', files: files({ 'new/deep/file.yaml': 'new\n' }) },
  ]
  const tip = commitFiles(own.dir, base, commits)
  expect(commitFiles(own.dir, base, commits)).toBe(tip)
  expect(own.git('diff', '--name-status', base, tip).split('\n')).toEqual([
    'M\ta/b/one.yaml',
    'M\ta/run.sh',
    'A\tnew/deep/file.yaml',
  ])
  expect(own.git('ls-tree', tip, 'a/run.sh')).toMatch(/^100755 /)
  expect(own.git('show', `${tip}~:a/b/one.yaml`)).toBe('two')
  expect(own.git('log', '--format=%s %cn', `${base}..${tip}`)).toBe('second svcsync\nfirst svcsync')
  expect([own.git('status', '--porcelain'), own.git('fsck', '--strict', '--no-dangling')]).toEqual(['', ''])
  expect(foreignCommits(own.dir, tip, [base])).toEqual([])
  const other = own.git('commit-tree', `${tip}^{tree}`, '-p', tip, '-m', 'by hand')
  expect(foreignCommits(own.dir, other, [base])).toEqual([{ id: other, by: 'Anna' }])
})

it('moves a branch from where it was seen, and not from elsewhere', async () => {
  const to = open()
  const branch = 'svcsync/accept/prod'
  const first = commitFiles(own.dir, base, [{ message: 'first', files: files({ 'a/b/one.yaml': '1\n' }) }])
  expect([...(await fetchBranches(to, ['main', branch]))]).toEqual([['main', base]])
  await moveBranch(to, branch, undefined, first)
  expect((await fetchBranches(to, ['main', branch])).get(branch)).toBe(first)
  expect(own.git('branch', '--list')).toBe('* main')
  const clone = remote.clone('other', '--branch', branch)
  const theirs = commitAll(clone, 'theirs')
  git(clone, 'push', '--quiet', 'origin', branch)
  const second = commitFiles(own.dir, base, [{ message: 'second', files: files({ 'a/b/one.yaml': '2\n' }) }])
  for (const goal of [second, undefined])
    await expect(moveBranch(to, branch, first, goal)).rejects.toMatchObject({ code: 'SVC2825' })
  expect((await fetchBranches(to, [branch])).get(branch)).toBe(theirs)
  await moveBranch(to, branch, theirs, undefined)
  expect([...(await fetchBranches(to, [branch]))]).toEqual([])
})

const writeHook = (name: string, does: string): void => {
  mkdirSync(join(remote.path, 'hooks'), { recursive: true })
  writeFileSync(join(remote.path, 'hooks', name), `#!/bin/sh\n${does}\n`, { mode: 0o755 })
}
/** A push arrives, and who sent it never hears that. */
const loseAnswers = () => writeHook('post-receive', 'kill -9 $PPID')

describe('a push that the remote does not take', () => {
  const ref = 'refs/svcsync/applied/prod'
  const pushed = (to = base, from?: string) => moveRef(open(), { ref, from, to })
  it.each([
    ['a hook there declined it', () => writeHook('pre-receive', 'exit 1')],
    ['its rules do not allow it', () => git(remote.path, 'config', 'receive.hideRefs', 'refs/svcsync')],
    ['there is no repository at its address', () => own.git('config', 'remote.origin.pushurl', `${remote.path}.gone`)],
    ['it cannot be reached', () => own.git('config', 'remote.origin.pushurl', 'http://127.0.0.1:1/r.git')],
  ])('says that %s', async (why, make) => {
    const to = open()
    make()
    await expect(moveRef(to, { ref, from: undefined, to: base })).rejects.toMatchObject({
      code: 'SVC2236',
      message: `The remote \`origin\` does not take ${ref}: ${why}`,
      hint: expect.stringContaining('the right to push refs below refs/svcsync/'),
    })
  })

  it('says of a branch what the job needs', async () => {
    writeHook('pre-receive', 'exit 1')
    const hint = expect.stringMatching(/^The job needs the right to push this branch\./)
    await expect(moveBranch(open(), 'other', undefined, base)).rejects.toMatchObject({ code: 'SVC2236', hint })
  })

  it('is known as moved where it was, and as raced where somebody else was first', async () => {
    loseAnswers()
    expect(await pushed()).toBe('moved')
    expect(await pushed()).toBe('moved')
    const other = own.git('commit-tree', `${base}^{tree}`, '-m', 'other')
    expect(await pushed(other)).toBe('raced')
    expect(git(remote.path, 'rev-parse', ref)).toBe(base)
    expect(own.git('rev-parse', ref)).toBe(base)
    await tryToPush(open(), ref)
    expect(git(remote.path, 'rev-parse', ref)).toBe(base)
    expect(await pushed(other, base)).toBe('moved')
    expect(own.git('rev-parse', ref)).toBe(other)
    // Nobody looks once more where the answer came.
    writeHook('post-receive', 'mv "$PWD" "$PWD.gone"')
    expect(await pushed(base, other)).toBe('moved')
  })
})

it('no push is tried where nothing is committed yet', async () => {
  const to = open()
  own.git('symbolic-ref', 'HEAD', 'refs/heads/none')
  own.git('config', 'remote.origin.pushurl', `${remote.path}.gone`)
  expect(await tryToPush(to, 'refs/svcsync/lease/prod')).toBeUndefined()
})

describe('two refs in one push', () => {
  const [applied, lease] = ['refs/svcsync/applied/prod', 'refs/svcsync/lease/prod']
  const moves = () => [applied, lease].map((ref): RefUpdate => ({ ref, from: undefined, to: base }))
  const refs = (dir: string) => git(dir, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/svcsync')
  const both = () => `${applied} ${base}\n${lease} ${base}`
  const movedSingly = (all: readonly RefUpdate[]) => Promise.all(all.map((each) => moveRef(open(), each)))

  it('are moved, and remembered here', async () => {
    expect(await moveTogether(open(), moves())).toBe(true)
    expect([refs(remote.path), refs(own.dir)]).toEqual([both(), both()])
  })

  it('are known as moved where the answer was lost', async () => {
    loseAnswers()
    const all = moves()
    expect(await moveTogether(open(), all)).toBe(false)
    expect([refs(remote.path), refs(own.dir)]).toEqual([both(), ''])
    expect([await movedSingly(all), refs(own.dir)]).toEqual([['moved', 'moved'], both()])
  })

  it('stay, both of them, where somebody else has moved one: the other can be moved by itself', async () => {
    const other = own.git('commit-tree', `${base}^{tree}`, '-m', 'other')
    own.git('push', '--quiet', 'origin', `${other}:${applied}`)
    const all = moves()
    expect(await moveTogether(open(), all)).toBe(false)
    expect([refs(remote.path), refs(own.dir)]).toEqual([`${applied} ${other}`, ''])
    expect(await movedSingly(all)).toEqual(['raced', 'moved'])
    expect(refs(remote.path)).toBe(`${applied} ${other}\n${lease} ${base}`)
  })

  it('are not pushed where git would write another one here', async () => {
    own.git('symbolic-ref', lease, 'refs/heads/other')
    await expect(moveTogether(open(), moves())).rejects.toMatchObject({ code: 'SVC2243' })
    expect(refs(remote.path)).toBe('')
  })
})
