// A target that says which installation it expects: behind the same address, another one is noticed before anything is
// shown as that target's, and before the first write.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator, type Tenant } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'

/** Two installations with the same credentials and the same number of a database: a real mix-up. */
const tenantOf = (where: string, applications: readonly string[]) =>
  ({
    apiApplications: [
      {
        name: 'Reader',
        clientId: 'reader',
        clientSecret: 'a',
        scopes: 'all',
        svcId: `svcsync-read@${where}.example.com`,
      },
      { name: 'Writer', clientId: 'writer', clientSecret: 'b', scopes: 'all', svcId: `svcsync@${where}.example.com` },
    ],
    databases: [{ id: 1, applications: applications.map((name) => ({ name })) }],
  }) as unknown as Tenant
const reader = { SVCSYNC_CLIENT_ID: 'reader', SVCSYNC_CLIENT_SECRET: 'a' }
const writer = { SVCSYNC_CLIENT_ID: 'writer', SVCSYNC_CLIENT_SECRET: 'b' }
const signsIn = 'signsInAs: [svcsync-read@test.example.com, SVCSYNC@test.example.com]'
const applications = 'applications: { main: [Test bench] }'

let dir: string
let test: Emulator
let prod: Emulator
let seen: ReadonlyMap<Emulator, number>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-expected-'))
  test = await startEmulator()
  prod = await startEmulator()
  mkdirSync(join(dir, 'manifests'))
  writeFileSync(join(dir, 'manifests/main.yaml'), 'users: [{ svcId: new@example.com, name: New }]\n')
})
afterAll(async () => {
  await Promise.all([test.close(), prod.close()])
  rmSync(dir, { recursive: true, force: true })
})
beforeEach(() => {
  for (const left of ['manifests/bench.yaml', 'plan.json', 'wrong.json', 'journal.jsonl'])
    rmSync(join(dir, left), { force: true })
  test.clearFaults()
  test.load(tenantOf('test', ['Purchasing', 'Test bench']))
  prod.load(tenantOf('prod', ['Purchasing', 'Sales', 'Stock', 'Travel']))
  seen = new Map([test, prod].map((emulator) => [emulator, emulator.requests().length]))
})

/** The target `test`, and where its address leads. */
function project(leadsTo: Emulator, installation: string, more = ''): void {
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    `version: 1
manifests: [manifests]
targets:
  test:
    baseUrl: ${leadsTo.url}
    databases: { main: 1 }
    expect: { installation: { ${installation} } }
${more}`,
  )
}
const run = (line: string, env: Record<string, string> = writer) =>
  runCommand(line.split(' '), dir, { COLUMNS: '1000', ...env })
const asked = (emulator: Emulator) =>
  emulator
    .requests()
    .slice(seen.get(emulator))
    .filter(({ path }) => !String(path).includes('/token'))
const writes = (emulator: Emulator) => asked(emulator).filter(({ method }) => method !== 'GET')

describe('an installation that is expected', { timeout: 240_000 }, () => {
  it('is planned for and applied to by either of its applications, at one request and one list more', async () => {
    project(test, `${signsIn}, ${applications}`)
    expect(await run('plan', reader)).toMatchObject({ code: 0, stderr: '' })
    const reads = asked(test).map(({ path }) =>
      String(path)
        .replace(/^.*\/v6\.0/, '')
        .replace(/\?.*$/, ''),
    )
    expect(reads.filter((path) => path === '/me')).toHaveLength(1)
    // One for the comparison, one for the counts of what no manifest declares.
    expect(reads.filter((path) => path.endsWith('/applications')).length).toBeLessThanOrEqual(2)
    expect(await run('apply --yes', writer)).toMatchObject({ code: 0 })
    expect(await run('export', reader)).toMatchObject({ code: 0 })
  })

  it.each([
    ['plan', 1],
    ['drift', 1],
    ['plan --out wrong.json', 1],
    ['export', 1],
    ['export taken', 1],
    ['apply --yes', 4],
    ['apply --yes --format json', 4],
  ])('is not taken for another one by %s', async (command, code) => {
    project(prod, `${signsIn}, ${applications}`)
    const found = await run(command)
    expect(found.code).toBe(code)
    expect(found.stderr).toContain('SVC2153')
    expect(found.stderr).toContain(`The target \`test\` leads to another installation than it expects, at ${prod.url}`)
    expect(found.stderr).toContain('signs in as Writer (svcsync@prod.example.com), but')
    expect(found.stderr).toContain('svcsync-read@test.example.com or SVCSYNC@test.example.com is expected')
    expect(found.stderr).toContain('has `Purchasing`, `Sales`, `Stock` and 1 more, but the application `Test bench` is')
    // Nothing is shown as that of the target.
    expect(found.stdout).not.toMatch(/Plan for|new@example|users:/)
    if (command.includes('json') && !command.includes('--out')) expect(JSON.parse(found.stdout)).toBeDefined()
    else expect(found.stdout).toBe('')
    expect(existsSync(join(dir, 'wrong.json'))).toBe(false)
    expect(existsSync(join(dir, 'taken'))).toBe(false)
    expect(writes(prod)).toEqual([])
  })

  it('is told apart by the account alone, and by an application alone', async () => {
    project(prod, signsIn)
    expect(await run('apply --yes')).toMatchObject({ code: 4, stderr: expect.not.stringContaining('Test bench') })
    project(prod, applications)
    expect(await run('apply --yes')).toMatchObject({ code: 4, stderr: expect.not.stringContaining('signs in') })
    expect(asked(prod).some(({ path }) => String(path).endsWith('/me'))).toBe(true)
    expect(writes(prod)).toEqual([])
  })

  it('is compared before a saved plan is applied', async () => {
    project(test, `${signsIn}, ${applications}`)
    expect(await run('plan --out plan.json', writer)).toMatchObject({ code: 0 })
    // The same address, and another installation behind it.
    test.load(tenantOf('prod', ['Purchasing']))
    const refused = await run('apply plan.json --yes')
    expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('SVC2153') })
    expect(writes(test)).toEqual([])
    test.load(tenantOf('test', ['Test bench']))
    expect(await run('apply plan.json --yes')).toMatchObject({ code: 0 })
  })
})

