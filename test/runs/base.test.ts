// The base of a plan: what was declared at a commit or in a folder, read by the code that reads any project; and what
// is said where there is none.
import { cpSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { identityOf } from '../../src/core/model/declaration.ts'
import { canonicalJson, type Json } from '../../src/core/model/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { openBase } from '../../src/runs/open/open-base.ts'
import { type OpenOptions, openProject, type ReadProject } from '../../src/runs/open/open-project.ts'
import { git, openRepository, type Repository } from '../harness/repository.ts'

const project = `version: 1
manifests: [manifests]
targets:
  test:
    baseUrl: https://svc.example.com
    databases: { main: 1 }
`
const group = (...members: string[]) => `groups:
  - svcId: staff@example.com
    members: [${members.join(', ')}]
`

const opened: Repository[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.remove()
})

function repository(manifest = group('anna@example.com', 'jan@example.com'), folder = ''): Repository {
  const repo = openRepository()
  opened.push(repo)
  repo.write(`${folder}svcsync.yaml`, project)
  repo.write(`${folder}manifests/groups.yaml`, manifest)
  return repo
}

const optionsIn = (cwd: string, more: Partial<OpenOptions> = {}): OpenOptions => ({
  cwd,
  env: {},
  kinds,
  needCredentials: false,
  nowMs: Date.parse('2026-01-01T00:00:00Z'),
  ...more,
})

function baseIn(cwd: string, ref: string, more: Partial<OpenOptions> = {}) {
  const options = optionsIn(cwd, more)
  return openBase({ ref }, openProject(options), options)
}

const declared = ({ declarations }: ReadProject): string[] =>
  declarations.map((each) => `${identityOf(each)} ${canonicalJson(each.item as Json)}`)

describe('a base', () => {
  it('is what was declared at a commit, whatever lies there now, with the places of then', () => {
    const repo = repository()
    const commit = repo.commit()
    repo.write('manifests/groups.yaml', `\n\n${group('anna@example.com')}`)
    const base = baseIn(repo.dir, 'HEAD')
    expect(base).toMatchObject({ ref: 'HEAD', commit, from: 'since' })
    expect(declared(base.read)).toEqual([
      'staff@example.com {"members":["anna@example.com","jan@example.com"],"svcId":"staff@example.com"}',
    ])
    const [declaration] = base.read.declarations
    expect(declaration?.source.placeAt(0)).toMatchObject({ file: 'manifests/groups.yaml', line: 1 })
    expect(base.read.problems).toEqual([])
  })

  it('is the same declaration where the file is as it was', () => {
    const repo = repository()
    repo.write('manifests/users.yaml', 'users:\n  - svcId: anna@example.com\n')
    repo.commit()
    repo.write('manifests/users.yaml', 'users: []\n')
    const options = optionsIn(repo.dir)
    const now = openProject(options)
    const { read } = openBase({ ref: 'HEAD' }, now, options)
    const inGroups = ({ declarations }: ReadProject) =>
      declarations.filter(({ source }) => source.file === 'manifests/groups.yaml')
    expect(inGroups(read)).toHaveLength(1)
    expect(inGroups(read)[0]).toBe(inGroups(now)[0])
  })

  it('is a folder, too, without git', () => {
    const repo = repository()
    cpSync(join(repo.dir, 'manifests'), join(repo.dir, 'before/manifests'), { recursive: true })
    cpSync(join(repo.dir, 'svcsync.yaml'), join(repo.dir, 'before/svcsync.yaml'))
    rmSync(join(repo.dir, '.git'), { recursive: true })
    repo.write('manifests/groups.yaml', group())
    const base = baseIn(repo.dir, 'before')
    expect(base).toMatchObject({ ref: 'before', commit: null, from: 'folder' })
    expect(declared(base.read)[0]).toContain('jan@example.com')
    expect(base.read.declarations[0]?.source.file).toBe('before/manifests/groups.yaml')
  })

  it('follows no reference, and wants no variable, file or credential', () => {
    const repo = repository(`database: main
constants:
  - name: Url
    common: "\${file:url.txt}"
connections:
  - name: ERP
    type: SQL
    sql:
      common:
        server: "\${var:server}"
        database: "\${var:database}"
        user: "\${var:user}"
        password: "\${env:ERP_PASSWORD}"
`)
    repo.write(
      'svcsync.yaml',
      `${project.replace('https://svc.example.com', '"${env:ADDRESS}"')}    clientId: "\${env:NOBODY}"
    clientSecret: "\${env:NO_SECRET}"
    expect: { installation: { signsInAs: ["\${env:WHO}"] } }
    variables: { server: sql, database: then, user: "\${env:ERP_USER}" }
policies: [gone]
`,
    )
    repo.commit()
    repo.write('svcsync.yaml', project)
    repo.write('manifests/groups.yaml', group())
    const { read } = baseIn(repo.dir, 'HEAD', { variables: { database: 'given' } })
    const [constant, connection] = read.declarations.map(({ item }) => item)
    expect(String(constant?.common)).toBe('${file:url.txt}')
    const common = (connection as { sql: { common: Record<string, unknown> } }).sql.common
    expect(common.server).toBe('sql')
    expect(common.database).toBe('given')
    expect(String(common.user)).toBe('${var:user}')
    expect(String(common.password)).toBe('${env:ERP_PASSWORD}')
  })

  it('has its own target, sets and overrides', () => {
    const repo = repository(group('all'))
    repo.write('svcsync.yaml', `${project}    overrides: [own]\nsets:\n  all: [anna@example.com]\n`)
    repo.write('own/main.yaml', 'groups:\n  - svcId: staff@example.com\n    name: Then\n')
    repo.commit()
    repo.write('svcsync.yaml', project)
    repo.write('manifests/groups.yaml', group())
    const { read } = baseIn(repo.dir, 'HEAD')
    expect([...read.assembly.sets.keys()]).toEqual(['all'])
    expect([...(read.assembly.overrides ?? [])]).toEqual(['own/main.yaml'])
    expect(read.declarations).toHaveLength(2)
  })
})

