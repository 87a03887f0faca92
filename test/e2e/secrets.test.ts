// Markers stand in every secret, and a platform quotes them back: no byte that any command writes holds one, in any
// format, in any file, under any fault.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { type CommandResult, runCommand, startCommand } from '../harness/command.ts'
import { type Manner, type QuotingPlatform, startQuotingPlatform } from '../harness/quoting-platform.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { isThorough } from '../harness/thorough.ts'

/** The letters that are looked for stand in each; around them are signs that are written in many ways. */
const mark = 'PLANTED'
const planted = {
  SVCSYNC_CLIENT_SECRET: `cs+/"&${mark}1 'ü~!`,
  ERP_PASSWORD: `pw<>&${mark}2"'\\`,
  THRESHOLD: `10 ${mark}3 %`,
  file: `line${mark}4\nand ${mark}5`,
  later: `new ${mark}6`,
  proxy: `pr${mark}7`,
  token: `tk.${mark}8-_~`,
}
const base64 = Object.values(planted).map((secret) => Buffer.from(secret).toString('base64').slice(0, 12))

const manifest = `database: main
groups:
  - { svcId: "new\\e[31m\\n::error::x@example.com", name: "##vso[task.complete]" }
constants:
  - { name: Threshold, common: "\${env:THRESHOLD}", test: "\${file:../secret.txt}" }
  - { name: Plain, common: plain }
connections:
  - name: ERP
    type: SQL
    sql: { common: { server: s, database: d, integratedAuthentication: false, user: "\${env:ERP_PASSWORD}", password: "\${env:ERP_PASSWORD}" } }
`

/** A value from a variable of the target, whose own value comes from the environment. `name`: of a group. */
const ownManifest = (name: string): string => `database: main
groups:
  - { svcId: clerks@example.com, absent: true }
  - { svcId: "x-${name}@example.com", name: "${name}" }
constants:
  - { name: Own, common: "a \${var:word} b", test: "\${var:clear}" }
`

let dir: string
let emulator: Emulator
let platform: QuotingPlatform
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-secrets-'))
  const application = {
    name: 'svcsync',
    clientId: 'svcsync',
    clientSecret: planted.SVCSYNC_CLIENT_SECRET,
    scopes: 'all',
    svcId: 'app@svcsync',
  }
  emulator = await startEmulator({ tenant: { ...sampleTenant, apiApplications: [application] } as typeof sampleTenant })
  platform = await startQuotingPlatform(emulator.url, [planted.ERP_PASSWORD, planted.THRESHOLD], planted.token)
  const { SVCSYNC_CLIENT_SECRET: secret } = planted
  expect(secret).toContain(mark)
  write(
    'svcsync.yaml',
    `version: 1
manifests: [manifests]
targets:
  test:
    clientId: svcsync
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1 }
settings: { retry: { attempts: 2, maxDelay: 5ms }, sync: { timeout: 300ms } }
`,
  )
  write('manifests/main.yaml', manifest)
  write('secret.txt', planted.file)
  // Problems of these files show lines of them.
  write(
    'literal/svcsync.yaml',
    readFileSync(join(dir, 'svcsync.yaml'), 'utf8').replace(/clientSecret: .*/, `clientSecret: ${mark}`),
  )
  write('literal/manifests/a.yaml', manifest.replace('password: "${env:ERP_PASSWORD}"', `password: lit${mark}`))
  // References in free texts of the project file. The second one is wholly wrong.
  const own = (more: string): string => readFileSync(join(dir, 'svcsync.yaml'), 'utf8').replace('settings: {', more)
  write(
    'own/svcsync.yaml',
    own(`accounts: { external: ["*\${env:WORD}*"] }
protect: ["group/\${env:CLERKS}"]
prune: { users: ["\${env:JAN}"] }
settings: {`)
      .replace('[manifests]', '["${env:FOLDER}"]')
      .replace('    databases:', '    variables: { word: "${env:WORD}", clear: open }\n    databases:'),
  )
  write('own/manifests/a.yaml', ownManifest('${var:clear}'))
  write(
    'wrong/svcsync.yaml',
    own(`target: "\${env:WORD}"
policies: ["\${env:WORD}"]
accounts: { external: ["\${env:WORD}"] }
protect: ["\${env:WORD}", "grup/\${env:WORD}"]
prune: { users: ["user/\${env:WORD}"] }
settings: { timeZone: "\${env:WORD}", readFilesFrom: ["\${env:WORD}"], `)
      .replace('[manifests]', '["${env:WORD}", "${env:WORD}/*.yaml", manifests]')
      .replace(
        '    databases:',
        '    variables: { word: "${env:WORD}", clear: open }\n    overrides: ["${env:WORD}"]\n    databases:',
      )
      .replace('timeout: 300ms', 'timeout: "${env:WORD}"'),
  )
  write('wrong/manifests/a.yaml', ownManifest('${var:word}'))
  write('broken/svcsync.yaml', readFileSync(join(dir, 'svcsync.yaml'), 'utf8'))
  write('broken/manifests/a.yaml', manifest.replace('password: "${env:ERP_PASSWORD}"', `password: "lit${mark}`))
})
afterAll(async () => {
  platform.close()
  await emulator.close()
  rmSync(dir, { recursive: true, force: true })
})

