// The files of a commit as git keeps them: every name that git allows, links, submodules, sizes; and hostile
// repositories, none of which gets anything of its own to run.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import { CommitTree, commitOf, commitThatAdded, follows } from '../../src/git/commit-tree.ts'
import { isIgnoredByGit } from '../../src/git/repository.ts'
import { runGit } from '../../src/git/run-git.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { git, gitEnvironment, openRepository, type Repository } from '../harness/repository.ts'

const opened: Repository[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.remove()
})

function repository(): Repository {
  const repo = openRepository()
  opened.push(repo)
  return repo
}

const treeOf = (repo: Repository, ref = 'HEAD') => new CommitTree(repo.dir, commitOf(repo.dir, ref) ?? '')

const object = (dir: string, type: string, content: string | Uint8Array): string =>
  execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], {
    cwd: dir,
    env: gitEnvironment,
    input: content,
    encoding: 'utf8',
  }).trim()

/** A commit of entries that no checkout would make. */
function commitOfEntries(repo: Repository, entries: readonly (readonly [mode: string, name: Buffer, oid: string])[]) {
  const tree = object(
    repo.dir,
    'tree',
    Buffer.concat(entries.flatMap(([mode, name, oid]) => [`${mode} `, name, '\0', Buffer.from(oid, 'hex')].map(bytes))),
  )
  return repo.git('commit-tree', '-m', 'made', tree)
}

const bytes = (part: string | Buffer): Buffer => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)

describe('a commit', () => {
  it('has its files as they were, with every name that git allows', () => {
    const repo = repository()
    const names = [
      'a b.yaml',
      'é.yaml',
      'e\u0301.yaml',
      '-x.yaml',
      'new\nline.yaml',
      'tab\t.yaml',
      '"q".yaml',
      '日本.yaml',
    ]
    const oid = object(repo.dir, 'blob', 'groups: []\n')
    const made = [...names.map((name) => Buffer.from(name)), Buffer.from([0xff, 0x2e, 0x79]), Buffer.from('*.yaml')]
    const commit = commitOfEntries(
      repo,
      made.sort(Buffer.compare).map((name) => ['100644', name, oid] as const),
    )
    const tree = treeOf(repo, commit)
    const listed = tree.list(repo.dir).map(({ name }) => name)
    expect(new Set(listed)).toEqual(new Set([...names, '\\377.y', '*.yaml']))
    for (const name of listed) expect(String(tree.read(join(repo.dir, name), 1))).toBe('groups: []\n')
  })

  it('leads nowhere by names that no checkout would have', () => {
    const repo = repository()
    const oid = object(repo.dir, 'blob', 'groups: []\n')
    const inner = object(repo.dir, 'tree', Buffer.concat(['100644 a.yaml\0', Buffer.from(oid, 'hex')].map(bytes)))
    const entries = ['.', '..', '.git', 'm'].map((name) => ['40000', Buffer.from(name), inner] as const)
    const tree = treeOf(repo, commitOfEntries(repo, entries))
    const { files, problems } = findManifestFiles(repo.dir, ['.'], undefined, undefined, tree)
    expect(problems).toEqual([])
    expect(files).toEqual([join(repo.dir, 'm/a.yaml')])
  })

  it('follows links within itself, and none out of it', () => {
    const repo = repository()
    repo.write('shared/a.yaml', 'groups: []\n')
    const links = {
      'm/inside.yaml': '../shared/a.yaml',
      'm/folder': '../shared',
      'm/outside.yaml': '../../../../etc/passwd',
      'm/absolute.yaml': '/etc/passwd',
      'm/nowhere.yaml': 'nothing',
      'm/loop.yaml': 'loop.yaml',
    }
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(join(repo.dir, 'm'), { recursive: true })
      execFileSync('ln', ['-s', target, join(repo.dir, path)])
    }
    repo.commit()
    rmSync(join(repo.dir, 'm'), { recursive: true })
    const tree = treeOf(repo)
    const at = (path: string) => join(repo.dir, path)
    expect(String(tree.read(at('m/inside.yaml'), 1))).toBe('groups: []\n')
    expect(tree.realPath(at('m/folder/a.yaml'))).toBe(at('shared/a.yaml'))
    expect(tree.read(at('m/absolute.yaml'), 1)).toMatchObject({ code: 'ENOENT' })
    expect(tree.stat(at('m/nowhere.yaml'))).toBeUndefined()
    expect(tree.exists(at('m/nowhere.yaml'))).toBe(true)
    expect(() => tree.stat(at('m/loop.yaml'))).toThrow('ELOOP')
    repo.git('rm', '--quiet', '--cached', 'm/loop.yaml', 'm/nowhere.yaml')
    repo.git('commit', '--quiet', '-m', 'less')
    const { problems } = findManifestFiles(repo.dir, ['m'], undefined, undefined, treeOf(repo))
    expect(problems.map(({ message }) => message).sort()).toEqual([
      '`m/absolute.yaml` is a link that leads out of the project',
      '`m/outside.yaml` is a link that leads out of the project',
    ])
  })
})

