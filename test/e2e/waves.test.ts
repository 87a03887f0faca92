// An apply in waves: the next one is begun when the one before it ended within its budget, and what was not begun can
// be resumed.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'

/** By ring, in the order of the waves; `last` has no label. */
const rings = { can: 'canary', one: 'early', two: 'early', last: undefined } as const
type Name = keyof typeof rings
const names = Object.keys(rings) as Name[]
const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere', COLUMNS: '200' }
const usualWaves = '[{ labels: { ring: canary } }, { labels: { ring: early }, failures: 1 }]'
let emulators: Readonly<Record<Name, Emulator>>
let dir: string
beforeAll(async () => {
  const started = await Promise.all(names.map(async (name) => [name, await startEmulator()] as const))
  emulators = Object.fromEntries(started) as never
})
afterAll(() => Promise.all(Object.values(emulators).map((each) => each.close())))
beforeEach(() => {
  for (const name of names) emulators[name].load({ users: [{ svcId: 'ann@example.com', name: 'Ann' }] } as never)
  dir = mkdtempSync(join(tmpdir(), 'svcsync-waves-'))
  mkdirSync(join(dir, 'manifests'))
  manifest('Anna')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const manifest = (name: string) =>
  writeFileSync(join(dir, 'manifests/main.yaml'), `users: [{ svcId: ann@example.com, name: ${name} }]\n`)

/** By variable: the project file of a run that is resumed is the same. */
let urls: Readonly<Record<string, string>>
/** `waves`: YAML, or none; `away`: targets that nobody reaches. */
function project({ waves = usualWaves as string | undefined, away = [] as readonly Name[], more = '' } = {}): void {
  const urlOf = (name: Name, index: number) =>
    away.includes(name) ? `http://127.0.0.1:${index + 1}` : emulators[name].url
  urls = Object.fromEntries(names.map((name, index) => [`URL_${name}`, urlOf(name, index)]))
  // The file is not in the order of the waves.
  const targets = [...names].reverse().map((name) => {
    const labels = rings[name] === undefined ? '' : `, labels: { ring: ${rings[name]} }`
    return `  ${name}: { baseUrl: "\${env:URL_${name}}"${labels} }\n`
  })
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    'version: 1\nmanifests: [manifests]\nsettings: { retry: { attempts: 1 } }\n' +
      `${waves === undefined ? '' : `waves: ${waves}\n`}${more}targets:\n${targets.join('')}`,
  )
}
const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
  runCommand(line.split(' '), dir, { ...env, ...urls, ...more })
const applied = (): Name[] => names.filter((name) => emulators[name].state().users?.[0]?.name !== 'Ann')
const codesIn = (text: string): Record<string, number | null> =>
  Object.fromEntries(
    (JSON.parse(text).targets as { name: Name; exitCode: number | null }[]).map((each) => [each.name, each.exitCode]),
  )
const result = (name: Name) => JSON.parse(readFileSync(join(dir, `out/${name}.json`), 'utf8'))
const why = 'not begun: the wave `ring=canary` had 1 failure and may have 0'

describe('an apply', { timeout: 120_000 }, () => {
  it('goes in the order of the waves, and then over what has no label', async () => {
    project()
    const { code, stdout, stderr } = await run('apply --all-targets --yes --parallel 4')
    expect(code).toBe(0)
    const order = [...stderr.matchAll(/^(\w+): .*exit code/gm)].map((match) => match[1])
    expect([order[0], new Set(order.slice(1, 3)), order[3]]).toEqual(['can', new Set(['one', 'two']), 'last'])
    expect(stdout).toContain('4 targets: 4 as declared.')
    expect(stderr).not.toContain('hint')
    // Nothing else goes in waves.
    project({ away: ['can'] })
    expect((await run('plan --all-targets --format json')).code).toBe(1)
  })

  it('stops before the next wave where more failed than may, says what was not begun, and is resumed', async () => {
    project({ away: ['can'] })
    const { code, stdout, stderr } = await run('apply --all-targets --yes --results out')
    expect(code).toBe(1)
    expect(applied()).toEqual([])
    expect(stdout).toContain(`○ one   ${why}`)
    expect(stdout).toContain('4 targets: 1 failed, 3 not begun.')
    expect(stderr).toContain('hint: `svcsync apply --resume out --yes` resumes with 4 targets that are left.')
    expect(result('last')).toMatchObject({ exitCode: null, result: null, verdict: { sentence: why } })
    const report = await run('report out')
    expect(report.code).toBe(1)
    expect(report.stderr).toContain(
      '3 targets not begun: the wave `ring=canary` had 1 failure and may have 0: `last`, `one`, `two`',
    )

    project({ away: ['one', 'two'] })
    const resumed = await run('apply --resume out --yes --format json')
    expect(resumed).toMatchObject({ code: 1 })
    expect(codesIn(resumed.stdout)).toEqual({ can: 0, one: 1, two: 1, last: null })
    expect(applied()).toEqual(['can'])

    // Two failed, and one may.
    project({ away: ['two'] })
    const again = await run('apply --all-targets --resume out --yes')
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('4 targets: 1 failed, 2 as declared, 1 done before.')
    expect(applied()).toEqual(['can', 'one', 'last'])
    const requests = emulators.can.requests().length
    project()
    const last = await run('apply --resume out --yes')
    expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining('4 targets: 1 as declared, 3 done before.') })
    expect(emulators.can.requests().length).toBe(requests)
    expect(await run('report out')).toMatchObject({ code: 0 })
    expect(await run('apply --resume out --yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4 done before'),
    })
  })

  it('counts what a guard refuses as a failure, and exits with 4', async () => {
    writeFileSync(join(dir, 'manifests/main.yaml'), 'users: [{ svcId: ann@example.com, absent: true }]\n')
    project({ more: 'guards: { deletions: { max: 0 } }\n' })
    const { code, stdout } = await run('apply --all-targets --yes --format json')
    expect(code).toBe(4)
    expect(codesIn(stdout)).toEqual({ can: 4, one: null, two: null, last: null })
  })

  it('that is interrupted or fails fast begins no further wave', async () => {
    project({ away: ['two'] })
    const { stdout } = await run('apply --all-targets --yes --fail-fast --parallel 1 --format json')
    expect(codesIn(stdout)).toEqual({ can: 0, two: 1, one: null, last: null })
    expect(stdout).toContain('`two` failed, with `--fail-fast`')
  })

  it('over shards is of one wave', async () => {
    project()
    const { code, stderr } = await run('apply --all-targets --yes --shard 1/2')
    expect(code).toBe(1)
    expect(stderr).toContain('SVC2324  These targets are of 3 waves, and a shard is of one')
    expect(stderr).toContain('`svcsync apply --labels ring=canary --shard I/N`')
    expect(applied()).toEqual([])
    const shards = await Promise.all(
      ['1/2', '2/2'].map((shard) => run(`apply --labels ring=early --yes --shard ${shard}`)),
    )
    expect(shards.map(({ code: each }) => each)).toEqual([0, 0])
    expect(applied()).toEqual(['one', 'two'])
    expect(await run('plan --all-targets --shard 1/2')).toMatchObject({ code: 0 })
  })
})

