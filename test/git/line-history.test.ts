// Which commit last touched a line, by a real git; nothing that a repository names is run for it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { lineHistory } from '../../src/git/line-history.ts'

const folder = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dir = join(folder, 'origin')
const file = join(dir, 'a b.yaml')
const git = (at: string, day: string, ...args: string[]) =>
  String(
    execFileSync('git', ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', ...args], {
      cwd: at,
      stdio: 'pipe',
      env: {
        ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' },
        ...{ GIT_COMMITTER_DATE: `2026-05-${day}T03:02:01Z`, GIT_AUTHOR_DATE: `2026-05-${day}T03:02:01Z` },
      },
    }),
  ).trim()

it('knows the commit of each line, runs nothing for it, and says nothing of what it cannot know', () => {
  git(folder, '01', 'init', '--quiet', dir)
  writeFileSync(file, 'one\ntwo\n')
  writeFileSync(join(dir, '.gitattributes'), '*.yaml diff=own filter=own\n')
  git(dir, '01', 'add', '-A')
  git(dir, '01', 'commit', '--quiet', '-m', 'One')
  const first = git(dir, '01', 'rev-parse', 'HEAD')
  writeFileSync(file, 'one\nthree\n')
  git(dir, '02', 'commit', '--quiet', '-am', 'Two')
  const second = git(dir, '02', 'rev-parse', 'HEAD')
  const ran = join(folder, 'ran')
  const program = `touch '${ran}' && cat`
  for (const key of ['diff.own.textconv', 'filter.own.clean', 'filter.own.smudge'])
    git(dir, '03', 'config', key, program)
  // Nor is anything passed over.
  writeFileSync(join(folder, 'ignored'), `${second}\n`)
  git(dir, '03', 'config', 'blame.ignoreRevsFile', join(folder, 'ignored'))
  expect([...lineHistory(file)]).toEqual([
    [1, { commit: first, at: '2026-05-01T03:02:01Z' }],
    [2, { commit: second, at: '2026-05-02T03:02:01Z' }],
  ])
  expect(existsSync(ran)).toBe(false)
  // What is not committed is in no commit.
  writeFileSync(file, 'one\nfour\n')
  expect([...lineHistory(file)]).toEqual([])
  expect([...lineHistory(join(dir, '.gitattributes'))]).toHaveLength(1)
  // Who fetched the last commit alone does not know the others.
  const clone = join(folder, 'clone')
  git(folder, '03', 'clone', '--quiet', '--depth', '1', `file://${dir}`, clone)
  expect([...lineHistory(join(clone, 'a b.yaml'))]).toEqual([])
  writeFileSync(join(folder, 'outside.yaml'), 'one\n')
  expect([...lineHistory(join(folder, 'outside.yaml'))]).toEqual([])
})
