// `svcsync diff`: what two targets, commits or folders declare otherwise, without any platform.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
      'user/ann@example.com first',
    ])
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
