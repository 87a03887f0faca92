// The life of a drift over HTTP and real git: found at night, decided in the morning, and over. In the first, a shell
// plays the jobs of examples/ci each night, on each forge.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ForgeName } from '../../src/forge/forge-name.ts'
import { forges } from '../../src/forge/forges.ts'
import { token } from '../forge/pretended-forge.ts'
import { forgesOfTests } from '../forge/pretended-forges.ts'
import { branch, kim, useProject } from '../forge/project-on-forge.ts'
import { startScript } from '../harness/github-job.ts'
import { type HostDoor, openHostDoor, putTools } from '../harness/host-door.ts'

const names = Object.keys(forges) as ForgeName[]

interface Step {
  readonly run?: string
  readonly bash?: string
  readonly with?: { readonly command?: string; readonly args?: string }
}

interface AzureJob {
  readonly job?: string
  readonly steps?: readonly Step[]
}

function templateOf(name: ForgeName): unknown {
  const file = { github: 'github/drift.yml', gitlab: 'gitlab/svcsync.yml', azure: 'azure/svcsync.yml' }[name]
  return parse(readFileSync(join('examples/ci', file), 'utf8'))
}

/** The jobs of a night. The action of GitHub runs its command with its arguments. */
const jobsOf: Readonly<Record<ForgeName, (template: never) => readonly [drift: string, accept: string]>> = {
  github: ({ jobs }: { jobs: Record<'drift' | 'accept', { steps: readonly Step[] }> }) => {
    const action = jobs.drift.steps.find((step) => step.with?.command === 'drift')?.with
    const accept = jobs.accept.steps.find(({ run }) => run?.includes('accept --pull-request'))?.run
    return [`npx --no svcsync drift ${action?.args?.replaceAll('\n', ' ')}`, String(accept)]
  },
  gitlab: (jobs: Record<string, { script: readonly string[] }>) => {
    const script = (name: string): string => String(jobs[name]?.script.join('\n'))
    return [script('svcsync-drift'), script('svcsync-accept')]
  },
  azure: ({ jobs }: { jobs: readonly Readonly<Record<string, readonly AzureJob[]>>[] }) => {
    const ofTargets = jobs.flatMap((each) => each['${{ each target in parameters.targets }}'] ?? [])
    const step = (name: string): string => {
      const steps = ofTargets.find(({ job }) => job?.startsWith(`${name}_`))?.steps ?? []
      return String(steps.findLast(({ bash }) => bash !== undefined)?.bash)
    }
    return [step('svcsync_drift'), step('svcsync_accept')]
  },
}

let folder: string
let door: HostDoor
beforeAll(async () => {
  door = await openHostDoor()
  folder = putTools(mkdtempSync(join(tmpdir(), 'svcsync-ci-')), door)
})
afterAll(() => {
  door.close()
  rmSync(folder, { recursive: true })
})

async function play(script: string, cwd: string, env: Record<string, string>): Promise<number> {
  const PATH = `${folder}:${process.env.PATH}`
  return (await startScript(['bash', '-eo', 'pipefail', '-c', script], cwd, { ...env, PATH })).code
}

