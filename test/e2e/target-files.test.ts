// `targets: { from }`: targets in files of their own are targets like those of the project file, in each command.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'

const names = ['de', 'pl', 'own'] as const
const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere', COLUMNS: '200' }
let emulators: readonly Emulator[]
let dir: string
let remote: GitRemote
beforeAll(async () => {
  emulators = await Promise.all(names.map(() => startEmulator()))
})
afterAll(() => Promise.all(emulators.map((each) => each.close())))
const write = (file: string, text: string) => writeFileSync(join(dir, file), text)
const target = (index: number, more = '') => `{ baseUrl: "${emulators[index]?.url}"${more} }`
const project = (targets = `  from: targets/*.yaml\n  own: ${target(2)}\n`, more = '') =>
  write('svcsync.yaml', `version: 1\nmanifests: [manifests]\nledger: { remote: origin }\n${more}targets:\n${targets}`)
const run = async (line: string) => {
  const ended = await runCommand(line.split(' '), dir, env)
  return { ...ended, all: `${ended.stdout}${ended.stderr}`.replaceAll(/\s+/g, ' ') }
}
beforeEach(() => {
  for (const each of emulators) each.load({ users: [{ svcId: 'ann@example.com', name: 'Ann' }] } as never)
  dir = mkdtempSync(join(tmpdir(), 'svcsync-files-'))
  for (const folder of ['manifests', 'targets']) mkdirSync(join(dir, folder))
  write('manifests/main.yaml', 'users: [{ svcId: ann@example.com, name: Anna }]\n')
  write('targets/eu.yaml', `de: ${target(0, ', labels: { ring: canary }')}\npl: ${target(1)}\n`)
  project()
  remote = openGitRemote()
  remote.adopt(dir)
  commitAll(dir, 'First')
})
afterEach(() => {
  remote.close()
  rmSync(dir, { recursive: true, force: true })
})

it('takes them in every command', { timeout: 120_000 }, async () => {
  const listed = JSON.parse((await run('targets --format json')).stdout)
  expect(listed.targets.map(({ name }: { name: string }) => name)).toEqual(['own', 'de', 'pl'])
  expect((await run('targets --format json --shard 1/1 --labels ring=canary')).stdout).toContain(emulators[0]?.url)
  expect(await run('validate')).toMatchObject({ code: 0 })
  expect(await run('apply --all-targets --yes')).toMatchObject({ code: 0 })
  expect(emulators.map((each) => each.state().users?.[0]?.name)).toEqual(['Anna', 'Anna', 'Anna'])
  expect((await run('status --all-targets')).stdout).toContain('3 of 3 targets at')
  expect((await run('completion zsh -- plan -t d')).stdout).toContain('de')
  // The files are part of the commit that the ledger holds, and of the comparison with it.
  write('targets/eu.yaml', `de: ${target(0, ', only: [group/**]')}\npl: ${target(1)}\n`)
  const dirty = await run('apply -t de --yes')
  expect(dirty.all).toContain('targets/eu.yaml is not as it was committed')
  commitAll(dir, 'Narrower')
  const narrow = await run('plan -t de')
  expect(narrow.all).toContain('targets.de.only is set')
  expect(narrow.all).toContain('targets/eu.yaml:1:')
  expect((await run('status -t pl')).stdout).toContain('1 commit of the project')
})

