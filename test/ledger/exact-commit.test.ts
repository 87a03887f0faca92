// Decides that the files of a project are exactly a commit: compared with git's own status of the working tree.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { globSync } from 'tinyglobby'
import { afterEach, describe, expect, it } from 'vitest'
import { commitsBetween, exactCommit } from '../../src/ledger/exact-commit.ts'
import { git, openRepository, type Repository } from '../harness/repository.ts'
import { isThorough } from '../harness/thorough.ts'

const opened: Repository[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.remove()
})
function repository(): Repository {
  const repo = openRepository()
  opened.push(repo)
  for (const name of ['a', 'b', 'c', 'tab\t']) repo.write(`project/manifests/${name}.yaml`, `groups: [] # ${name}\n`)
  repo.write('project/svcsync.yaml', 'version: 1\n')
  repo.write('elsewhere.yaml', 'x: 1\n')
  repo.commit()
  return repo
}

/** As a run finds them: what is there now. */
const filesIn = ({ dir }: Repository) => ({
  files: globSync('project/**/*.yaml', { cwd: dir, absolute: true, dot: true }),
  roots: [join(dir, 'project/svcsync.yaml'), join(dir, 'project/manifests')],
  extensions: new Set(['.yaml']),
})
const exact = (repo: Repository) => exactCommit(repo.dir, filesIn(repo))

const name = fc.constantFrom('a', 'b', 'c', 'd', 'sub/e', 'ü ö', '-x', 'tab\t', 'new\nline', ':(top)x', '*')
const edit = fc.oneof(
  fc.record({ does: fc.constantFrom('write', 'delete', 'stage', 'touch'), name, text: fc.constantFrom('1', '2') }),
  fc.record({ does: fc.constantFrom('commit', 'elsewhere', 'restore'), name, text: fc.constant('') }),
)

it('says what git status says of the project, whatever is edited, staged and committed', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
      const repo = repository()
      for (const { does, name, text } of edits) {
        const file = `project/manifests/${name}.yaml`
        const path = join(repo.dir, file)
        const acts: Readonly<Record<string, () => void>> = {
          write: () => repo.write(file, `groups: [] # ${text}\n`),
          delete: () => rmSync(path, { force: true }),
          stage: () => repo.git('add', '--all'),
          commit: () => repo.commit(),
          elsewhere: () => repo.write('elsewhere.yaml', `x: ${edits.length}\n`),
          restore: () => repo.git('reset', '--quiet', '--hard'),
        }
        const touch = () => repo.git('ls-files', '--', file) !== '' && writeFileSync(path, readIf(path))
        ;(acts[does] ?? touch)()
      }
      const { commit, reason } = exact(repo)
      const status = repo.git('diff', '--name-only', 'HEAD', '--', 'project')
      const untracked = repo.git('ls-files', '--others', '--', 'project')
      // The index does not matter: files are compared as they are in the working tree.
      expect([commit, reason === undefined]).toEqual([repo.git('rev-parse', 'HEAD'), status === '' && untracked === ''])
      repo.remove()
    }),
    { numRuns: isThorough ? 15 : 6 },
  )
})

const readIf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

describe('a file', () => {
  it('that is not as committed is named, and so is a branch without a commit', () => {
    const repo = repository()
    repo.write('project/manifests/b.yaml', 'groups: [] # other\n')
    expect(exact(repo).reason).toBe('project/manifests/b.yaml is not as it was committed')
    const found = filesIn(repo)
    rmSync(join(repo.dir, 'project/manifests/b.yaml'))
    expect(exact(repo).reason).toBe('project/manifests/b.yaml is deleted, but still committed')
    expect(exactCommit(repo.dir, found).reason).toBe('project/manifests/b.yaml is not as it was committed')
    repo.git('checkout', '--quiet', '--orphan', 'none')
    expect(exact(repo)).toEqual({ commit: undefined, reason: 'the branch has no commit yet' })
  })

  it('is found in a folder whose name means something to git', () => {
    const repo = repository()
    repo.write(':(glob)x/e.yaml', 'groups: []\n')
    const commit = repo.commit()
    const file = join(repo.dir, ':(glob)x/e.yaml')
    const found = { files: [file], roots: [join(repo.dir, ':(glob)x')], extensions: undefined }
    expect(exactCommit(repo.dir, found)).toEqual({ commit })
    rmSync(file)
    expect(exactCommit(repo.dir, { ...found, files: [] }).reason).toBe(
      ':(glob)x/e.yaml is deleted, but still committed',
    )
  })

  it('whose lines end otherwise, and whose rights are others, is the same', () => {
    const repo = repository()
    repo.write('project/manifests/a.yaml', 'groups: [] # a\r\n')
    chmodSync(join(repo.dir, 'project/manifests/b.yaml'), 0o755)
    expect(exact(repo)).toEqual({ commit: repo.git('rev-parse', 'HEAD') })
    repo.write('project/manifests/c.yaml', 'groups: [] # c\r\n')
    const commit = repo.commit()
    expect(repo.git('show', '--numstat', '--format=', commit)).toContain('project/manifests/c.yaml')
    expect(exact(repo)).toEqual({ commit })
  })

  it('that is a link, ignored, or in another repository is no part of the commit', () => {
    const repo = repository()
    renameSync(join(repo.dir, 'project/manifests/a.yaml'), join(repo.dir, 'real.yaml'))
    symlinkSync('../../real.yaml', join(repo.dir, 'project/manifests/a.yaml'))
    repo.commit()
    expect(exact(repo)).toMatchObject({
      reason: 'real.yaml is read through a link',
      hint: expect.stringContaining('list the file itself'),
    })
    const other = repository()
    other.write('.gitignore', 'd.yaml\n')
    other.commit()
    other.write('project/manifests/d.yaml', 'groups: []\n')
    expect(exact(other).reason).toBe('project/manifests/d.yaml is in no commit')
    const outer = repository()
    mkdirSync(join(outer.dir, 'project/manifests/inner'))
    openRepository(join(outer.dir, 'project/manifests/inner'))
    outer.write('project/manifests/inner/x.yaml', 'groups: []\n')
    expect(exact(outer)).toMatchObject({
      reason: 'project/manifests/inner/x.yaml is in another repository',
      hint: expect.not.stringContaining('Commit, and run apply again'),
    })
  })
})

