// Misleading addresses of remotes: a repository with the hooks of the folder's packer, or another destination than the
// address says.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  commonFolderOf,
  placeOfRemote,
  readAddress,
  readSettings,
  worktreeElsewhere,
} from '../../../src/git/repository.ts'
import { moveRef, openRemote } from '../../../src/ledger/remote.ts'
import { git, openRepository, type Repository } from '../../harness/repository.ts'

const ref = 'refs/svcsync/lease/test'
let folder: string
let repo: Repository
let ran: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'svcsync-remotes-')))
  ran = join(folder, 'RAN')
  mkdirSync(join(folder, 'repo'))
  repo = openRepository(join(folder, 'repo'))
  repo.write('svcsync.yaml', 'version: 1\n')
  repo.commit()
  // A repository in the repository, with a hook.
  git(repo.dir, 'init', '--quiet', '--bare', 'evil')
  mkdirSync(join(repo.dir, 'evil/hooks'))
  writeFileSync(join(repo.dir, 'evil/hooks/pre-receive'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  mkdirSync(join(repo.dir, 'sub'))
  symlinkSync(join(repo.dir, 'sub'), join(folder, 'link'))
  symlinkSync(join(repo.dir, 'evil'), join(folder, 'beside.git'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  for (const key of ['remote.o.url', 'remote.o.pushurl', 'core.worktree', 'core.bare']) {
    try {
      repo.git('config', '--unset-all', key)
    } catch {
      // It was not set.
    }
  }
  git(join(repo.dir, 'evil'), 'update-ref', '-d', ref)
  rmSync(ran, { force: true })
})

const placeOf = (dir = repo.dir) => placeOfRemote(dir, commonFolderOf(dir) ?? '', 'o', readSettings(dir) ?? [])
const to = (url: string) => repo.git('config', 'remote.o.url', url)

/** Each leads git to the hook. */
const inside = (): readonly string[] => [
  ...['./evil', 'evil', join(folder, 'repo/evil'), `file://${repo.dir}/evil`, `file://localhost${repo.dir}/evil`],
  ...[`file://${repo.dir}/e%76il`, `${folder}/beside`, '../beside.git', `${folder}/link/../evil`],
]

describe('a remote in the repository', () => {
  it('gets nothing pushed, however its address is written, and its hook does not run', async () => {
    const head = repo.git('rev-parse', 'HEAD')
    for (const url of inside()) {
      to(url)
      repo.git('push', '--quiet', '--force', 'o', `${head}:${ref}`)
      expect([url, existsSync(ran)]).toEqual([url, true])
      git(join(repo.dir, 'evil'), 'update-ref', '-d', ref)
      rmSync(ran)
      expect([url, placeOf()]).toEqual([url, 'inside'])
      expect(() => openRemote(join(repo.dir, 'svcsync.yaml'), 'o')).toThrow(/inside the repository/)
    }
    expect(existsSync(ran)).toBe(false)
  })

  it('is one also where the other address leads there, and where it is the repository itself', () => {
    to('https://h/company.git')
    expect(placeOf()).toBe('elsewhere')
    repo.git('config', 'remote.o.pushurl', './evil')
    expect(placeOf()).toBe('inside')
    repo.git('config', 'remote.o.pushurl', 'https://h/company.git')
    for (const url of ['.', repo.dir, '.git', '~/evil', 'not-there', `file:///../../../..${repo.dir}`]) {
      to(url)
      expect([url, placeOf()]).toEqual([url, 'inside'])
    }
  })

  it('is one also in the repository that a work tree belongs to', () => {
    repo.git('worktree', 'add', '--quiet', '--detach', '../linked')
    to(join(repo.dir, 'evil'))
    expect(placeOf(join(folder, 'linked'))).toBe('inside')
    to('../company.git')
    expect(placeOf(join(folder, 'linked'))).toBe('elsewhere')
    repo.git('worktree', 'remove', '../linked')
  })
})

describe('a remote elsewhere', () => {
  it('is a server, or a folder beside it', () => {
    const servers = [
      'https://h/.git',
      'ssh://git@h/evil.git',
      'git@h:evil.git',
      'h:/evil',
      'git://h/evil',
      '[::1]:evil',
    ]
    for (const url of [...servers, '../company.git', `${repo.dir}-2`, 'file:///company.git']) {
      to(url)
      expect([url, placeOf()]).toEqual([url, 'elsewhere'])
    }
  })

  it('is none where its last address is empty, whatever git makes of that', () => {
    to('../company.git')
    repo.git('config', '--add', 'remote.o.url', '')
    expect(() => openRemote(join(repo.dir, 'svcsync.yaml'), 'o')).toThrow(/the repository has no remote of that name/)
  })

  it('runs its own hooks: it is pushed to', async () => {
    git(folder, 'init', '--quiet', '--bare', 'company.git')
    to('../company.git')
    const head = repo.git('rev-parse', 'HEAD')
    const remote = openRemote(join(repo.dir, 'svcsync.yaml'), 'o')
    expect(await moveRef(remote, { ref, from: undefined, to: head })).toBe('moved')
    expect(git(join(folder, 'company.git'), 'rev-parse', ref)).toBe(head)
  })
})

describe('an address that git reads otherwise than people', () => {
  it.each([
    ...['file://server/company.git', 'file://%73erver/company.git', 'file://LOCALHOST/x', 'file://', 'file://server'],
    ...['file:///x@[h]/y', 'file://[h]/y', 'file:///a%0ab', 'file:///%ff', 'a://b\n', '', './a\u007fb', './x://y'],
  ])('%j is refused', (url) => {
    expect(readAddress(url)).toEqual({ is: 'unclear' })
  })

  it.runIf(process.platform !== 'win32')('is decoded as git does', () => {
    expect(readAddress('file:///a%20b/%c3%a9%zz%00%2')).toEqual({ is: 'folder', path: '/a b/é%zz%00%2' })
    expect(readAddress('file://%2Fa')).toEqual({ is: 'folder', path: '/a' })
    for (const url of ['FILE:///x', 'ext::sh -c x', 'codecommit::eu://x']) expect(readAddress(url).is).toBe('server')
  })

  it('ends a run with the code for it, and git would have run the hook', () => {
    to(`file://server${repo.dir}/evil`)
    expect(() => openRemote(join(repo.dir, 'svcsync.yaml'), 'o')).toThrow(/would not use the address/)
    repo.git('push', '--quiet', '--force', 'o', `HEAD:${ref}`)
    expect(existsSync(ran)).toBe(true)
  })
})

describe('core.worktree', () => {
  it('that leads elsewhere is refused: paths would begin there, and the hook run', () => {
    repo.git('config', 'core.worktree', '../..')
    to('repo/evil')
    repo.git('push', '--quiet', '--force', 'o', `HEAD:${ref}`)
    expect(existsSync(ran)).toBe(true)
    const open = () => openRemote(join(repo.dir, 'svcsync.yaml'), 'o')
    expect(open).toThrow(/change how git speaks .*core\.worktree/)
    const hint = expect.stringMatching(/^Nothing was sent\. Take core\.worktree out of the repository: /)
    expect(open).toThrow(expect.objectContaining({ hint }))
  })

  it('that leads to the folder itself, as that of a submodule does, is left', () => {
    git(folder, 'init', '--quiet', '--bare', 'company.git')
    for (const path of ['..', repo.dir]) {
      repo.git('config', 'core.worktree', path)
      expect(worktreeElsewhere(repo.dir)).toBe(false)
      to('../company.git')
      expect(openRemote(join(repo.dir, 'svcsync.yaml'), 'o').name).toBe('o')
    }
  })
})