it.each<readonly [string, Readonly<Record<string, string>>, string, string]>([
  [
    'a name twice',
    { 'targets/us.yaml': 'pl: { baseUrl: "https://pl.example.com" }\n' },
    'SVC1301',
    'targets/us.yaml:1:1',
  ],
  [
    'a name of the project file',
    { 'targets/us.yaml': 'own: { baseUrl: "https://o.example.com" }\n' },
    'SVC1301',
    'targets/us.yaml:1:1',
  ],
  [
    'an unknown key',
    { 'targets/us.yaml': 'us:\n  baseURL: https://us.example.com\n' },
    'SVC1101',
    'targets/us.yaml:2:3',
  ],
  ['a file within', { 'targets/us.yaml': 'from: more/*.yaml\n' }, 'SVC1102', 'targets/us.yaml:1:7'],
  ['no YAML', { 'targets/us.yaml': 'us: {\n' }, 'SVC1003', 'targets/us.yaml:'],
  ['an empty file', { 'targets/us.yaml': '' }, 'SVC1501', 'targets/us.yaml:1:1'],
  [
    'a value that is wrong',
    { 'targets/us.yaml': 'us: { baseUrl: "ftp://us.example.com" }\n' },
    'SVC1501',
    'targets/us.yaml:1:16',
  ],
])('%s is a problem with its place, and no target is begun', { timeout: 120_000 }, async (_, files, code, place) => {
  for (const [file, text] of Object.entries(files)) write(file, text)
  const { code: exit, all } = await run('validate')
  expect(exit).toBe(1)
  expect(all).toContain(code)
  expect(all).toContain(place)
  const applied = await run('apply -t de --yes')
  if (code !== 'SVC1501' || !place.endsWith('16')) {
    expect(applied.code).toBe(1)
    expect((await run('targets --format github-matrix')).code).toBe(1)
    expect(emulators[0]?.state().users?.[0]?.name).toBe('Ann')
  }
})

it.each([
  ['../targets/*.yaml', '`from` names no files of the project'],
  ['/targets/*.yaml', '`from` names no files of the project'],
  ['"${env:WHERE}/*.yaml"', '`from` names no files of the project'],
  ['nowhere/*.yaml', 'No file matches `nowhere/*.yaml`'],
  ['{ baseUrl: "https://from.example.com" }', '`from` must be a text'],
])('from: %s', { timeout: 120_000 }, async (from, says) => {
  project(`  from: ${from}\n  own: ${target(2)}\n`)
  const { code, all } = await run('validate')
  expect(code).toBe(1)
  expect(all).toContain(says)
  expect(all).toContain('svcsync.yaml:5:9')
})

it('follows no link out of the project', { timeout: 120_000 }, async () => {
  const outside = mkdtempSync(join(tmpdir(), 'svcsync-outside-'))
  writeFileSync(join(outside, 'us.yaml'), 'us: { baseUrl: "https://us.example.com" }\n')
  symlinkSync(join(outside, 'us.yaml'), join(dir, 'targets/us.yaml'))
  const { code, all } = await run('validate')
  expect(code).toBe(1)
  expect(all).toContain('`targets/us.yaml` is a link that leads out of the project')
  rmSync(outside, { recursive: true })
})

it('takes another target from a live installation, and the files for no manifests', { timeout: 120_000 }, async () => {
  write('svcsync.yaml', `version: 1\nmanifests: [manifests, targets]\ntargets:\n  from: targets/*.yaml\n`)
  expect(await run('validate')).toMatchObject({ code: 0 })
  const line = `init --from-live --target at --base-url ${emulators[2]?.url}`
  expect(await run(line)).toMatchObject({ code: 1, all: expect.stringContaining('Other targets would read') })
  project()
  expect(await run(line)).toMatchObject({ code: 0, all: expect.stringContaining('edited svcsync.yaml') })
  expect(JSON.parse((await run('targets --format json')).stdout).targets).toHaveLength(4)
  expect(await run('validate')).toMatchObject({ code: 0 })
})

it('gets the names of an installation into the file of the target', { timeout: 120_000 }, async () => {
  write('targets/us.yaml', '# ours\nus:\n  baseUrl: https://us.example.com\n')
  const before = readFileSync(join(dir, 'svcsync.yaml'), 'utf8')
  expect(await run('wire-names --name CrmSuiteB=Dynamo --write -t us')).toMatchObject({ code: 0 })
  const after = '# ours\nus:\n  baseUrl: https://us.example.com\n  wireNames:\n    CrmSuiteB: Dynamo\n'
  expect(readFileSync(join(dir, 'targets/us.yaml'), 'utf8')).toBe(after)
  const inBraces = await run('wire-names --name CrmSuiteB=Dynamo --write -t de')
  expect(inBraces).toMatchObject({ code: 1, all: expect.stringContaining('targets/eu.yaml cannot be edited') })
  expect(inBraces.all).toContain('by hand: wireNames: { CrmSuiteB: Dynamo }')
  expect(readFileSync(join(dir, 'svcsync.yaml'), 'utf8')).toBe(before)
})