describe('what is refused', { timeout: 120_000 }, () => {
  it.each([
    ['[{ labels: { ring: cannary } }]', 'No target has the labels `ring=cannary`: the wave has no targets'],
    ['[{ labels: {} }]', 'A wave has no labels'],
    [
      '[{ labels: { ring: early } }, { labels: { ring: early } }]',
      'Every target with `ring=early` is in an earlier wave',
    ],
    ['[]', '`waves`'],
    ['[{ labels: { ring: canary }, failures: -1 }]', '`failures`'],
  ])('waves: %s', async (waves, says) => {
    project({ waves })
    const { code, stdout } = await run('validate')
    expect(code).toBe(1)
    expect(stdout).toContain(says)
    expect(stdout).toMatch(/svcsync\.yaml:4:\d+/)
    const { code: ofApply, stderr } = await run('apply --all-targets --yes')
    expect(ofApply).toBe(1)
    expect(stderr.split(says)).toHaveLength(2)
    expect(applied()).toEqual([])
  })

  it('a part is resumed as the same part', async () => {
    project({ away: ['can'] })
    const first = await run('apply --all-targets --only user/** --yes --results out')
    expect(first.stderr).toContain('svcsync apply --resume out --only "user/**" --yes` resumes')
    project()
    const whole = await run('apply --resume out --yes')
    expect(whole).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2323') })
    expect(whole.stderr).toContain('Run `svcsync apply --resume out --only "user/**" --yes`')
    expect(applied()).toEqual([])
    expect(await run('apply --resume out --only user/** --yes')).toMatchObject({ code: 0 })
  })

  it('results of another run are not resumed', async () => {
    project({ away: ['can'] })
    await run('apply --all-targets --yes --results out')
    await run('plan --all-targets --results plans')
    project()
    const refused = async (line: string, code: string, says: string) => {
      const ended = await run(line)
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(code) })
      expect(ended.stderr).toContain(says)
      expect(applied()).toEqual([])
    }
    await refused('apply --labels ring=early --resume out --yes', 'SVC2323', 'a run over other targets: `last`')
    await refused('apply --resume plans --yes', 'SVC2323', 'holds results of `plan`')
    manifest('Mallory')
    await refused('apply --resume out --yes', 'SVC2323', 'The files of the project are not those of the results')
    manifest('Anna')
    for (const file of ['policies/rules.yaml', 'exceptions.yaml']) {
      mkdirSync(join(dir, 'policies'), { recursive: true })
      writeFileSync(join(dir, file), file.startsWith('p') ? 'policies: []\n' : 'exceptions: []\n')
      await refused('apply --resume out --yes', 'SVC2323', 'are not those of the results')
      rmSync(join(dir, file))
    }
    await refused('apply --resume out --results new --yes', 'SVC2109', 'exclude each other')
    await refused('apply --all-targets --resume nowhere --yes', 'SVC2322', 'name a folder that `--results` has written')
    mkdirSync(join(dir, 'empty'))
    await refused('apply --resume empty --yes', 'SVC2818', 'The folder `empty` holds no results')
    writeFileSync(join(dir, 'empty/other.json'), '{}')
    await refused('apply --resume empty --yes', 'SVC2323', '`empty/other.json` is no result of a run over targets')
    renameSync(join(dir, 'plans/can.json'), join(dir, 'out/mixed.json'))
    await refused('apply --resume out --yes', 'SVC2323', 'are results of different runs')
  })
})

