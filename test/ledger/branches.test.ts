// A branch that svcsync keeps on a remote, over real git: read, moved, taken away, and never where somebody else was
// first.
import { chmodSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commitFiles, foreignCommits } from '../../src/git/commit-files.ts'
import { fetchBranches, moveBranch } from '../../src/ledger/branches.ts'
import { openRemote } from '../../src/ledger/remote.ts'
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
