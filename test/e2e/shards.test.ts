// Many installations shared out among processes: one of them is killed, two installations are down, and the merged
// report says all of it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { filterByShard } from '../../src/project/select-targets.ts'
import { runCommand, startCommand } from '../harness/command.ts'

/** As many for each process as where eight share out three hundred. */
const [count, shards] = [114, 3]
const names = Array.from({ length: count }, (_, index) => `customer-${String(index).padStart(3, '0')}`)
const targets = names.map((name) => ({ name }))
const ofShard = (index: number) => filterByShard(targets, { index, of: shards }).map(({ name }) => name)
const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }

let dir: string
let emulators: ReadonlyMap<string, Emulator>
/** Down from the beginning, of the first shard; and the one that never answers, of the last. */
const down = ofShard(1).slice(0, 2)
const stuck = ofShard(shards)[0] as string

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-shards-'))
  emulators = new Map(await Promise.all(names.map(async (name) => [name, await startEmulator()] as const)))
  for (const emulator of emulators.values()) emulator.load({})
  for (const name of down) await emulators.get(name)?.close()
  emulators
    .get(stuck)
    ?.addFault({ match: { path: '/me' }, nth: 1, effect: { kind: 'delay', delayMs: 600_000 } } as never)
  emulators
    .get(stuck)
    ?.addFault({ match: { path: '/admin/*' }, nth: 1, effect: { kind: 'delay', delayMs: 600_000 } } as never)
  mkdirSync(join(dir, 'manifests'))
  writeFileSync(
    join(dir, 'manifests/main.yaml'),
    'users: [{ svcId: new@example.com, name: New, email: n@example.com }]\n',
  )
  const lines = names.map((name) => `  ${name}: { baseUrl: "${emulators.get(name)?.url}", databases: { main: 1 } }\n`)
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    `version: 1\nmanifests: [manifests]\nsettings: { retry: { attempts: 1 } }\ntargets:\n${lines.join('')}`,
  )
}, 120_000)
afterAll(async () => {
  await Promise.all([...emulators].filter(([name]) => !down.includes(name)).map(([, each]) => each.close()))
  rmSync(dir, { recursive: true, force: true })
})

const hasUser = (name: string): boolean => (emulators.get(name)?.state().users ?? []).length > 0
const results = () => readdirSync(join(dir, 'out')).map((file) => file.replace('.json', ''))
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 50))
}

/** Most memory that a process had, in MB; 0 where the system does not tell. */
function mostMemoryMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}

const applyShard = (index: number) =>
  startCommand(
    ['apply', '--all-targets', '--yes', '--results', 'out', '--parallel', '4', '--format', 'json', '--quiet'],
    dir,
    { ...env, JOB_COMPLETION_INDEX: String(index - 1), SVCSYNC_SHARDS: String(shards) },
  )

describe('shards as processes', { timeout: 600_000 }, () => {
  it('apply what is theirs, and what is missing at the end is told', async () => {
    const running = Array.from({ length: shards }, (_, index) => applyShard(index + 1))
    const last = running.at(-1)
    await until(() => (emulators.get(stuck)?.requests().length ?? 0) > 1 && results().length >= count / 2)
    const memory = Math.max(...running.map(({ child }) => mostMemoryMb(child.pid)))
    last?.child.kill('SIGKILL')
    const codes = await Promise.all(running.slice(0, -1).map(async ({ ended }) => (await ended).code))
    expect(codes).toEqual([1, ...Array.from({ length: shards - 2 }, () => 0)])
    expect(memory).toBeLessThan(400)

    const missing = names.filter((name) => !results().includes(name))
    expect(missing).toContain(stuck)
    expect(missing.every((name) => ofShard(shards).includes(name))).toBe(true)
    const report = await runCommand(['report', 'out', '--format', 'json'], dir, env)
    expect(report.code).toBe(1)
    const { groups, notReported } = JSON.parse(report.stdout) as {
      groups: { outcome: string; targets: { name: string }[] }[]
      notReported: string[]
    }
    const done = groups.flatMap(({ outcome, targets: of }) => {
      expect(outcome).toBe('converged')
      return of.map(({ name }) => name)
    })
    // Each is in one of three places, and what is said to be done is.
    expect([...done, ...down, ...missing].sort()).toEqual(names)
    expect(done.every(hasUser)).toBe(true)
    for (const name of down)
      expect(notReported.some((each) => each.includes(`\`${name}\``) && each.includes('SVC3001'))).toBe(true)
    expect(notReported.at(-1)).toContain(`${missing.length} target`)
    expect(notReported.at(-1)).toContain(`\`${stuck}\``)
  })
})

it('results of two runs are not one report', async () => {
  const run = (line: string) => runCommand(line.split(' '), dir, env)
  const [first, second] = ofShard(2) as [string, string]
  await run(`plan -t ${first} -t ${second} --results mixed`)
  await run(
    `drift -t ${names
      .filter((name) => ![...down, stuck, first, second].includes(name))
      .slice(0, 2)
      .join(' -t ')} --results mixed`,
  )
  expect(await run('report mixed')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2323') })
  // A shard that no target fell to has written nothing: that is no reason to report none of the others.
  const idle = await run(`plan -t ${first} -t ${second} --shard 1/${shards} --results empty`)
  expect(idle).toMatchObject({ code: 0, stdout: 'This shard has no targets.\n' })
  expect(await run('report empty')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2818') })
  await run(`plan -t ${first} -t ${second} --shard 2/${shards} --results full`)
  expect(await run('report empty full --format json')).toMatchObject({ code: 0 })
})

it('jobs of a matrix are at most as many as GitHub begins', async () => {
  const many = Array.from({ length: 257 }, (_, index) => `  t${index}: { baseUrl: "https://t${index}.example.com" }\n`)
  const folder = join(dir, 'many')
  mkdirSync(folder)
  writeFileSync(join(folder, 'svcsync.yaml'), `version: 1\nmanifests: [manifests]\ntargets:\n${many.join('')}`)
  const jobs = (line: string) => runCommand(['targets', ...line.split(' ')], folder, env)
  expect(await jobs('--format github-matrix')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2324') })
  const { include } = JSON.parse((await jobs('--format github-matrix --shards 8')).stdout)
  expect(include).toEqual(Array.from({ length: 8 }, (_, index) => ({ shard: `${index + 1}/8` })))
  expect(JSON.parse((await jobs('--format argo')).stdout)).toHaveLength(257)
  expect(JSON.parse((await jobs('--format json --shard 3/8')).stdout).targets.length).toBeLessThan(257)
  expect(await jobs('--shard 9/8')).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2324') })
})
