// The remote that keeps a ledger: how it is reached, what it may hold, and two applies at once.
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { takeLease } from '../../src/ledger/lease.ts'
import { writeLease } from '../../src/ledger/ledger-commit.ts'
import { openRemote } from '../../src/ledger/remote.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { git } from '../harness/repository.ts'
import { writesOf } from '../harness/write-log.ts'
import { applied, env, flat, groups, lease, useLedger } from './ledger-fixture.ts'

const lab = useLedger()
const { backTo, runIn, run, inRemote, publish, hook } = lab

describe('the remote', () => {
  it('that is not configured, no repository, and an address in the place of a name', async () => {
    git(lab.workspace.dir, 'remote', 'rename', 'origin', 'other')
    expect((await run('apply', '--yes')).stderr).toMatch(/SVC2230 .*the repository has no remote of that name/)
    rmSync(join(lab.workspace.dir, '.git'), { recursive: true })
    expect((await run('apply', '--yes')).stderr).toMatch(/SVC2230 .*is in no git repository/)
  })

  it('never shows its address, nor the password in it', async () => {
    git(lab.workspace.dir, 'remote', 'set-url', 'origin', 'http://anna:s3cr3t-word@127.0.0.1:1/r.git')
    const { code, stdout, stderr } = await run('apply', '--yes', '--verbose')
    expect(stderr).toContain('it cannot be reached')
    expect(code).toBe(1)
    expect(stdout + stderr).not.toMatch(/s3cr3t|127\.0\.0\.1:1\b/)
  })

  it('that takes nothing is an error before the first write', async () => {
    hook('pre-receive', 'exit 1')
    const { code, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(
      /SVC2236 The remote `origin` does not take refs\/svcsync\/lease\/test: a hook there declined it/,
    )
    expect(code).toBe(1)
    expect(lab.workspace.emulator.state().groups).toEqual([])
  })

  it('gets the entry and the end of the lease in one push, and one after the other if it takes no more', async () => {
    const pushes = join(lab.remote.path, 'pushes')
    const history = applied.replace('applied', 'history')
    for (const [takesAll, ends] of [
      ['true', [`${applied} ${lease}`]],
      ['false', [applied, lease]],
    ] as const) {
      backTo('published')
      hook('post-receive', `while read old new ref; do printf '%s ' "$ref" >> pushes; done; echo >> pushes`)
      inRemote('config', 'receive.advertiseAtomic', takesAll)
      expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
      const seen = readFileSync(pushes, 'utf8').trimEnd().split(/ \n/)
      expect(seen.map((line) => line.trim().split(' ').sort().join(' '))).toEqual([lease, ...ends, history])
      expect((await run('status')).stdout).toContain('lease    free')
    }
  })

  it('that goes in the middle leaves what was applied applied, and says so', async () => {
    hook('post-receive', `mv ${lab.remote.path} ${lab.remote.path}.away`)
    const { code, stdout } = await run('apply', '--yes')
    renameSync(`${lab.remote.path}.away`, lab.remote.path)
    hook('post-receive', 'exit 0')
    expect(flat(stdout)).toMatch(
      /Ledger: refs\/svcsync\/applied\/test is not there yet: .*The applied changes stay\. .*lease of `test` could not be released: it expires at /,
    )
    expect(code).toBe(0)
  })

  it('that does not take the entry leaves what was applied applied, and the next apply moves it', async () => {
    hook('update', 'case "$1" in refs/svcsync/applied/*) exit 1;; esac')
    const { code, stdout } = await run('apply', '--yes')
    expect(flat(stdout)).toMatch(
      /Ledger: refs\/svcsync\/applied\/test is not there yet: The remote .* The applied changes stay\. /,
    )
    expect(code).toBe(0)
    hook('update', 'exit 0')
    const again = await run('apply', '--yes')
    expect(again.stdout).toContain('Nothing to do: every compared object is as declared')
    expect(again.stdout).toContain('now.')
  })
})

describe('the way to the remote', () => {
  /** An apply, or what only reads. */
  const runWith =
    (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    (url: string) => {
      git(lab.workspace.dir, 'remote', 'set-url', 'origin', url)
      return runCommand(args, lab.workspace.dir, { ...env, ...more })
    }

  it('is that of GIT_CONFIG_*, whatever GIT_DIR says', async () => {
    backTo('applied')
    const status = runWith(
      {
        GIT_DIR: '/nowhere',
        GIT_INDEX_FILE: '/nowhere/index',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: `url.file://${lab.remote.path}.insteadOf`,
        GIT_CONFIG_VALUE_0: 'https://git.invalid/company.git',
      },
      'status',
    )
    expect((await status('https://git.invalid/company.git')).stdout).toContain(`applied  ${lab.first.slice(0, 7)}`)
  })

  it('is that of GIT_SSH_COMMAND', async () => {
    const ssh = join(lab.remote.path, '../ssh.sh')
    writeFileSync(ssh, '#!/bin/sh\nwhile [ "$1" != git.invalid ]; do shift; done; shift; exec sh -c "$*"\n')
    chmodSync(ssh, 0o755)
    const apply = runWith({ GIT_SSH_COMMAND: ssh }, 'apply', '--yes')
    expect((await apply(`ssh://git.invalid${lab.remote.path}`)).stdout).toContain('now.')
  })

  it('takes the credentials of GIT_ASKPASS, asks nobody without them, and shows neither', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      const { authorization } = request.headers
      if (authorization !== undefined) seen.push(Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString())
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/company.git`
    const askpass = join(lab.remote.path, '../askpass.sh')
    writeFileSync(askpass, '#!/bin/sh\ncase "$1" in User*) echo anna;; *) echo s3cr3t-word;; esac\n')
    chmodSync(askpass, 0o755)
    const none = await runWith({}, 'plan')(url)
    expect(flat(none.stderr)).toContain('it asks for credentials, and git has none')
    expect(seen).toEqual([])
    const refused = await runWith({ GIT_ASKPASS: askpass }, 'plan')(url)
    expect(flat(refused.stderr)).toContain('it does not accept the credentials that git has')
    expect(seen).toContain('anna:s3cr3t-word')
    for (const { stdout, stderr } of [none, refused]) expect(stdout + stderr).not.toMatch(/s3cr3t|company\.git/)
    server.close()
  })

  it('leads through no program that the address names', async () => {
    const ran = join(lab.remote.path, '../ran')
    git(lab.workspace.dir, 'config', 'protocol.ext.allow', 'always')
    const { code, stderr } = await runWith({}, 'plan')(`ext::sh -c touch% ${ran}`)
    expect(flat(stderr)).toContain('its address uses a transport that svcsync does not use')
    expect([code, existsSync(ran)]).toEqual([1, false])
  })
})

describe('a ref', () => {
  it('that is lost begins anew', async () => {
    backTo('applied')
    const entry = inRemote('rev-parse', applied)
    inRemote('update-ref', '-d', applied)
    const { stdout, stderr } = await run('apply', '--yes')
    expect(stderr).toContain('The ledger of `test` begins')
    expect(flat(stderr)).toContain(`${applied} is gone from the remote \`origin\``)
    const [, way = ''] = /`git (push origin [^`]*)` puts it back/.exec(flat(stderr)) ?? []
    inRemote('update-ref', '-d', applied)
    git(lab.workspace.dir, ...way.split(' '))
    expect(inRemote('rev-parse', applied)).toBe(entry)
    expect(stdout).toContain(`is at ${lab.first.slice(0, 12)} now.`)
  })

  it('of a lease keeps fifty that were begun, and the apply names those that go', async () => {
    backTo('published')
    const at = '2026-01-01T00:00:00.000Z'
    const begun = Array.from({ length: 50 }, (_, index) => ({ commit: null, at, only: [`group/${index}`] }))
    const old = { holder: 'anna', where: '', since: at, until: undefined, begun, after: undefined }
    git(lab.workspace.dir, 'push', '--quiet', 'origin', `${writeLease(lab.workspace.dir, old, 'test', 0)}:${lease}`)
    const { stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toContain('The ledger forgets what only an undo gave: 50 later applies began')
  })

  it('keeps a commit that a push by force has taken out of the history', async () => {
    backTo('applied')
    git(lab.workspace.dir, 'update-ref', '-d', 'HEAD')
    lab.workspace.manifest(groups('b'))
    const other = publish('Another history')
    const clone = lab.remote.clone('fresh', '--branch', 'main')
    expect(() => git(clone, 'cat-file', '-e', lab.first)).toThrow()
    expect((await runIn(clone, 'apply', '--yes', '--allow', `older-commit=${other}`)).code).toBe(0)
    git(clone, 'cat-file', '-e', lab.first)
    expect(inRemote('rev-parse', `${applied}^^2`)).toBe(lab.first)
  })

  it('is read and moved from a shallow clone, which stays one', async () => {
    backTo('applied')
    lab.workspace.manifest(groups('a', 'c'))
    const second = publish('Second')
    const clone = lab.remote.clone('shallow', '--depth=1', '--branch', 'main')
    const allow = ['--allow', `older-commit=${second}`]
    expect((await runIn(clone, 'apply', '--yes', ...allow)).stdout).toContain(`${second.slice(0, 12)} now.`)
    expect(git(clone, 'rev-list', '--count', 'HEAD')).toBe('1')
  })
})

describe('two applies', () => {
  it('the second ends with 4 and says who applies; the lease of a killed one is taken if allowed', async () => {
    await takeLease(
      { entry: undefined, lease: undefined, state: 'free' },
      {
        remote: openRemote(join(lab.workspace.dir, 'svcsync.yaml'), 'origin'),
        target: 'test',
        self: { holder: 'anna', where: 'build-7' },
        clock: Date.now,
        // It is never renewed.
        sleep: () => new Promise(() => undefined),
      },
    )
    const { code, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(
      /SVC2234 Another apply to `test` is under way: anna \(build-7\) holds its lease since .*--lease-timeout 10m/,
    )
    expect(code).toBe(4)
    const waited = await run('apply', '--yes', '--lease-timeout', '1s')
    expect(waited.stderr).toMatch(/Waiting: anna .*did not release it in time/s)
    const [allow = ''] = /--allow lease=[0-9a-f]{8}/.exec(waited.stderr) ?? []
    expect((await run('apply', '--yes', '--allow', 'lease=00000000')).code).toBe(4)
    const taken = await run('apply', '--yes', ...allow.split(' '))
    expect(taken.stderr).toContain('was taken over from anna: as `--allow` says.')
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('now.') })
  })

  it('one that is killed between its last write and the ledger is caught up with by the next', async () => {
    const reached = join(lab.remote.path, 'reached')
    hook(
      'update',
      `case "$1" in refs/svcsync/applied/*) touch ${reached}; while test ! ` +
        `-e ${reached}.end; do sleep 0.1; done; exit 1;; esac`,
    )
    const killed = startCommand(['apply', '--yes'], lab.workspace.dir, env)
    await killed.until(() => existsSync(reached))
    killed.child.kill('SIGKILL')
    await killed.ended
    writeFileSync(`${reached}.end`, '')
    expect(lab.workspace.emulator.state().groups).toHaveLength(1)
    hook('update', 'exit 0')
    const left = (await run('status')).stdout
    // Elsewhere nobody can tell that it has ended.
    if (process.platform === 'linux') expect(flat(left)).toMatch(/lease left behind by .*: its process has ended/)
    const next = await run('apply', '--yes')
    const [, lease] = /--allow (lease=[0-9a-f]{8})/.exec(next.stderr) ?? []
    const { stdout } = lease === undefined ? next : await run('apply', '--yes', '--allow', lease)
    expect(stdout).toContain('Nothing to do: every compared object is as declared')
    expect(stdout).toContain(`is at ${lab.first.slice(0, 12)} now.`)
  })

  it('an interrupt gives the lease back', async () => {
    lab.workspace.emulator.addFault({
      match: { path: '/api/data/*', method: 'POST' },
      nth: 1,
      count: 1,
      effect: { kind: 'hang', carriedOut: false },
    })
    await lab.workspace.control('DELETE', '/requests')
    const held = startCommand(['apply', '--yes'], lab.workspace.dir, { ...env, GITHUB_ACTOR: 'anna' })
    // Before that, its lease may be there while it has not heard so.
    await held.until(() => writesOf(lab.workspace.emulator).some(({ status }) => status === null))
    held.child.kill('SIGINT')
    await held.shows('Interrupted')
    held.child.kill('SIGINT')
    expect((await held.ended).code).toBe(130)
    expect(inRemote('log', '-1', '--format=%s', lease)).toBe(
      `test: given back by anna, begun and not completed: ${lab.first.slice(0, 12)}`,
    )
    expect(inRemote('for-each-ref', applied)).toBe('')
  })

  it('at once: both come to their end, and the ledger is of one line', async () => {
    const clone = lab.remote.clone('second', '--branch', 'main')
    const both = await Promise.all([run('apply', '--yes'), runIn(clone, 'apply', '--yes')])
    const codes = both.map(({ code }) => code).sort()
    expect(['0,0', '0,4']).toContain(codes.join())
    expect(inRemote('log', '--first-parent', '--format=%s', applied).split('\n').at(-1)).toBe(
      'Begin the ledger of test',
    )
    expect(lab.workspace.emulator.state().groups).toHaveLength(1)
  })
})