describe('an installation that is expected', { timeout: 240_000 }, () => {
  it('is compared before a journal is gone on with', async () => {
    project(test, `${signsIn}, ${applications}`)
    test.addFault({
      match: { method: 'POST', path: '*/admin/users*' },
      count: null,
      effect: { kind: 'status', status: 400 },
    } as never)
    expect(await run('apply --yes --journal journal.jsonl')).toMatchObject({ code: 3 })
    test.load(tenantOf('prod', ['Purchasing']))
    const before = writes(test).length
    expect(await run('apply --resume journal.jsonl --yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('SVC2153'),
    })
    expect(writes(test)).toHaveLength(before)
  })

  it('comes before what a wrong one lacks: names that lead nowhere there are no finding', async () => {
    writeFileSync(
      join(dir, 'manifests/bench.yaml'),
      'applications: [{ application: Test bench, privileges: { ReadOnly: [] } }]\n',
    )
    project(prod, `${signsIn}, ${applications}`)
    expect(await run('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2153') })
  })

  it('has the database that is pinned', async () => {
    project(test, applications)
    test.load({ ...tenantOf('test', []), databases: [{ id: 2 }] } as unknown as Tenant)
    const { code, stderr } = await run('apply --yes')
    expect({ code, stderr }).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('database main = 1 is not there'),
    })
  })

  it('is not guessed where the platform does not tell', async () => {
    project(test, `${signsIn}, ${applications}`)
    test.addFault({ match: { path: '/me' }, count: null, effect: { kind: 'status', status: 403 } } as never)
    const { code, stderr } = await run('apply --yes')
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2154') })
    expect(writes(test)).toEqual([])
  })

  it('is known by lines that doctor prints', async () => {
    writeFileSync(
      join(dir, 'svcsync.yaml'),
      `version: 1\nmanifests: [manifests]\ntargets:\n  test:\n    baseUrl: ${test.url}\n    databases: { main: 1 }\n`,
    )
    writeFileSync(
      join(dir, 'manifests/bench.yaml'),
      'applications: [{ application: Test bench, privileges: { ReadOnly: [] } }]\n',
    )
    const { code, stdout } = await run('doctor --for plan')
    expect(code).toBe(0)
    const printed = stdout.split('\n')
    const first = printed.findIndex((line) => line.trim() === 'expect:')
    const margin = (printed[first] as string).length - 'expect:'.length
    const lines = printed.slice(first, first + 5).map((line) => `    ${line.slice(margin)}`)
    expect(lines.map((line) => line.slice(4))).toEqual([
      'expect:',
      '  installation:',
      '    signsInAs: [svcsync@test.example.com]',
      '    applications:',
      '      main: [Purchasing, Test bench]',
    ])
    writeFileSync(
      join(dir, 'svcsync.yaml'),
      'version: 1\nmanifests: [manifests]\ntargets:\n  test:\n' +
        `    baseUrl: ${test.url}\n    databases: { main: 1 }\n${lines.join('\n')}\n`,
    )
    expect((await run('doctor --for plan')).stdout).toMatch(
      /ok +installation +It is the installation that the target expects/,
    )
    expect(await run('plan')).toMatchObject({ code: 0 })
    test.load(tenantOf('prod', ['Purchasing', 'Test bench']))
    const wrong = await run('doctor --for plan')
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toMatch(/problem +installation +The target expects another installation\. \(SVC2153\)/)
    expect(wrong.stdout).toContain('signsInAs: [svcsync@prod.example.com]')
  })
})

describe('what is expected', () => {
  it('says something, of a database that the target has', async () => {
    project(test, '')
    expect(await run('validate')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('does not identify the installation'),
    })
    project(test, 'applications: { archive: [Purchasing] }')
    const { code, stderr } = await run('plan')
    expect(code).toBe(1)
    expect(stderr).toContain('svcsync.yaml:7:')
    expect(stderr).toContain('The target `test` has no database `archive`')
    expect(stderr).toContain('main')
    expect(asked(test)).toEqual([])
  })

  it('may come from the environment, and is shown as its reference', async () => {
    project(prod, 'signsInAs: ["${env:ACCOUNT}"]')
    expect(await run('validate')).toMatchObject({ code: 0 })
    const { code, stderr } = await run('plan', { ...writer, ACCOUNT: 'hidden@test.example.com' })
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('${env:ACCOUNT} is expected') })
    expect(stderr).not.toContain('hidden@')
  })
})
