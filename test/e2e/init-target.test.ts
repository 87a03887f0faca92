// `init --from-live --target` beside a project: one more target, and every other byte of the project file as it was.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { addTarget } from '../../src/openapi/add-target.ts'
import { runCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'

let emulator: Emulator
let dir: string
beforeAll(async () => {
  emulator = await startEmulator()
  emulator.load(sampleTenant)
})
afterAll(() => emulator.close())
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-init-target-'))
  write('svcsync.yaml', project)
  write('manifests/main.yaml', 'users: [{ svcId: new@example.com, name: New }]\n')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const project = `# ours
version: 1
manifests: [manifests]
targets: # by place
  # the first
  test:
    baseUrl: https://test.example.com
`
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}
const text = () => readFileSync(join(dir, 'svcsync.yaml'), 'utf8')
const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const init = (name = 'eu-west') =>
  runCommand(['init', '--from-live', '--target', name, '--base-url', emulator.url], dir, credentials)

describe('a target beside others', { timeout: 60_000 }, () => {
  it('is added with its manifests, and plans nothing', async () => {
    const { code, stdout, stderr } = await init()
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toContain('written  targets/eu-west/users.yaml')
    expect(stdout).toContain('edited   svcsync.yaml')
    expect(text().replace(/^ {2}eu-west:\n(?: {4}.*\n)+/m, '')).toBe(project)
    expect(text()).toContain('    manifests: [targets/eu-west]\n')
    expect(text() + stdout + stderr).not.toContain('svcsync-secret')
    const own = { SVCSYNC_EU_WEST_CLIENT_ID: 'svcsync', SVCSYNC_EU_WEST_CLIENT_SECRET: 'svcsync-secret' }
    const plan = await runCommand(['plan', '--target', 'eu-west', '--detailed-exitcode'], dir, own)
    expect(plan).toMatchObject({ code: 0, stderr: '' })
    expect(plan.stdout).toContain('no changes')
    expect(await runCommand(['validate', '--strict'], dir)).toMatchObject({ code: 0 })
    expect(
      (await runCommand(['plan', '--target', 'test', '--base-url', emulator.url], dir, credentials)).stdout,
    ).toContain('+ user/new@example.com')
  })

  it.each([
    ['one of that name', project, 'test', 'SVC2030', 'has a target `test` already'],
    [
      'targets in braces',
      'version: 1\nmanifests: [manifests]\ntargets: { test: { baseUrl: "https://a.example.com" } }\n',
      'eu',
      'SVC2031',
      'cannot add a target',
    ],
    ['a file with errors', `${project}nonsense: 1\n`, 'eu', 'SVC1101', 'nonsense'],
    [
      'manifests that hold the folder',
      project.replace('[manifests]', '["."]'),
      'eu',
      'SVC2040',
      'Other targets would read',
    ],
    [
      'a glob that matches it',
      project.replace('[manifests]', '["**/users.yaml"]'),
      'eu',
      'SVC2040',
      'Other targets would read',
    ],
  ])('is refused beside %s, before anything is read', async (_, written, name, code, says) => {
    write('svcsync.yaml', written)
    const before = emulator.requests().length
    const result = await init(name)
    expect(result.code).toBe(1)
    expect(result.stderr.replaceAll(/\s+/g, ' ')).toContain(says)
    expect(result.stderr).toContain(code)
    expect(emulator.requests().length).toBe(before)
    expect(text()).toBe(written)
    expect(existsSync(join(dir, 'targets'))).toBe(false)
  })

  it('is refused where its folder holds something', async () => {
    write('targets/eu/users.yaml', 'users: []\n')
    expect(await init('eu')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2040') })
    expect(text()).toBe(project)
  })
})

describe('the lines of a target', () => {
  const block = 'eu:\n  baseUrl: https://eu.example.com\n'
  it.each([
    ['targets:\n  a: { baseUrl: x }\n', 'targets:\n  eu:\n    baseUrl: https://eu.example.com\n  a: { baseUrl: x }\n'],
    [
      'targets:\r\n    a:\r\n        b: 1\r\n',
      'targets:\r\n    eu:\r\n      baseUrl: https://eu.example.com\r\n    a:\r\n        b: 1\r\n',
    ],
    ['"targets":\n  a: { b: 1 }\n', undefined],
    ['targets: &all\n  a: { b: 1 }\n', undefined],
    [
      'targets:\n  a: &one { b: 1 }\n  c: *one\n',
      'targets:\n  eu:\n    baseUrl: https://eu.example.com\n  a: &one { b: 1 }\n  c: *one\n',
    ],
    ['targets: {}\n', undefined],
    [
      'x-more: |\n  targets:\n    a: 1\ntargets:\n  a: { b: 1 }\n',
      'x-more: |\n  targets:\n    a: 1\ntargets:\n  eu:\n    baseUrl: https://eu.example.com\n  a: { b: 1 }\n',
    ],
  ])('go into %j', (before, after) => {
    expect(addTarget(before, 'eu', block)).toBe(after)
  })
})