describe.each(names)('a drift on %s', (name) => {
  const lab = useProject(name)
  const jobs = jobsOf[name](templateOf(name) as never)
  /** Both jobs of a night: their exit codes. */
  const playedNight = async (): Promise<number[]> => {
    const { dir, env } = lab.workspace
    const given = { TARGETS: 'test', SVCSYNC_TARGET: 'test', PROJECT: '' }
    const variables = { ...env, ...forgesOfTests[name].env(lab.forge.url), ...given }
    const codes: number[] = []
    // A variable of the project overrides one of a job in GitLab, and the job that accepts needs another token.
    const ofReporter = name === 'gitlab' ? { GITLAB_TOKEN: 'of-a-reporter', SVCSYNC_ACCEPT_TOKEN: token } : {}
    for (const [index, script] of jobs.entries())
      codes.push(await play(script, dir, index === 0 ? variables : { ...variables, ...ofReporter }))
    return codes
  }
  /** The same without a shell, which is cheaper. */
  const night = async () => [(await lab.run('drift', '--to', name)).code, (await lab.request()).code]
  const issue = () => {
    expect(lab.forge.issues).toHaveLength(1)
    return lab.forge.issues[0] as (typeof lab.forge.issues)[number]
  }
  /** So many days pass: what is remembered is older. */
  const age = (days: number): string => {
    const day = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    issue().body = issue().body.replace(/"\d{4}-\d\d-\d\d":/, `"${day}":`)
    return day
  }
  const isPlannedEmpty = async () => expect(await lab.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 })

  it('is found, told in an issue, ages, is accepted by a request, merged, planned empty, and closed', async () => {
    expect(await playedNight()).toEqual([0, 0])
    expect([lab.forge.issues, lab.forge.pulls]).toEqual([[], []])
    lab.addKim()
    expect(await playedNight()).toEqual([2, 0])
    expect(issue().body).toContain(`members + \`${kim}\``)
    expect(issue().body).toContain('1 difference, new today.')
    const day = age(4)
    expect(await playedNight()).toEqual([2, 0])
    expect(issue().body).toContain(`since ${day}, 4 days`)
    expect(lab.pull()).toMatchObject({ isOpen: true, head: branch })
    lab.merge()
    await isPlannedEmpty()
    expect(await playedNight()).toEqual([0, 0])
    expect(issue()).toMatchObject({ isOpen: false, comments: [expect.stringContaining(`since ${day}.`)] })
    expect(lab.pull()).toMatchObject({ isOpen: false, isMerged: true, comments: [] })
  })

  // An issue and a request end alike on each forge, whatever ends them: test/forge/drift-issue and accept-request.
  if (name !== 'github') return

  it('is found, told, healed by the line of the issue, planned empty, and closed with its request', async () => {
    lab.changeUrl('https://other.example.com')
    expect(await night()).toEqual([2, 0])
    const heal = /^svcsync (apply .*)$/m.exec(issue().body)?.[1] ?? ''
    expect(heal).toBe('apply --only constant/main/Url')
    expect((await lab.run(...heal.split(' '), '--yes')).code).toBe(0)
    await isPlannedEmpty()
    expect(await night()).toEqual([0, 0])
    expect([issue().isOpen, lab.pull().isOpen, lab.tip()]).toEqual([false, false, ''])
    // It comes back: another issue, another request.
    lab.changeUrl('https://other.example.com')
    expect(await night()).toEqual([2, 0])
    expect(lab.forge.issues.map(({ isOpen }) => isOpen)).toEqual([false, true])
    expect(lab.forge.pulls.map(({ isOpen }) => isOpen)).toEqual([false, true])
  })

  it('is found, told, left alone for days by a merged exception, closed, and found again after that day', async () => {
    lab.changeUrl('https://other.example.com')
    expect(await night()).toEqual([2, 0])
    const [, , except = ''] = /^```sh\n(.*)\n(.*)\nsvcsync (.*)\n```$/m.exec(issue().body)?.slice(1) ?? []
    expect(except).toBe('accept --only constant/main/Url --until DATE --reason REASON')
    const args = except.replace('DATE', '2100-01-31').replace('REASON', 'Migration').split(' ')
    const { code, stdout, stderr } = await lab.run(...args)
    expect(code, stdout + stderr).toBe(0)
    lab.publish('until the migration')
    await isPlannedEmpty()
    expect(await night()).toEqual([0, 0])
    expect([issue().isOpen, lab.pull().isOpen, lab.tip()]).toEqual([false, false, ''])
    lab.workspace.write('exceptions.yaml', lab.read('exceptions.yaml').replace('2100-01-31', '2026-01-31'))
    lab.publish('it is over')
    expect(await night()).toEqual([2, 0])
    expect(lab.forge.issues.map(({ isOpen }) => isOpen)).toEqual([false, true])
    expect(lab.forge.issues[1]?.body).toContain('Excepted until 2026-01-31, which is over: `constant/main/Url`')
  })
})