const environment = (manner: Manner, more: Record<string, string> = {}): Record<string, string> => ({
  SVCSYNC_BASE_URL: platform.address(manner),
  SVCSYNC_CLIENT_SECRET: planted.SVCSYNC_CLIENT_SECRET,
  ERP_PASSWORD: planted.ERP_PASSWORD,
  THRESHOLD: planted.THRESHOLD,
  ...more,
})

function expectNone(what: string, text: string): void {
  const at = text.search(new RegExp(mark, 'i'))
  expect(at < 0 ? '' : `${what}: …${text.slice(Math.max(0, at - 60), at + 40)}`).toBe('')
  expect(base64.filter((part) => text.includes(part))).toEqual([])
}

/** Runs the commands side by side, each line as it would be typed. Looks through what they print. */
async function run(
  manner: Manner,
  lines: readonly string[],
  more: Record<string, string> = {},
  folder = '',
): Promise<CommandResult[]> {
  const results: CommandResult[] = []
  const waiting = [...lines.entries()]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, line] = next
      const result = await runCommand(line.split(' '), join(dir, folder), environment(manner, more))
      expectNone(`${manner}: ${line}: stdout`, result.stdout)
      expectNone(`${manner}: ${line}: stderr`, result.stderr)
      // Neither do names steer the terminal or the pipeline.
      const said = `${result.stdout}\n${result.stderr}`
      expect(said).not.toContain('\u001b')
      if (!/github|azure/.test(line)) expect(said).not.toMatch(/^\s*::|##vso\[/m)
      expect(result.stderr).not.toContain('unexpected error')
      results[index] = result
    }
  }
  await Promise.all([worker(), worker(), worker()])
  return results
}

/** Every file that a command has written. */
function expectCleanFiles(): void {
  const ours = new Set(['secret.txt', 'literal/svcsync.yaml', 'literal/manifests/a.yaml', 'broken/manifests/a.yaml'])
  for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dir, file)
    if (!ours.has(file.replaceAll('\\', '/')) && statSync(path).isFile()) expectNone(file, readFileSync(path, 'latin1'))
  }
}

/** For its owner alone, where the system knows such a thing. */
function expectPrivate(file: string): void {
  if (process.platform !== 'win32') expect((statSync(join(dir, file)).mode & 0o777).toString(8)).toBe('600')
}

/** All problems share their printers: not every folder needs each in every run. */
const validations = ['text', 'json', 'github', 'gitlab', 'azure', 'sarif', 'junit'].map(
  (format) => `validate --format ${format}`,
)

it('by a command that all goes well with', { timeout: 240_000 }, async () => {
  const [first] = await run('obey', [
    'plan --out p.json --verbose',
    'validate --format json',
    'plan --format json',
    'plan --format markdown',
    'drift --verbose',
    'doctor --format json',
    'doctor',
    'export',
    'export live',
    'fmt --check --diff',
    'fmt --check --format json --cache',
    'init --from-live copy --verbose',
  ])
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved to p.json') })
  await run('obey', ['show p.json', 'show p.json --format json', 'show p.json --format markdown --verbose'])
  expectCleanFiles()
  expectPrivate('p.json')
})

it('about values of the project file that come from the environment', { timeout: 240_000 }, async () => {
  const words = { WORD: `w${mark}w@x`, CLERKS: 'clerks@example.com', JAN: 'jan.kos@example.com', FOLDER: 'manifests' }
  const [planned, saved, , , markdown] = await run(
    'obey',
    [
      'plan --verbose',
      'plan --out own.json --allow protected=group/clerks@example.com --allow deletions=9',
      ...validations.slice(0, 2),
      'plan --format markdown',
      'plan --format json',
      'drift --format json',
      'doctor --verbose',
      'export --missing',
      'apply --yes',
      'fmt --check',
    ],
    words,
    'own',
  )
  expect(planned?.stdout).toContain('a ${var:word} b')
  expect(`${planned?.stdout}`.replace(/\s+/g, ' ')).toContain('`protect` lists `group/${env:CLERKS}`')
  for (const each of [planned, markdown]) expect(each?.stdout).toContain('${env:JAN}')
  expect(saved).toMatchObject({ code: 0 })
  await run('obey', ['show own.json --verbose', 'apply own.json --allow deletions=9'], words, 'own')
  const wrong = await run(
    'obey',
    [...validations, 'plan --verbose', 'plan -t test --format json', 'doctor', 'export', 'apply --yes', 'fmt --check'],
    words,
    'wrong',
  )
  expect(wrong[0]).toMatchObject({ code: 1 })
  expect(wrong.filter(({ code }) => code === 0).map(({ stdout }) => stdout)).toEqual([])
  await run('obey', ['plan --verbose', 'validate', 'apply own.json --yes'], { ...words, SVCSYNC_TARGET: mark }, 'own')
  expectCleanFiles()
})