describe('where the project lies', () => {
  it('may be a folder of a larger repository', () => {
    const repo = repository(undefined, 'infra/svc/')
    repo.write('infra/svc/manifests/more.yaml', 'users:\n  - svcId: anna@example.com\n')
    repo.write('other/manifests/groups.yaml', 'nonsense: [')
    repo.commit()
    repo.write('infra/svc/manifests/groups.yaml', group())
    const { read } = baseIn(join(repo.dir, 'infra/svc'), 'main')
    expect(read.declarations.map(({ source }) => source.file)).toEqual(['manifests/groups.yaml', 'manifests/more.yaml'])
  })

  it('may be a work tree, and a folder that a link leads to', () => {
    const repo = repository()
    repo.commit()
    const tree = join(realpathSync(mkdtempSync(join(tmpdir(), 'svcsync-git-'))), 'tree')
    repo.git('worktree', 'add', '--quiet', '--detach', tree)
    expect(declared(baseIn(tree, 'main').read)).toHaveLength(1)
    rmSync(join(tree, '..'), { recursive: true })
  })

  it('may have been elsewhere, which is said', () => {
    const repo = repository(undefined, 'old/')
    repo.commit()
    renameSync(join(repo.dir, 'old'), join(repo.dir, 'new'))
    const base = baseIn(join(repo.dir, 'new'), 'HEAD')
    expect(declared(base.read)).toHaveLength(1)
    expect(base.read.problems).toMatchObject([
      {
        code: 'SVC2209',
        severity: 'warning',
        message: 'The project file has moved: in the base, it is `old/svcsync.yaml`',
      },
    ])
  })

  it('is not where another project lies that is still there, nor where nobody can tell', () => {
    const repo = repository(undefined, 'one/')
    repo.write('two/svcsync.yaml', project)
    repo.commit()
    repo.write('three/svcsync.yaml', project)
    repo.write('three/manifests/groups.yaml', group())
    const refused = () => baseIn(join(repo.dir, 'three'), 'HEAD')
    expect(refused).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('has no project file `three/svcsync.yaml`'),
        hint: expect.stringContaining('No checked-out commit has the file'),
      }),
    )
    const before = repo.git('rev-parse', 'HEAD')
    const added = repo.commit('Three').slice(0, 7)
    repo.commit('Later')
    // The command of the hint works.
    const since = () => baseIn(join(repo.dir, 'three'), before)
    expect(since).toThrow(expect.objectContaining({ hint: expect.stringContaining(`: \`--since ${added}\`.`) }))
    expect(declared(baseIn(join(repo.dir, 'three'), added).read)).toHaveLength(1)
    rmSync(join(repo.dir, 'one'), { recursive: true })
    rmSync(join(repo.dir, 'two'), { recursive: true })
    expect(since).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('and several that are no more: one/svcsync.yaml, two/svcsync.yaml'),
        hint: expect.stringContaining(`git worktree add --detach ../then ${before.slice(0, 7)}\``),
      }),
    )
    expect(since).toThrow(expect.objectContaining({ hint: expect.stringContaining('such as `--since ../then/one`.') }))
  })
})