describe('a commit', () => {
  it('says where files are in another repository', () => {
    const repo = repository()
    const inner = repository()
    inner.write('a.yaml', '')
    const head = inner.commit()
    repo.git('update-index', '--add', '--cacheinfo', `160000,${head},m/vendor`)
    repo.git('commit', '--quiet', '-m', 'with a submodule')
    const find = (...patterns: string[]) => findManifestFiles(repo.dir, patterns, undefined, undefined, treeOf(repo))
    expect(() => find('m')).toThrow('`m/vendor` is a submodule')
    expect(() => find('m/vendor/a.yaml')).toThrow('`m/vendor` is a submodule')
    expect(() => find('../elsewhere')).toThrow('lies outside the repository')
  })

  it('does not read what is larger than a file may be', () => {
    const repo = repository()
    repo.write('a.yaml', Buffer.alloc(65 * 1024 * 1024, 32))
    repo.commit()
    expect(treeOf(repo).read(join(repo.dir, 'a.yaml'), 64)).toMatchObject({ code: 'EFBIG' })
  })

  it('is found by what git takes for a commit, and by nothing that could be an option', () => {
    const repo = repository()
    repo.write('a', 'x')
    const commit = repo.commit('first')
    repo.git('tag', '-a', '-m', 'x', 'v1')
    const found = ['HEAD', 'main', 'v1', commit.slice(0, 8), 'main@{0}', 'HEAD~0', '@'].map((ref) =>
      commitOf(repo.dir, ref),
    )
    expect(new Set(found)).toEqual(new Set([commit]))
    const none = [
      '',
      '-h',
      '--batch',
      '--output=x',
      'HEAD~1',
      'HEAD:a',
      `HEAD\n${commit}`,
      'HEAD\0',
      'no',
      '@{upstream}',
    ]
    for (const ref of none) expect(commitOf(repo.dir, ref), ref).toBeUndefined()
  })
})

/** Whatever runs leaves a mark. */
function trap(repo: Repository): { readonly script: string; ran(): boolean } {
  const script = join(repo.dir, '.git/trap.sh')
  writeFileSync(script, `#!/bin/sh\necho ran >> "${repo.dir}/.git/RAN"\nexit 1\n`)
  chmodSync(script, 0o755)
  return { script, ran: () => existsSync(join(repo.dir, '.git/RAN')) }
}

function read(repo: Repository): string {
  const tree = treeOf(repo)
  const { files } = findManifestFiles(repo.dir, ['m'], undefined, undefined, tree)
  tree.prepare(files)
  return files.map((file) => String(tree.read(file, 1))).join()
}

