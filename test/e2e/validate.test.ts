// `svcsync validate` as pipelines run it: every format of the built command, and what `--strict` makes of warnings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../harness/command.ts'
import { readAzureCommand, readGithubCommand, readXml } from '../render/problem-readers.ts'

const formats = ['text', 'json', 'github', 'gitlab', 'azure', 'sarif', 'junit']
const project = `version: 1
manifests: [manifests]
target: test
targets: { test: { baseUrl: "http://127.0.0.1:9", databases: { main: 1 } } }
`
const faulty = 'users:\n  - svcId: c@example.com\n    nmae: A\n  - svcId: d@example.com\n    phoneNumber: [1]\n'
const doubtful = `groups:
  - { svcId: a@example.com, name: A, members: [b@example.com] }
  - { svcId: b@example.com, name: B, members: [a@example.com] }
`

let dir: string
/** A repository with the project in a folder of it. */
const write = (file: string, text: string): void => {
  mkdirSync(join(dir, file, '..'), { recursive: true })
  writeFileSync(join(dir, file), text)
}
const validate = (folder: string, ...args: string[]): Promise<CommandResult> =>
  runCommand(['validate', ...args], join(dir, folder))

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-validate-'))
  mkdirSync(join(dir, '.git'))
  write('team/svcsync.yaml', project)
  write('team/manifests/groups.yaml', doubtful)
  write('team/manifests/users.yaml', faulty)
  write('warned/svcsync.yaml', project)
  write('warned/manifests/groups.yaml', doubtful)
  write('overridden/svcsync.yaml', project.replace('databases', 'overrides: [manifests/test], databases'))
  write('overridden/manifests/groups.yaml', 'groups: [{ svcId: a@example.com, name: A, members: [x@example.com] }]\n')
  write('overridden/manifests/test/groups.yaml', 'groups: [{ svcId: a@example.com, members: [] }]\n')
  write('broken/svcsync.yaml', 'version: [\n')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('two errors and a warning', () => {
  const lines = async (format: string): Promise<string[]> => {
    const { code, stdout, stderr } = await validate('team', '--format', format)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    return stdout.trimEnd().split('\n')
  }
  const whole = async (format: string): Promise<string> => `${(await lines(format)).join('\n')}\n`

  it('are text for people', async () => {
    expect((await lines('text')).at(-1)).toBe('2 errors, 1 warning')
  })

  it('are data', async () => {
    expect(JSON.parse(await whole('json'))).toMatchObject({
      counts: { errors: 2, warnings: 1 },
      problems: [
        { code: 'SVC1303', place: { file: 'manifests/groups.yaml' } },
        { code: 'SVC1101' },
        { code: 'SVC1102' },
      ],
    })
  })

  it('are GitHub commands, with paths as the repository has them', async () => {
    const all = await lines('github')
    expect(all.at(-1)).toBe('2 errors, 1 warning.')
    const file = 'team/manifests/users.yaml'
    expect(all.slice(0, -1).map(readGithubCommand)).toMatchObject([
      { name: 'error', properties: { file, line: '3', col: '5', title: 'SVC1101' } },
      { name: 'error', properties: { file, line: '5', title: 'SVC1102' } },
      { name: 'warning', properties: { file: 'team/manifests/groups.yaml', title: 'SVC1303' } },
    ])
  })

  it('are a Code Quality report', async () => {
    const location = { path: 'team/manifests/users.yaml', lines: { begin: 3 } }
    expect(JSON.parse(await whole('gitlab'))).toMatchObject([
      { check_name: 'SVC1303', severity: 'minor' },
      { check_name: 'SVC1101', severity: 'major', location, fingerprint: expect.stringMatching(/^[\da-f]{16}$/) },
      { check_name: 'SVC1102', severity: 'major' },
    ])
  })

  it('are Azure commands', async () => {
    expect((await lines('azure')).map(readAzureCommand)).toMatchObject([
      { name: 'task.logissue', properties: { type: 'warning', code: 'SVC1303' } },
      {
        name: 'task.logissue',
        properties: { type: 'error', sourcepath: 'team/manifests/users.yaml', linenumber: '3' },
      },
      { name: 'task.logissue', properties: { type: 'error', code: 'SVC1102' } },
      { name: 'task.complete', properties: { result: 'Failed' } },
    ])
  })

  it('are SARIF', async () => {
    const version = (await runCommand(['--version'], dir)).stdout.trim()
    const rules = [{ id: 'SVC1101' }, { id: 'SVC1102' }, { id: 'SVC1303' }]
    expect(JSON.parse(await whole('sarif'))).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'svcsync', version, rules } },
          results: [{ level: 'warning' }, { level: 'error', ruleId: 'SVC1101', ruleIndex: 0 }, { level: 'error' }],
        },
      ],
    })
  })

  it('are a JUnit report', async () => {
    const report = readXml(await whole('junit'))
    expect(report.attributes).toMatchObject({ tests: '4', failures: '2', skipped: '1' })
    expect(report.children.map(({ attributes }) => [attributes.name, attributes.tests])).toEqual([
      ['team/manifests/groups.yaml', '1'],
      ['team/manifests/users.yaml', '2'],
      ['team/svcsync.yaml', '1'],
    ])
  })
})