it('by what Node and its packages print for who looks for defects', { timeout: 240_000 }, async () => {
  const noisy = environment('obey', { NODE_DEBUG: 'undici,http,net,tls', DEBUG: '*' })
  const { stderr, code } = await runCommand(['doctor'], dir, noisy)
  expect(code).toBe(0)
  expect(stderr).toContain('UNDICI')
  expectNone('NODE_DEBUG', stderr)
})

it('about files that hold one', { timeout: 240_000 }, async () => {
  await run('obey', [...validations, 'plan --verbose', 'doctor', 'doctor --format json'], {}, 'literal')
  await run('obey', ['fmt --check'], { LOG_TOKENS: '1' }, 'literal')
  const others = isThorough ? validations : validations.slice(0, 3)
  await run('obey', [...others, 'plan --verbose', 'doctor', 'fmt --check'], {}, 'broken')
  await run('obey', validations.slice(0, 3), { SVCSYNC_BASE_URL: `https://user:${mark}@svc.example.com` })
  await run('obey', ['plan --verbose'], { SVCSYNC_BASE_URL: `https://svc.example.com/?token=${mark}` })
})

it.each(['refuse-token', 'refuse-reads', 'fail-reads', 'page', 'redirect'] as const)(
  'where the platform says so to every read: %s',
  { timeout: 240_000 },
  async (manner) => {
    const commands = ['plan --verbose', 'doctor --verbose', 'apply --yes --journal read.json']
    // A run without reads prints the same in every format: two manners show that each command does.
    if (isThorough || manner === 'refuse-reads' || manner === 'fail-reads')
      commands.push('drift --format json', 'doctor --format json', 'export', 'init --from-live never')
    const results = await run(manner, commands)
    expect(results.map(({ code }) => code).filter((code) => code === 0)).toEqual([])
    expectCleanFiles()
  },
)

it('where a proxy does', { timeout: 240_000 }, async () => {
  const https_proxy = `http://us:${planted.proxy}@127.0.0.1:${platform.port}`
  const way = {
    SVCSYNC_BASE_URL: 'https://svc.example.com',
    https_proxy,
    DEBUG: '*',
    NODE_DEBUG: 'undici,http,net,tls',
  }
  const [found] = await run('obey', ['doctor', 'plan --verbose'], way)
  expect(found?.stdout).toContain('SVC3004')
})

it('by an apply whose writes fail, is killed, and is gone on with', { timeout: 240_000 }, async () => {
  await run('refuse-writes', ['plan --out w.json'])
  const failed = await run('refuse-writes', ['apply w.json --verbose --format json --journal j1.json'])
  expect(failed[0]).toMatchObject({ code: 3 })
  await run('fail-writes', ['apply --yes --verbose --journal j2.json'])
  await run('cut-writes', ['apply --yes --format markdown'])
  const hanging = startCommand(['apply', '--yes', '--journal', 'j3.json'], dir, environment('hang-writes'))
  await platform.hanging
  hanging.child.kill('SIGKILL')
  await hanging.ended
  const [resumed] = await run('hang-writes', ['apply --resume j3.json --yes --verbose'])
  expect(resumed).toMatchObject({ code: 3 })
  expectCleanFiles()
  expect(readFileSync(join(dir, 'j3.json'), 'utf8')).toContain('"sending"')
  for (const file of ['w.json', 'j1.json', 'j2.json', 'j3.json']) expectPrivate(file)
})

it('by an apply that ends well, and by plans of what has changed since', { timeout: 240_000 }, async () => {
  const [applied] = await run('obey', ['apply --yes --verbose'])
  expect(applied).toMatchObject({ code: 0 })
  const again = ['plan --verbose', 'plan --format json', 'plan --format markdown', 'plan --out q.json', 'doctor']
  const results = await run('obey', again, { THRESHOLD: planted.later })
  expect(results.map(({ stdout }) => stdout).join()).toContain('Threshold')
  expectCleanFiles()
})