describe('with a ledger', { timeout: 120_000 }, () => {
  let remote: GitRemote
  beforeEach(() => {
    remote = openGitRemote()
    project({ more: 'ledger: { remote: origin }\n' })
    remote.adopt(dir)
    writeFileSync(join(dir, '.gitignore'), 'out\n')
    commitAll(dir, 'First')
  })
  afterEach(() => remote.close())

  /** Takes no push of these refs. */
  const refuse = (refs: string): void => {
    mkdirSync(join(remote.path, 'hooks'), { recursive: true })
    const text = `#!/bin/sh\ncase "$1" in ${refs}) exit 1;; esac\n`
    writeFileSync(join(remote.path, 'hooks/update'), text, { mode: 0o755 })
  }

  it('a push that is refused before the first write is a failure; one after it is told, and resumed', async () => {
    refuse('refs/svcsync/lease/can')
    const first = await run('apply --all-targets --yes --results out --format json')
    expect({ code: first.code, of: codesIn(first.stdout) }).toEqual({
      code: 1,
      of: { can: 1, one: null, two: null, last: null },
    })
    refuse('refs/svcsync/applied/can')
    const { code, stdout, stderr } = await run('apply --resume out --yes')
    expect(code).toBe(0)
    expect(stdout).toContain('the ledger stays as it is: The remote `origin` does not take refs/svcsync/applied/can')
    expect(stdout).toContain('4 targets: 1 to look at, 3 as declared.')
    expect(stderr).toContain('resumes with 1 target that is left.')
    refuse('nothing')
    expect(await run('apply --resume out --yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('3 done before'),
    })
    expect((await run('status --all-targets')).stdout).toContain('4 of 4 targets at')
    // A wave less, or more failures, is told of like each setting that guards less.
    project({ waves: '[{ labels: { ring: early }, failures: 2 }]', more: 'ledger: { remote: origin }\n' })
    commitAll(dir, 'Second')
    const { stdout: weaker } = await run('plan -t can')
    expect(weaker).toContain('waves no longer has the wave ring=canary')
    expect(weaker).toContain('waves.0.failures goes from 1 to 2')
  })

  it('a killed run goes on where it was, but not with another commit', async () => {
    emulators.one.addFault({ match: { method: 'PATCH' }, nth: 1, effect: { kind: 'delay', delayMs: 600_000 } } as never)
    const before = emulators.one.requests().length
    const running = startCommand(['apply', '--all-targets', '--yes', '--results', 'out', '--parallel', '1'], dir, {
      ...env,
      ...urls,
    })
    await running.until(() =>
      emulators.one
        .requests()
        .slice(before)
        .some(({ method }) => method === 'PATCH'),
    )
    running.child.kill('SIGKILL')
    await running.ended
    expect(applied()).toEqual(['can', 'one', 'two'])
    emulators.one.load({ users: [{ svcId: 'ann@example.com', name: 'Ann' }] } as never)
    const { code, stdout } = await run('apply --resume out --yes --format json')
    expect({ code, of: codesIn(stdout) }).toEqual({ code: 0, of: { can: 0, one: 0, two: 0, last: 0 } })
    expect(applied()).toEqual(names)
    manifest('Anne')
    const second = commitAll(dir, 'Second')
    const refused = await run('apply --resume out --yes')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('SVC2323')
    expect(refused.stderr).toContain(`and \`${second.slice(0, 7)}\` is checked out`)
  })
})
