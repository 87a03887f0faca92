// A run reaches the installation that its target says, and no other: what the environment says never takes its place.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'

let dir: string
let test: Emulator
let prod: Emulator
let before: ReadonlyMap<Emulator, number>
const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-targets-'))
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
  for (const emulator of [test, prod]) emulator.load(sampleTenant)
  before = new Map([test, prod].map((emulator) => [emulator, emulator.requests().length]))
  project()
})

/** `own`: more lines of the target `test`. */
function project({ own = '', address = `    baseUrl: ${test.url}\n` } = {}): void {
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    `version: 1
manifests: [manifests]
target: prod
targets:
  prod:
    baseUrl: ${prod.url}
    databases: { main: 1 }
  test:
${address}${own}    databases: { main: 1 }
`,
  )
}
const run = (line: string, env: Record<string, string> = {}) =>
  runCommand(line.split(' '), dir, { ...credentials, COLUMNS: '300', ...env })
/** True if anything was requested from it, tokens included. */
const wasAsked = (emulator: Emulator): boolean => emulator.requests().length > (before.get(emulator) ?? 0)

describe('the commands that doctor advises', { timeout: 240_000 }, () => {
  it('carry the options of its own run, and no credentials', async () => {
    writeFileSync(join(dir, 'manifests/wrong.yaml'), 'users2: []\n')
    const flat = async (line: string) => (await run(line)).stdout.replace(/\s+/g, ' ')
    expect(await flat('doctor -t test --var a=b --project svcsync.yaml')).toContain(
      'Run `svcsync validate --project svcsync.yaml --target test --var a=b`:',
    )
    expect(await flat('doctor')).toContain('Run `svcsync validate`:')
    rmSync(join(dir, 'manifests/wrong.yaml'))
    expect(await flat('doctor -t nowhere --ca-file ca.pem')).toContain(
      'Run `svcsync plan --target nowhere --ca-file ca.pem`:',
    )
    const told = await flat('doctor -t nowhere --base-url https://me:hush@svc.example.com')
    expect(told).toContain('Run `svcsync plan --target nowhere`:')
    expect(told).not.toContain('hush')
    writeFileSync(join(dir, 'other.json'), JSON.stringify({ openapi: '3.0.3', paths }))
    expect(await flat('doctor -t test --project svcsync.yaml --openapi other.json')).toContain(
      '`svcsync wire-names other.json --project svcsync.yaml --target test`',
    )
  })
})

const parameters = [{ name: 'loginId', in: 'query', required: true, schema: { type: 'string' } }]
const paths = { '/api/data/v6.0/admin/user': { delete: { parameters, responses: {} } } }