describe('validate', () => {
  it('says once what applies to several targets need', async () => {
    const connection = (secret: string) =>
      'database: main\nconnections: [{ name: ERP, type: SQL, sql: { common: ' +
      `{ server: s, database: d, user: u, password: "\${env:${secret}}" } } }]\n`
    const target = (name: string) => `  ${name}: { baseUrl: https://${name}.example.com, databases: { main: 1 }`
    write(
      'several/svcsync.yaml',
      `version: 1\nmanifests: [manifests]\ntargets:\n${target('dev')} }\n` +
        `${target('test')} }\n${target('prod')}, overrides: [own] }\n`,
    )
    write('several/manifests/main.yaml', connection('ERP_PASSWORD'))
    write('several/own/main.yaml', connection('PROD_PASSWORD'))
    expect((await validate('several')).stderr).toBe(
      'The targets dev and test need ERP_PASSWORD to apply, which is not here.\n' +
        'The target prod needs ERP_PASSWORD and PROD_PASSWORD to apply, which are not here.\n',
    )
  })

  it.each(formats)('lets warnings pass, and not when told to be strict, as %s', async (format) => {
    const lenient = await validate('warned', '--format', format)
    expect(lenient).toMatchObject({ code: 0, stderr: '' })
    expect(lenient.stdout).toMatch(/warning|minor|skipped/)
    const strict = await validate('warned', '--format', format, '--strict')
    expect(strict).toMatchObject({ code: 1, stderr: '' })
    expect(strict.stdout).not.toMatch(/"warning"|type=warning|::warning|minor|<skipped|warning SVC/)
    expect(strict.stdout).toMatch(/error|major|<failure/)
  })

  it.each(formats)('shows on stdout what is wrong with the project file itself, as %s', async (format) => {
    const { code, stdout, stderr } = await validate('broken', '--format', format)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain('SVC1003')
  })

  it('takes what a target overrides in the place of what it overrides', async () => {
    // Nobody is warned of the member that is not there in this target.
    expect(await validate('overridden', '--strict')).toMatchObject({
      code: 0,
      stdout: '1 object in 3 files is valid.\n',
    })
    write('overridden/manifests/test/groups.yaml', 'groups: [{ svcId: b@example.com, members: [] }]\n')
    expect((await validate('overridden')).stdout).toContain('SVC1316')
  })

  it('has no Markdown, and the other commands have no format for problems', async () => {
    expect((await validate('team', '--format', 'markdown')).stderr).toContain('Allowed choices are text, json, github')
    const plan = await runCommand(['plan', '--format', 'sarif'], join(dir, 'team'))
    expect(plan).toMatchObject({ code: 1, stdout: '' })
    expect(plan.stderr).toContain('Allowed choices are text, json, markdown')
  })
})
