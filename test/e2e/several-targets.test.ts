// One command over several targets: each is a run by itself, and the whole has one summary and one exit code.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { worstExitCode } from '../../src/cli/program/exit-codes.ts'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand, startCommand } from '../harness/command.ts'

const names = ['de', 'pl', 'us'] as const
const secretOf = (name: string): string => `secret-of-${name}-alone`
const tenantOf = (name: string) => ({
  apiApplications: [{ name: 'svcsync', clientId: `id-${name}`, clientSecret: secretOf(name), scopes: 'all' as const }],
  users: [{ svcId: 'ann@example.com', name: 'Ann', email: 'a@example.com' }],
})
const env = Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_SECRET`, secretOf(name)]))
let emulators: Readonly<Record<string, Emulator>>
let dir: string
beforeAll(async () => {
  emulators = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await startEmulator()])))
})
afterAll(() => Promise.all(Object.values(emulators).map((each) => each.close())))
beforeEach(() => {
  for (const name of names) emulators[name]?.load(tenantOf(name) as never)
  dir = mkdtempSync(join(tmpdir(), 'svcsync-several-'))
  mkdirSync(join(dir, 'manifests'))
  manifest('New')
  project()
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const manifest = (name: string) =>
  writeFileSync(
    join(dir, 'manifests/main.yaml'),
    `users: [{ svcId: "new@\${var:domain}", name: ${name}, email: ` +
      'n@example.com }, { svcId: ann@example.com, name: Ann }]\n',
  )

/** `more`: lines of a target. */
function project(more: Readonly<Record<string, string>> = {}, addresses: Readonly<Record<string, string>> = {}): void {
  const targets = names.map(
    (name) => `  ${name}:
    baseUrl: ${addresses[name] ?? emulators[name]?.url}
    clientId: id-${name}
    clientSecret: "\${env:${name.toUpperCase()}_SECRET}"
    variables: { domain: ${name}.example.com }
    labels: { ring: ${name === 'de' ? 'canary' : 'rest'}, region: ${name === 'us' ? 'na' : 'eu'} }
${more[name] ?? ''}`,
  )
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    'version: 1\nmanifests: [manifests]\nsettings: { retry: { attempts: 1 } }\n' +
      `target: de\ntargets:\n${targets.join('')}`,
  )
}
const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
  runCommand(line.split(' '), dir, { ...env, COLUMNS: '200', ...more })
const userOf = (name: string): unknown =>
  emulators[name]?.state().users?.find(({ svcId }) => svcId === `new@${name}.example.com`)
const targetsIn = (stdout: string): Record<string, number | null> => {
  const { targets } = JSON.parse(stdout) as { targets: { name: string; exitCode: number | null }[] }
  return Object.fromEntries(targets.map(({ name, exitCode }) => [name, exitCode]))
}

describe('which targets', { timeout: 120_000 }, () => {
  it.each([
    ['--all-targets', ['de', 'pl', 'us']],
    ['-t us -t de', ['de', 'us']],
    ['--targets ?l --targets us', ['pl', 'us']],
    ['--labels region=eu', ['de', 'pl']],
    ['--labels region=eu --labels ring=rest', ['pl']],
    ['--targets * --labels ring=canary', ['de']],
  ])('%s', async (choice, chosen) => {
    const { code, stdout } = await run(`plan ${choice} --format json --quiet`)
    expect(code).toBe(0)
    expect(Object.keys(targetsIn(stdout))).toEqual(chosen)
  })

  it.each([
    ['-t de -t fr', 'There is no target `fr`'],
    ['--targets x*', 'No target matches `--targets x*`'],
    ['--labels ring=none', 'No target has the labels `ring=none`'],
    ['--labels ring', '`--labels ring` is no label'],
  ])('%s selects nothing', async (choice, says) => {
    for (const command of ['plan', 'validate']) {
      const { code, stderr } = await run(`${command} ${choice}`)
      expect(code).toBe(1)
      expect(stderr).toContain(says)
      expect(stderr).toContain('SVC2320')
    }
  })

  it('are all that validate looks at', async () => {
    const { code, stdout } = await run('validate --labels region=eu --format json')
    expect(code).toBe(0)
    expect((JSON.parse(stdout) as { targets: { name: string }[] }).targets.map(({ name }) => name)).toEqual([
      'de',
      'pl',
    ])
  })
})

describe('an apply', { timeout: 120_000 }, () => {
  it('is one for each, with one line for each, and its own results', async () => {
    const { code, stdout, stderr } = await run('apply --all-targets --yes --results out')
    expect(code).toBe(0)
    expect(stdout).toContain('Apply over 3 targets')
    expect(stdout).toContain('3 targets: 3 as declared.')
    expect(names.map(userOf)).toMatchObject(names.map(() => ({ name: 'New' })))
    expect(readdirSync(join(dir, 'out')).sort()).toEqual(['de.json', 'pl.json', 'us.json'])
    const texts = names.map((name) => readFileSync(join(dir, `out/${name}.json`), 'utf8'))
    for (const [index, name] of names.entries()) {
      const result = JSON.parse(texts[index] as string)
      expect(result).toMatchObject({
        name,
        command: 'apply',
        exitCode: 0,
        targets: [...names],
        result: { outcome: 'converged' },
      })
      // The output for one target names no other.
      for (const other of names.filter((each) => each !== name))
        expect(texts[index]).not.toContain(`${other}.example.com`)
    }
    for (const text of [stdout, stderr, ...texts]) for (const name of names) expect(text).not.toContain(secretOf(name))
    expect(await run('plan --all-targets --detailed-exitcode')).toMatchObject({ code: 0 })
  })

  it('of one that fails stops no other, and is in the exit code', async () => {
    project({}, { pl: 'http://127.0.0.1:9' })
    const { code, stdout, stderr } = await run('apply --all-targets --yes')
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ pl {2}SVC3001/)
    expect(stderr).toMatch(/^\[pl\] error SVC3001/m)
    expect([userOf('de'), userOf('us')]).toMatchObject([{ name: 'New' }, { name: 'New' }])
  })

  it('begins no further one after that, if that is wanted', async () => {
    project({}, { de: 'http://127.0.0.1:9' })
    const { code, stdout } = await run('apply --all-targets --yes --fail-fast --parallel 1 --format json')
    expect(code).toBe(1)
    expect(targetsIn(stdout)).toEqual({ de: 1, pl: null, us: null })
    expect([userOf('pl'), userOf('us')]).toEqual([undefined, undefined])
  })

  it('asks each target that wants its name for it', async () => {
    project({ pl: '    confirm: name\n', us: '    confirm: name\n' })
    const { stdout } = await run('apply --all-targets --yes --confirm us --format json')
    expect(targetsIn(stdout)).toEqual({ de: 0, pl: 1, us: 0 })
    expect(userOf('pl')).toBeUndefined()
    expect(await run('apply -t de -t pl --yes --confirm us')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`--confirm` names `us`, which this run is not for'),
    })
  })

  it('is refused over two targets of one address, and whole', async () => {
    const port = new URL(emulators.de?.url ?? '').port
    for (const [one, other] of [
      [emulators.de?.url, `${emulators.de?.url}/`],
      [emulators.de?.url, `http://LocalHost.:${port}`],
      [`http://localhost:${port}`, `http://[::1]:${port}/`],
      ['https://Svc.example.com', 'https://svc.example.com.:443//'],
    ] as const) {
      project({}, { de: one ?? '', pl: other })
      const { code, stderr } = await run('apply --all-targets --yes')
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2321') })
      expect(stderr).toContain('The targets `de` and `pl` have one address')
    }
    project({}, { pl: `${emulators.de?.url}/` })
    expect(await run('plan -t pl -t us')).toMatchObject({ code: 1, stderr: expect.stringContaining('[pl]') })
    expect(names.map(userOf)).toEqual([undefined, undefined, undefined])
  })

  it.each([
    ['--expect 08c8dd4c69b25d20', '`--expect`'],
    ['--base-url http://127.0.0.1:9', '`--base-url`'],
    ['--allow deletions=3 --yes', '`--allow`'],
    ['--journal j.jsonl --yes', '`--journal`'],
  ])('takes no %s: that is of one', async (option, says) => {
    const { code, stderr } = await run(`apply --all-targets ${option}`)
    expect(code).toBe(1)
    expect(stderr).toContain('SVC2322')
    expect(stderr).toContain(says)
  })

  it('writes no results beside those of another run', async () => {
    await run('plan --all-targets --results out')
    const before = readFileSync(join(dir, 'out/de.json'), 'utf8')
    const again = await run('apply -t de -t us --yes --results out')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2323') })
    expect(readFileSync(join(dir, 'out/de.json'), 'utf8')).toBe(before)
    expect(userOf('de')).toBeUndefined()
  })
})