describe('the address of a target', { timeout: 240_000 }, () => {
  it('is not replaced by SVCSYNC_BASE_URL', async () => {
    const { code, stdout, stderr } = await run('apply -t test --yes', { SVCSYNC_BASE_URL: prod.url })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`svcsync.yaml:9:14`)
    expect(stderr).toContain(`SVC1504  The target \`test\` has the \`baseUrl\` \`${test.url}\`, and`)
    expect(stderr).toContain(`\`SVCSYNC_BASE_URL\` says \`${prod.url}\``)
    expect([test, prod].map(wasAsked)).toEqual([false, false])
  })

  it.each(['plan', 'drift', 'export', 'apply --yes', 'apply plan.json --yes', 'doctor'])(
    'is not replaced in %s either',
    async (command) => {
      await run('plan -t test --out plan.json')
      const { code, stdout, stderr } = await run(`${command} -t test`, { SVCSYNC_BASE_URL: prod.url })
      expect(code).toBe(1)
      expect(stdout + stderr).toContain('SVC1504')
      expect(wasAsked(prod)).toBe(false)
      rmSync(join(dir, 'plan.json'))
    },
  )

  it('may be said twice, however it is written', async () => {
    const env = { SVCSYNC_BASE_URL: `${test.url.toUpperCase().replace('HTTP', 'http')}/`, SVCSYNC_AUTH_URL: test.url }
    expect(await run('plan -t test', env)).toMatchObject({ code: 0, stderr: '' })
  })

  it('comes from the environment where the target leaves it open', async () => {
    project({ address: '' })
    const { code, stdout } = await run('apply -t test --yes', { SVCSYNC_BASE_URL: test.url })
    expect(code).toBe(0)
    expect(stdout).toContain(`Apply to test · ${test.url}`)
    expect(wasAsked(prod)).toBe(false)
  })

  it('comes from the command line where that says one, tokens included', async () => {
    const env = { SVCSYNC_BASE_URL: 'http://127.0.0.1:9', SVCSYNC_AUTH_URL: 'http://127.0.0.1:9' }
    project({ own: '    authUrl: http://127.0.0.1:9\n' })
    const { code, stdout } = await run(`plan -t test --base-url ${prod.url}`, env)
    expect(code).toBe(0)
    expect(stdout).toContain(`test · ${prod.url} · `)
    expect(stdout).toContain(`--target test --base-url ${prod.url}`)
    expect(wasAsked(test)).toBe(false)
    const elsewhere = await run(`doctor -t test --base-url ${prod.url} --auth-url ${test.url} --format json`)
    expect(JSON.parse(elsewhere.stdout).target).toMatchObject({ baseUrl: prod.url, authUrl: test.url })
  })

  it('decides where the secret goes: tokens come from nowhere else', async () => {
    const { code, stderr } = await run('plan -t test', { SVCSYNC_AUTH_URL: prod.url })
    expect(code).toBe(1)
    expect(stderr).toContain(`and \`SVCSYNC_AUTH_URL\` says \`${prod.url}\``)
    expect(stderr).toContain('without it, tokens come from its `baseUrl`')
    project({ own: `    authUrl: ${test.url}\n` })
    expect((await run('plan -t test', { SVCSYNC_AUTH_URL: prod.url })).stderr).toContain('has the `authUrl`')
    expect([test, prod].map(wasAsked)).toEqual([false, false])
  })

  it('is written by init so that the variables that it came from may stay', async () => {
    const env = { SVCSYNC_BASE_URL: `${test.url}/`, SVCSYNC_AUTH_URL: test.url.replace('127.0.0.1', 'localhost') }
    expect(await run('init taken --from-live', env)).toMatchObject({ code: 0 })
    const args = ['plan', '--project', 'taken/svcsync.yaml', '--detailed-exitcode']
    expect(await run(args.join(' '), env)).toMatchObject({ code: 0 })
  })

  it('does not matter to what reaches no platform', async () => {
    expect(await run('validate', { SVCSYNC_BASE_URL: 'https://elsewhere.example.com' })).toMatchObject({ code: 0 })
  })
})

it('a target that wants its name is applied to by who says it', { timeout: 60_000 }, async () => {
  project({ own: '    confirm: name\n' })
  const refused = await run('apply -t test --yes')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--confirm test') })
  await run('plan -t test --out plan.json')
  expect((await run('apply plan.json --yes')).stderr).toContain('SVC2151')
  expect((await run('apply -t test --confirm prod')).stderr).toContain('SVC2152')
  const writes = () =>
    test
      .requests()
      .slice(before.get(test))
      .filter(({ method, path }) => method !== 'GET' && !String(path).includes('token'))
  expect(writes()).toEqual([])
  const { digest } = JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8')) as { digest: string }
  expect(await run(`apply plan.json --expect ${digest}`)).toMatchObject({ code: 0 })
  test.load(sampleTenant)
  expect(await run('apply -t test --confirm test')).toMatchObject({ code: 0 })
  // Nothing is left to do, and nobody to be asked.
  expect(await run('apply -t test --yes')).toMatchObject({ code: 0 })
})

it('the application of a target is not replaced, and neither of the two is shown', async () => {
  project({ own: '    clientId: own-client\n    clientSecret: "${env:OWN_SECRET}"\n' })
  const { code, stdout, stderr } = await run('plan -t test --verbose', { OWN_SECRET: 'own-word' })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('has a `clientId` of its own, and `SVCSYNC_CLIENT_ID` is another')
  expect(stderr).toContain('has a `clientSecret` of its own, and `SVCSYNC_CLIENT_SECRET` is another')
  expect(stderr).not.toMatch(/svcsync-secret|own-word/)
  expect(wasAsked(test)).toBe(false)
})