describe('what was declared then', () => {
  it('is nothing, which is said, where the target was not there', () => {
    const repo = repository()
    repo.write('svcsync.yaml', project.replace('test:', 'other:'))
    repo.commit()
    repo.write('svcsync.yaml', project)
    const { read } = baseIn(repo.dir, 'HEAD')
    expect(read.declarations).toEqual([])
    expect(read.problems).toMatchObject([{ code: 'SVC2206', severity: 'warning' }])
  })

  it.each([
    [
      'has a form that is older or newer',
      project.replace('version: 1', 'version: 0'),
      group(),
      /SVC1501 {2}\w{7} svcsync.yaml:1:10/,
    ],
    ['is no YAML', project, 'groups: [', /SVC1003 {2}\w{7} manifests\/groups.yaml:1/],
    [
      'names manifests by a reference',
      project.replace('[manifests]', '["${env:DIR}"]'),
      group(),
      /names manifests by a reference/,
    ],
    ['names what there was not', project.replace('[manifests]', '[gone]'), group(), /no file or folder `gone`/],
  ])('cannot be used where it %s', (_, file, manifest, message) => {
    const repo = repository(manifest)
    repo.write('svcsync.yaml', file)
    repo.commit()
    repo.write('svcsync.yaml', project)
    repo.write('manifests/groups.yaml', group())
    expect(() => baseIn(repo.dir, 'HEAD')).toThrow(message)
    expect(() => baseIn(repo.dir, 'HEAD')).toThrow('does not validate with this svcsync')
  })

  it('names no more findings than help', () => {
    const repo = repository(`groups:\n${'  - { svcId: a@example.com, nmae: x }\n'.repeat(30)}`)
    repo.commit()
    repo.write('manifests/groups.yaml', group())
    expect(() => baseIn(repo.dir, 'HEAD')).toThrow(/and 20 more$/)
  })
})

describe('a clone that lacks what is asked for', () => {
  function cloned(...options: string[]) {
    const repo = repository()
    repo.git('config', 'uploadpack.allowFilter', 'true')
    repo.commit('first')
    repo.write('manifests/groups.yaml', group('anna@example.com'))
    repo.commit('second')
    const clone = openRepository()
    opened.push(clone)
    rmSync(clone.dir, { recursive: true })
    git(repo.dir, 'clone', '--quiet', ...options, `file://${repo.dir}`, clone.dir)
    return clone.dir
  }

  it('says that it is shallow, and what brings the rest', () => {
    const dir = cloned('--depth', '1')
    expect(declared(baseIn(dir, 'HEAD').read)).toHaveLength(1)
    expect(() => baseIn(dir, 'HEAD~1')).toThrow(
      expect.objectContaining({ code: 'SVC2201', hint: expect.stringContaining('`git fetch --unshallow`') }),
    )
    git(dir, 'fetch', '--quiet', '--unshallow')
    expect(declared(baseIn(dir, 'HEAD~1').read)[0]).toContain('jan@example.com')
  })

  it('is refused where it is sparse: what it leaves out would be taken away', () => {
    const dir = cloned()
    git(dir, 'update-index', '--skip-worktree', 'manifests/groups.yaml')
    expect(declared(baseIn(dir, 'HEAD').read)).toHaveLength(1)
    renameSync(join(dir, 'manifests/groups.yaml'), join(dir, 'manifests/other.yaml'))
    expect(() => baseIn(dir, 'HEAD')).toThrow(
      expect.objectContaining({ code: 'SVC2241', message: expect.stringContaining('project: manifests/groups.yaml') }),
    )
    // Files outside the project may be missing.
    git(dir, 'update-index', '--no-skip-worktree', 'manifests/groups.yaml')
    expect(declared(baseIn(dir, 'HEAD').read)).toHaveLength(1)
  })

  it.each(['blob:none', 'tree:0'])('is not filled in silence: %s', (filter) => {
    const dir = cloned(`--filter=${filter}`)
    expect(() => baseIn(dir, 'HEAD~1')).toThrow(
      expect.objectContaining({ code: 'SVC2203', hint: expect.stringContaining('partial clone') }),
    )
  })
})