describe('a hostile repository', () => {
  it('gets no hook, filter, monitor or other program of its own run', () => {
    const repo = repository()
    const { script, ran } = trap(repo)
    repo.write('m/a.yaml', 'users: []\n')
    repo.write('.gitattributes', '* filter=trap diff=trap merge=trap working-tree-encoding=UTF-16\n')
    const clean = object(repo.dir, 'blob', 'users: []\n')
    repo.git('update-index', '--add', '--cacheinfo', `100644,${clean},m/a.yaml`)
    repo.git('commit', '--quiet', '-m', 'x')
    for (const [key, value] of Object.entries({
      'core.fsmonitor': script,
      'core.hooksPath': join(repo.dir, '.git/hooks'),
      'core.sshCommand': script,
      'core.gitProxy': script,
      'core.pager': script,
      'core.editor': script,
      'core.askPass': script,
      'core.alternateRefsCommand': script,
      'pager.cat-file': script,
      'filter.trap.clean': script,
      'filter.trap.smudge': script,
      'filter.trap.process': script,
      'diff.external': script,
      'diff.trap.textconv': script,
      'diff.trap.command': script,
      'credential.helper': `!${script}`,
      'gpg.program': script,
      'uploadpack.packObjectsHook': script,
      'alias.cat-file': `!${script}`,
      'alias.ls-tree': `!${script}`,
      'trace2.eventTarget': `${repo.dir}/.git/RAN`,
    })) {
      repo.git('config', key, value)
    }
    for (const hook of [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'pre-commit',
      'fsmonitor-watchman',
    ]) {
      mkdirSync(join(repo.dir, '.git/hooks'), { recursive: true })
      writeFileSync(join(repo.dir, '.git/hooks', hook), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    }
    expect(read(repo)).toBe('users: []\n')
    const head = repo.git('rev-parse', 'HEAD')
    expect(commitThatAdded(repo.dir, 'm/a.yaml')).toBe(head)
    expect(follows(repo.dir, head, head)).toBe('yes')
    expect(isIgnoredByGit(join(repo.dir, 'm/a.yaml'))).toBe(false)
    expect(ran()).toBe(false)
    // The traps are no empty ones.
    runGit(repo.dir, ['-c', `core.fsmonitor=${script}`, 'status'])
    expect(ran()).toBe(true)
  })

  it('gets nothing fetched that it lacks', () => {
    const repo = repository()
    const { script, ran } = trap(repo)
    repo.write('m/a.yaml', 'users: []\n')
    repo.commit()
    const blob = repo.git('rev-parse', 'HEAD:m/a.yaml')
    rmSync(join(repo.dir, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    repo.git('config', 'core.repositoryFormatVersion', '1')
    repo.git('config', 'extensions.partialClone', 'origin')
    repo.git('config', 'remote.origin.promisor', 'true')
    for (const url of [`ext::${script}`, 'ssh://127.0.0.1/x', `${repo.dir}/elsewhere`]) {
      repo.git('config', 'remote.origin.url', url)
      repo.git('config', 'core.sshCommand', script)
      repo.git('config', 'remote.origin.uploadpack', script)
      repo.git('config', 'protocol.allow', 'always')
      repo.git('config', 'protocol.ext.allow', 'always')
      expect(() => read(repo)).toThrow('git cannot read a file of the commit')
      expect(ran()).toBe(false)
    }
    // It would have been.
    repo.git('config', 'remote.origin.url', `ext::${script}`)
    expect(() => repo.git('cat-file', '-p', blob)).toThrow()
    expect(ran()).toBe(true)
  })
})

describe('a hostile repository', () => {
  it('has no other content by replacements, and no other parents by grafts', () => {
    const repo = repository()
    repo.write('m/a.yaml', 'users: []\n')
    const first = repo.commit('first')
    repo.write('m/a.yaml', 'groups: []\n')
    const second = repo.commit('second')
    repo.git('replace', second, first)
    expect(read(repo)).toBe('groups: []\n')
    mkdirSync(join(repo.dir, '.git/info'))
    writeFileSync(join(repo.dir, '.git/info/grafts'), `${second}\n`)
    repo.git('replace', '-d', second)
    expect(runGit(repo.dir, ['merge-base', '--is-ancestor', first, second]).status).toBe(0)
  })

  it('is read where it stands, whatever the environment and its own files say of others', () => {
    const repo = repository()
    const other = repository()
    other.write('m/a.yaml', 'groups: []\n')
    other.commit()
    repo.write('m/a.yaml', 'users: []\n')
    repo.commit()
    const before = { ...process.env }
    Object.assign(process.env, {
      GIT_DIR: join(other.dir, '.git'),
      GIT_WORK_TREE: other.dir,
      GIT_OBJECT_DIRECTORY: join(other.dir, '.git/objects'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.worktree',
      GIT_CONFIG_VALUE_0: other.dir,
    })
    try {
      expect(read(repo)).toBe('users: []\n')
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    }
    repo.git('config', 'core.worktree', other.dir)
    expect(read(repo)).toBe('users: []\n')
    // No repository at all, within one: that one is not taken for it.
    mkdirSync(join(repo.dir, 'empty/.git'), { recursive: true })
    expect(() => commitOf(join(repo.dir, 'empty'), 'HEAD')).toThrow('as a repository')
  })

  it('may belong to somebody else, and be a work tree or a clone with borrowed objects', () => {
    const repo = repository()
    repo.write('m/a.yaml', 'users: []\n')
    repo.commit()
    const linked = repository()
    rmSync(linked.dir, { recursive: true })
    repo.git('worktree', 'add', '--quiet', '--detach', linked.dir)
    expect(read(linked)).toBe('users: []\n')
    const clone = repository()
    rmSync(clone.dir, { recursive: true })
    git(repo.dir, 'clone', '--quiet', '--shared', '--bare', repo.dir, join(repo.dir, 'beside.git'))
    git(repo.dir, 'clone', '--quiet', '--shared', join(repo.dir, 'beside.git'), clone.dir)
    expect(readdirSync(join(clone.dir, '.git/objects/info'))).toContain('alternates')
    // Only the administrator can give files away.
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '12345', clone.dir])
    expect(read(clone)).toBe('users: []\n')
  })
})