describe('a file', () => {
  it('outside of the repository is no part of any commit', () => {
    const repo = repository()
    const found = filesIn(repo)
    expect(exactCommit(repo.dir, { ...found, files: [...found.files, '/etc/hostname'] }).reason).toBe(undefined)
    const beside = { ...found, files: [], roots: [`${repo.dir}-beside`, '/etc'] }
    expect(exactCommit(repo.dir, beside)).toEqual({ commit: repo.git('rev-parse', 'HEAD') })
  })

  it('counts by its ending, whatever its case, and is held against the commit that is asked for', () => {
    const repo = repository()
    const before = repo.git('rev-parse', 'HEAD')
    repo.write('project/manifests/z.YAML', 'groups: []\n')
    repo.write('project/manifests/z.txt', 'text\n')
    const head = repo.commit()
    rmSync(join(repo.dir, 'project/manifests/z.txt'))
    expect(exact(repo)).toEqual({ commit: head })
    const whole = { files: [], roots: [repo.dir], extensions: undefined }
    expect(exactCommit(repo.dir, whole).reason).toBe('project/manifests/z.txt is deleted, but still committed')
    rmSync(join(repo.dir, 'project/manifests/z.YAML'))
    expect(exact(repo).reason).toBe('project/manifests/z.YAML is deleted, but still committed')
    expect(exactCommit(repo.dir, filesIn(repo), before)).toEqual({ commit: before })
    const unknown = '0'.repeat(40)
    expect(exactCommit(repo.dir, filesIn(repo), unknown)).toEqual({
      commit: unknown,
      reason: 'git cannot list its files',
    })
  })

  it('is compared in a repository that counts by SHA-256, too, and a link that was committed is none', () => {
    const top = mkdtempSync(join(tmpdir(), 'svcsync-sha256-'))
    git(top, 'init', '--quiet', '--object-format=sha256')
    const repo = openRepository(top)
    opened.push(repo)
    repo.write('project/a.yaml', 'groups: []\n')
    symlinkSync('a.yaml', join(top, 'project/link.yaml'))
    const commit = repo.commit()
    const found = { files: [join(top, 'project/a.yaml')], roots: [join(top, 'project')], extensions: undefined }
    expect(exactCommit(realpathSync(top), found)).toEqual({ commit })
    rmSync(join(top, 'project/link.yaml'))
    writeFileSync(join(top, 'project/link.yaml'), 'a.yaml')
    const both = { ...found, files: [...found.files, join(top, 'project/link.yaml')] }
    expect(exactCommit(realpathSync(top), both).reason).toBe('project/link.yaml is not as it was committed')
  })
})

it('commits that touch the project are counted, and no others', () => {
  const repo = repository()
  const first = repo.git('rev-parse', 'HEAD')
  repo.write('elsewhere.yaml', 'x: 2\n')
  repo.commit()
  repo.write('project/manifests/a.yaml', 'groups: []\n')
  const third = repo.commit()
  const { roots } = filesIn(repo)
  expect(commitsBetween(repo.dir, first, third, roots)).toBe(1)
  expect(commitsBetween(repo.dir, third, first, roots)).toBe(0)
  expect(commitsBetween(repo.dir, first, '0'.repeat(40), roots)).toBe(undefined)
  expect(commitsBetween(repo.dir, first, third, [repo.dir])).toBe(2)
  expect(commitsBetween(repo.dir, first, third, [...roots, '/etc'])).toBe(1)
})
