// `svcsync diff`: what two targets, commits or folders declare otherwise, without any platform.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { openRepository } from '../harness/repository.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-diff-'))
  write('svcsync.yaml', project())
  write('manifests/main.yaml', manifest())
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}
/** Lines of the targets. */
const project = ({ test = '', prod = '' } = {}) => `version: 1
manifests: [manifests]
targets:
  test:
    baseUrl: https://test.example.com
    databases: { main: 1 }
    variables: { host: t.example.com }
${test}
  prod:
    baseUrl: "\${env:PROD_URL}"
    databases: { main: 3 }
    variables: { host: p.example.com }
${prod}
`
const manifest = ({ name = 'Ann', members = 'ann@example.com' } = {}) => `database: main
users: [{ svcId: ann@example.com, name: ${name} }]
groups: [{ svcId: g@example.com, name: G, members: [${members}] }]
constants: [{ name: Url, common: "https://\${var:host}/" }]
# By a database that has another number in each installation.
licenses: [{ svcId: ann@example.com, licenses: [{ type: SingleSolutionUser, processes: [Orders] }] }]
connections:
  - { name: S, type: SQL, sql: { common: { server: s, database: d, user: u, password: "\${env:PW}" } } }
`
const run = (line: string) => runCommand(line.split(' '), dir, { PW: 'hush', COLUMNS: '200' })
interface Told {
  differences: { address: string; on: string; fields: { path: string }[]; lists: { path: string }[] }[]
  explained: Told['differences']
  variables: unknown[]
}
const told = async (line: string) => {
  const { code, stdout, stderr } = await run(`${line} --format json`)
  expect(stderr).toBe('')
  const { differences, explained, variables } = JSON.parse(stdout) as Told
  const say = (all: Told['differences']) =>
    all.map(({ address, on, fields, lists }) =>
      [address, on, ...[...fields, ...lists].map(({ path }) => path)].join(' '),
    )
  return { code, differences: say(differences), explained: say(explained), variables }
}

