// The limits of a repository's files: the project file, the hosts that get the secret, and the variables and files
// behind references. The built command, as it is attacked.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'

let dir: string
let emulator: Emulator
let asked: number
const secret = 'svcsync-secret'
/** Each test starts several processes. */
const slow = { timeout: 240_000 }

beforeAll(async () => {
  emulator = await startEmulator({ tenant: sampleTenant })
})
afterAll(() => emulator.close())
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'svcsync-reach-')))
  asked = emulator.requests().length
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}

function project(folder = '', settings = ''): void {
  write(
    join(folder, 'svcsync.yaml'),
    `version: 1
manifests: [manifests]
targets:
  test:
    baseUrl: ${emulator.url}
    clientId: "\${env:SVCSYNC_CLIENT_ID}"
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1 }
${settings}`,
  )
  write(join(folder, 'manifests/main.yaml'), 'database: main\nconstants: []\n')
}

/** A constant with this value, so that a plan would send it. */
const constant = (value: string): void =>
  write('manifests/main.yaml', `database: main\nconstants: [{ name: New, common: ${JSON.stringify(value)} }]\n`)

async function run(line: string, env: Record<string, string> = {}, folder = '') {
  const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: secret, COLUMNS: '300' }
  const result = await runCommand(line.split(' '), join(dir, folder), { ...credentials, ...env })
  expect(result.stdout + result.stderr).not.toContain(secret)
  return result
}
/** Side by side: each is a process that mostly waits to be loaded. */
async function eachOf(commands: readonly string[], check: (command: string) => Promise<void>): Promise<void> {
  await Promise.all(commands.map(check))
}
/** True if anything was sent, a request for a token included. */
const wasAsked = (): boolean => emulator.requests().length > asked

describe('the project file above the working folder', slow, () => {
  it('is not looked for beyond the repository', async () => {
    project()
    mkdirSync(join(dir, 'repository/.git'), { recursive: true })
    mkdirSync(join(dir, 'repository/below'))
    const { code, stderr } = await run('plan', {}, 'repository/below')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('SVC2001') })
    expect(wasAsked()).toBe(false)
    project('repository')
    expect(await run('plan', {}, 'repository/below')).toMatchObject({ code: 0 })
  })

  it('is named where it cannot be seen', async () => {
    project()
    mkdirSync(join(dir, 'a/b'), { recursive: true })
    const above = 'Project file: ../../svcsync.yaml\n'
    await eachOf(['plan', 'drift', 'validate', 'doctor', 'export', 'apply --yes', 'fmt --check'], async (command) => {
      expect((await run(command, {}, 'a/b')).stderr).toContain(above)
    })
    expect((await run('plan')).stderr).toBe('')
    expect((await run('plan --verbose')).stderr).toContain('Project file: svcsync.yaml\n')
    expect((await run('plan --project ../svcsync.yaml', {}, 'a')).stderr).toBe('')
  })

  it.skipIf(process.getuid?.() !== 0)('is not taken where another user put it', async () => {
    project()
    const file = join(dir, 'svcsync.yaml')
    mkdirSync(join(dir, 'mine'))
    chownSync(file, 4711, 4711)
    for (const folder of ['', 'mine']) {
      const { code, stderr } = await run('plan', {}, folder)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`SVC2150  The project file ${file}`),
      })
    }
    expect(wasAsked()).toBe(false)
    // A named file is trusted, and so is one of the folder's owner.
    expect(await run(`plan --project ${file}`)).toMatchObject({ code: 0 })
    chownSync(dir, 4711, 4711)
    expect(await run('plan')).toMatchObject({ code: 0 })
  })
})

describe('SVCSYNC_ALLOW_HOSTS', slow, () => {
  const refused = ['', '*.example.com, other.example.com', '127.0.0.1:1,127.0.0.']
  it.each(refused)('keeps the secret from any other host: %j', async (hosts) => {
    project()
    await eachOf(['plan', 'apply --yes', 'doctor', 'export', `plan --base-url ${emulator.url}`], async (command) => {
      const { code, stdout, stderr } = await run(command, { SVCSYNC_ALLOW_HOSTS: hosts })
      expect(code).toBe(1)
      expect(stdout + stderr).toContain('SVC1505')
    })
    expect(wasAsked()).toBe(false)
  })

  it.each(['127.0.0.1', 'a, 127.0.0.*', '*'])('lets those through that it names: %j', async (hosts) => {
    project()
    expect(await run('plan', { SVCSYNC_ALLOW_HOSTS: hosts })).toMatchObject({ code: 0 })
    expect(await run('plan', { SVCSYNC_ALLOW_HOSTS: new URL(emulator.url).host })).toMatchObject({ code: 0 })
  })

  it('holds for where tokens come from', async () => {
    project('', '')
    const env = { SVCSYNC_ALLOW_HOSTS: '127.0.0.1' }
    const { code, stderr } = await run('plan --auth-url https://login.example.com', env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('`--auth-url` has a host') })
    expect(wasAsked()).toBe(false)
  })

  describe('decides, where `SVCSYNC_BASE_URL` pins the installation and the file says where tokens come from', () => {
    const elsewhere = () => emulator.url.replace('127.0.0.1', 'localhost')
    const targets = (authUrl: string) =>
      `version: 1\nmanifests: [manifests]\ntargets:\n  test: { authUrl: "${authUrl}", databases: { main: 1 } }\n`
    const pinned = (env: Record<string, string> = {}) => ({ SVCSYNC_BASE_URL: emulator.url, ...env })
    beforeEach(() => {
      project()
      write('svcsync.yaml', targets(elsewhere()))
    })

    it('another host gets no secret', async () => {
      await eachOf(['plan', 'apply --yes', 'doctor', 'export'], async (command) => {
        const { code, stdout, stderr } = await run(command, pinned())
        expect(code).toBe(1)
        expect(stdout + stderr).toMatch(/SVC1505 +`authUrl` has another host than `SVCSYNC_BASE_URL`/)
      })
      const refused = pinned({ SVCSYNC_ALLOW_HOSTS: '127.0.0.1' })
      expect((await run('plan', refused)).stderr).toContain('`authUrl` has a host that gets no credentials here')
      write('svcsync.yaml', targets(emulator.url.replace(/\d+$/, '9')))
      expect(await run('plan', pinned())).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC1505') })
      expect(wasAsked()).toBe(false)
    })

    it('who keeps the credentials can let it through', async () => {
      const allowed = [{ SVCSYNC_ALLOW_HOSTS: '127.0.0.1,localhost' }, { SVCSYNC_AUTH_URL: elsewhere() }]
      for (const env of allowed) expect(await run('plan', pinned(env))).toMatchObject({ code: 0 })
      expect(await run(`plan --auth-url ${elsewhere()}`, pinned())).toMatchObject({ code: 0 })
      expect(await run('validate', pinned())).toMatchObject({ code: 0 })
      write('svcsync.yaml', targets(`${emulator.url}/`))
      expect(await run('plan', pinned())).toMatchObject({ code: 0 })
    })
  })
})