describe('what is shown', { timeout: 120_000 }, () => {
  it.each(['markdown', 'html'])('is one %s of all', async (format) => {
    project({}, { us: 'http://127.0.0.1:9' })
    const { code, stdout } = await run(`plan --all-targets --format ${format}`)
    expect(code).toBe(1)
    for (const name of ['de', 'pl']) expect(stdout).toContain(`new@${name}.example.com`)
    expect(stdout).toContain('SVC3001')
  })

  it('tells a refused plan apart, and a mistake once for all targets that have it', async () => {
    project({ pl: '    guards: { deletions: { max: 0 } }\n' })
    writeFileSync(join(dir, 'manifests/main.yaml'), 'users: [{ svcId: ann@example.com, name: Ann, absent: true }]\n')
    const refused = await run('plan --all-targets --results out')
    expect(refused).toMatchObject({ code: 0, stdout: expect.stringContaining('3 targets: 1 refused, 2 with changes.') })
    expect(JSON.parse(readFileSync(join(dir, 'out/pl.json'), 'utf8'))).toMatchObject({
      ...{ exitCode: 0, verdict: { severity: 'danger', refused: true } },
    })
    const apply = await run('apply --all-targets --yes --format json')
    expect(targetsIn(apply.stdout)).toEqual({ de: 0, pl: 4, us: 0 })
    const alone = await run('apply -t de -t pl --yes --results applied')
    // A run over several targets takes no `--allow`.
    expect(alone.stderr).toMatch(/run again with\s+(?:\[pl\]\s+)?--target pl --allow deletions=/)
    expect((await run('report applied')).stderr).toContain('(`pl`) was refused: SVC2070')
    writeFileSync(join(dir, 'manifests/main.yaml'), 'users: [{ svcIdd: "${var:gone}" }]\n')
    project({ pl: '    manifests: [apart.yaml]\n' })
    writeFileSync(join(dir, 'apart.yaml'), 'users: [{ svcId: "${var:gone}", name: A }]\n')
    const { code, stderr } = await run('plan --all-targets')
    expect(code).toBe(1)
    expect(stderr.match(/SVC1101.*`svcIdd`.*\n.*1 \|/g)).toHaveLength(1)
    expect(stderr).toContain('[de, us]   error SVC1101')
    expect(stderr).toMatch(/^\[pl\] {3}error .*`gone`/m)
  })

  it('tells drift and doctor of each', async () => {
    expect(await run('drift --all-targets')).toMatchObject({ code: 2, stdout: expect.stringContaining('3 with drift') })
    const doctor = await run('doctor --all-targets')
    expect(doctor.stdout).toContain('Doctor over 3 targets')
  })

  it('is an interrupt for all: what was not begun is not', async () => {
    for (const name of names)
      emulators[name]?.addFault({ match: {}, nth: 2, effect: { kind: 'delay', delayMs: 30_000 } } as never)
    const before = emulators.de?.requests().length ?? 0
    const running = startCommand(['plan', '--all-targets', '--parallel', '1', '--format', 'json'], dir, env)
    const { child, ended } = running
    // The second is delayed.
    await running.until(() => (emulators.de?.requests().length ?? 0) >= before + 2)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(targetsIn(stdout)).toEqual({ de: 130, pl: null, us: null })
    for (const name of names) emulators[name]?.load(tenantOf(name) as never)
  })
})

it.each([
  [[0, 2, 4], 4],
  [[4, 5, 2], 5],
  [[5, 3], 3],
  [[3, 1, 130], 130],
  [[1, 3], 1],
  [[], 0],
])('the exit code of %j is %i', (codes, worst) => {
  expect(worstExitCode(codes)).toBe(worst)
})