describe('two targets', { timeout: 60_000 }, () => {
  it('declare the same but for what variables explain', async () => {
    expect(await told('diff test prod')).toEqual({
      code: 0,
      differences: [],
      explained: ['constant/main/Url both common'],
      variables: [{ name: 'host', first: 't.example.com', second: 'p.example.com' }],
    })
  })

  it('are explained by overrides and `only`, and by nothing else', async () => {
    const only = '    only: ["group/*", "constant/**"]\n    manifests: [manifests, more]\n'
    write('svcsync.yaml', project({ test: '    overrides: [over]\n', prod: only }))
    write('over/main.yaml', 'groups: [{ svcId: g@example.com, members: [ann@example.com, bob@example.com] }]\n')
    write('more/main.yaml', 'groups: [{ svcId: h@example.com, name: H }]\n')
    const found = await told('diff test prod')
    expect(found).toMatchObject({ code: 2, differences: ['group/h@example.com second'] })
    expect([...found.explained].sort()).toEqual([
      'connection/main/S first',
      'constant/main/Url both common',
      'group/g@example.com both members',
      'license/ann@example.com first',
      'user/ann@example.com first',
    ])
  })

  it('differ in who can do what, through groups in groups', async () => {
    const groups = `groups: [{ svcId: all@example.com, name: All, members: [g@example.com] }]
database: main
applications: [{ application: Purchasing, privileges: { Administrator: [all@example.com] } }]
`
    write('svcsync.yaml', project({ test: '    overrides: [over]\n', prod: '    manifests: [manifests, more]\n' }))
    write('manifests/groups.yaml', groups)
    write('over/main.yaml', 'groups: [{ svcId: g@example.com, members: [ann@example.com, bob@example.com] }]\n')
    write('more/main.yaml', 'groups: [{ svcId: h@example.com, name: H, owners: [eve@example.com] }]\n')
    const { code, stdout } = await run('diff test prod --format json')
    const { access } = JSON.parse(stdout) as { access: Record<string, unknown>[] }
    const bob = { subject: 'bob@example.com', level: 'Administrator', address: 'application/main/Purchasing' }
    expect({ code, access }).toMatchObject({
      code: 2,
      access: [
        { ...bob, on: 'first', isExplained: true, via: ['g@example.com', 'all@example.com'] },
        { subject: 'eve@example.com', level: 'owner', on: 'second', isExplained: false, via: [] },
      ],
    })
    const text = await run('diff test prod')
    expect(text.stdout).toMatch(/Access.*\n *\+ eve@example.com +owner +group\/h@example.com +directly/)
    expect(text.stdout).not.toContain('bob@example.com')
    expect((await run('diff test prod --verbose')).stdout).toMatch(/- bob.*through g@example.com/)
    expect((await run('diff test prod --format markdown')).stdout).toContain('- `group/h@example.com` only in `prod`')
    const page = await run('diff test prod --format html')
    expect(page).toMatchObject({ code: 2, stdout: expect.stringMatching(/^<!doctype html>[\s\S]*eve@example\.com/i) })
  })

  it('show no secret, and ask nobody', async () => {
    write('svcsync.yaml', project({ test: '    overrides: [over]\n' }))
    write(
      'over/main.yaml',
      'database: main\nconnections: [{ name: S, type: SQL, sql: { common: { password: "${env:OTHER}" } } }]\n',
    )
    for (const format of ['text --verbose', 'json', 'markdown']) {
      const { stdout, stderr } = await run(`diff test prod --format ${format}`)
      expect(stdout + stderr).not.toContain('hush')
      expect(stdout).toContain('connection/main/S')
    }
  })

  it('are not a target and something else', async () => {
    expect(await run('diff test HEAD')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2325') })
  })
})

it('says of an account that one side ends nothing but that', async () => {
  for (const part of ['svcsync.yaml', 'manifests'])
    cpSync(join(dir, part), join(dir, 'then', part), { recursive: true })
  const gone = 'database: main\nusers: [{ svcId: ann@example.com, absent: true }]\n'
  write('manifests/main.yaml', `${gone}groups: [{ svcId: g@example.com, name: G, members: [] }]\n`)
  const { code, stdout } = await run('diff then . --target test')
  expect(code).toBe(2)
  expect(stdout).toMatch(/~ user\/ann@example\.com {2}absent {2}false → true/)
  expect(stdout).not.toContain('(cleared)')
})

it('compares two folders, and two commits', { timeout: 60_000 }, async () => {
  for (const part of ['svcsync.yaml', 'manifests'])
    cpSync(join(dir, part), join(dir, 'before', part), { recursive: true })
  write('manifests/main.yaml', manifest({ name: 'Anna', members: 'ann@example.com, eve@example.com' }))
  const changed = ['group/g@example.com both members', 'user/ann@example.com both name']
  expect(await told('diff ./before . --target test')).toMatchObject({ code: 2, differences: changed, explained: [] })
  rmSync(join(dir, 'before'), { recursive: true })
  const repository = openRepository(dir)
  repository.commit('Now')
  write('manifests/main.yaml', manifest())
  repository.commit('Back')
  const text = await run('diff HEAD~1 HEAD --target test')
  expect(text.code).toBe(2)
  expect(text.stdout).toMatch(/~ group\/g@example.com\s+members\s+-eve@example.com/)
  expect(text.stdout).toContain('2 objects declared otherwise.')
  expect(await told('diff HEAD HEAD --target test')).toMatchObject({ code: 0, differences: [] })
})

describe('two installations', { timeout: 60_000 }, () => {
  let emulators: readonly [Emulator, Emulator]
  beforeAll(async () => {
    emulators = await Promise.all([startEmulator(), startEmulator()])
  })
  afterAll(() => Promise.all(emulators.map((each) => each.close())))
  const account = (name: string) => ({ svcId: `${name}@example.com`, name })
  const load = (index: 0 | 1, members: string[], url: string): void => {
    const groups = [{ ...account('g'), members: members.map((name) => `${name}@example.com`) }]
    const applications = [{ name: 'Purchasing', privileges: [{ svcId: 'g@example.com', level: 'Administrator' }] }]
    const databases = [{ id: index === 0 ? 1 : 3, constants: [{ name: 'Url', common: url }], applications }]
    emulators[index].load({ users: ['ann', 'eve'].map(account), groups, databases } as never)
  }
  const own = () => ({
    ...{ SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', COLUMNS: '200' },
    PROD_URL: emulators[1].url,
  })
  const live = (...more: string[]) => runCommand(['diff', 'test', 'prod', '--live', ...more], dir, own())

  it('are the same but for what variables explain, and for what somebody has changed', async () => {
    write('svcsync.yaml', project().replace('https://test.example.com', emulators[0].url))
    load(0, ['ann'], 'https://t.example.com/')
    load(1, ['ann'], 'https://p.example.com/')
    const alike = await live()
    expect(alike).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('test and prod are the same; 1 object explained.'),
    })
    load(1, ['ann', 'eve'], 'https://other.example.com/')
    const { code, stdout } = await live('--format', 'json')
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      ...{ code: 2, of: 'installations', explained: [], notCompared: [] },
      differences: [
        { address: 'constant/main/Url', fields: [{ path: 'common', after: 'https://other.example.com/' }] },
        { address: 'group/g@example.com', lists: [{ path: 'members', added: [{ svcId: 'eve@example.com' }] }] },
      ],
      access: [{ subject: 'eve@example.com', on: 'second', level: 'Administrator', isExplained: false }],
    })
  })

  it('show no value that a manifest takes from the environment', async () => {
    write('svcsync.yaml', project().replace('https://test.example.com', emulators[0].url))
    write('manifests/main.yaml', manifest().replace('https://${var:host}/', '${env:URL_WITH_KEY}'))
    load(0, ['ann'], 'PLANTED-1')
    load(1, ['ann'], 'PLANTED-2')
    const formats = ['text', 'json', 'markdown', 'html']
    const all = await Promise.all(formats.map((format) => live('--verbose', '--format', format)))
    for (const { code, stdout, stderr } of all) {
      expect(code).toBe(2)
      expect(stdout).toContain('constant/main/Url')
      expect(stdout + stderr).not.toContain('PLANTED')
    }
    expect(all[0]?.stdout).toContain('common  (hidden) → (hidden)')
  })

  it('compare nothing that one of them does not tell, and say so', async () => {
    write('svcsync.yaml', project().replace('https://test.example.com', emulators[0].url))
    load(0, ['ann'], 'https://t.example.com/')
    load(1, ['ann'], 'https://p.example.com/')
    const effect = { kind: 'status', status: 403 }
    emulators[1].addFault({ match: { method: 'GET', path: '/admin/group' }, effect, count: null } as never)
    const { code, stdout } = await live('--verbose')
    emulators[1].clearFaults()
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringMatching(/Not compared\n *\? group/) })
    expect(await run('diff HEAD HEAD --live')).toMatchObject({ code: 1 })
  })
})