describe('SVCSYNC_ALLOW_ENV', slow, () => {
  const env = { GITHUB_TOKEN: 'ghs_word', ERP_URL: 'https://erp', SVCSYNC_ALLOW_ENV: 'ERP_*' }
  it('keeps all other variables out of manifests, and out of the project file', async () => {
    project()
    for (const name of ['GITHUB_TOKEN', 'SVCSYNC_CLIENT_SECRET', 'NOT_SET']) {
      constant(`x\${env:${name}}`)
      await eachOf(['plan', 'validate', 'apply --yes'], async (command) => {
        const { code, stdout, stderr } = await run(command, env)
        expect(code).toBe(1)
        expect(stdout + stderr).toContain(`SVC1205  Files may not name the environment variable \`${name}\` here`)
      })
    }
    project('', 'accounts: { external: ["${env:GITHUB_TOKEN}"] }\n')
    expect((await run('plan', env)).stderr).toContain('svcsync.yaml:9:24\n  error SVC1205')
  })

  it('lets those through that it names, and the credentials of the target', async () => {
    project()
    constant('${env:ERP_URL}')
    expect(await run('plan', env)).toMatchObject({ code: 0 })
    expect((await run('plan', { ...env, SVCSYNC_ALLOW_ENV: '' })).stderr).toContain('SVC1205')
  })

  it('holds for the references of a saved plan', async () => {
    project()
    constant('${env:GITHUB_TOKEN}')
    expect(await run('plan --out p.json', { GITHUB_TOKEN: 'ghs_word' })).toMatchObject({ code: 0 })
    const { code, stderr } = await run('apply p.json', env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('SVC1205') })
  })
})

describe('a file behind a reference', slow, () => {
  beforeEach(() => {
    project()
    write('.env', 'TOKEN=word')
    write('.secrets/erp', 'word')
    write('secrets/erp', 'word')
    write('plain', 'word')
  })

  it('is not hidden', async () => {
    for (const name of ['../.env', '../.secrets/erp']) {
      constant(`\${file:${name}}`)
      const { code, stderr } = await run('plan')
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`SVC1206  The file \`${name}\``) })
    }
    project('', 'settings: { readFilesFrom: [.secrets, .env] }\n')
    for (const name of ['../.env', '../.secrets/erp']) {
      constant(`\${file:${name}}`)
      expect(await run('plan')).toMatchObject({ code: 0 })
    }
  })

  it('is none that git ignores', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' })
    git('init', '--quiet')
    // Run, if ever anything of the repository were.
    write('.git/hook', `#!/bin/sh\ntouch ${dir}/ran\n`)
    chmodSync(join(dir, '.git/hook'), 0o755)
    git('config', 'core.fsmonitor', join(dir, '.git/hook'))
    write('.gitignore', 'secrets/\n*.txt\n')
    write('tracked.txt', 'word')
    git('-c', 'core.fsmonitor=false', 'add', '--force', 'tracked.txt')
    constant('${file:../secrets/erp}')
    const { code, stderr } = await run('plan')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not read: git ignores it') })
    // A nested repository of git can be committed beside the file, and ignores nothing.
    for (const [name, text] of [
      ['HEAD', 'ref: refs/heads/main\n'],
      ['objects/x'],
      ['refs/x'],
      ['config', '[core]\nbare = true\n'],
    ]) {
      write(`secrets/${name}`, text ?? '')
    }
    expect(await run('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC1206') })
    write('secrets/.git', 'nothing that git knows')
    expect(await run('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC1206') })
    rmSync(join(dir, 'secrets/.git'))
    for (const name of ['../plain', '../tracked.txt']) {
      constant(`\${file:${name}}`)
      expect([name, (await run('plan')).code]).toEqual([name, 0])
    }
    project('', 'settings: { readFilesFrom: [secrets] }\n')
    constant('${file:../secrets/erp}')
    expect(await run('plan')).toMatchObject({ code: 0 })
    expect(existsSync(join(dir, 'ran'))).toBe(false)
  })
})
