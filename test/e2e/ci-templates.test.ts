// The templates for GitLab, Azure Pipelines and Kubernetes: what they run exists, and what their jobs run is played by
// a shell.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildProgram } from '../../src/cli/program/program.ts'
import { azure } from '../forge/pretended-azure.ts'
import { pretendForge, token } from '../forge/pretended-forge.ts'
import { gitLab } from '../forge/pretended-gitlab.ts'
import { startScript } from '../harness/github-job.ts'
import { type HostDoor, openHostDoor, putTools } from '../harness/host-door.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const read = (file: string): string => readFileSync(join('examples/ci', file), 'utf8')

interface GitLabJob {
  readonly extends?: string | readonly string[]
  readonly stage?: string
  readonly rules?: readonly { readonly if: string }[]
  readonly script?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  readonly artifacts?: { readonly paths?: readonly string[]; readonly reports?: Readonly<Record<string, string>> }
}
interface AzureStep {
  readonly bash?: string
  readonly env?: Readonly<Record<string, string>>
}
interface AzureJob {
  readonly job?: string
  readonly deployment?: string
  readonly dependsOn?: string
  readonly steps?: readonly AzureStep[]
  readonly strategy?: { readonly runOnce: { readonly deploy: { readonly steps: readonly AzureStep[] } } }
}
const ofGitLab = parse(read('gitlab/svcsync.yml')) as Record<string, GitLabJob>
type EachTarget = Readonly<Record<string, readonly AzureJob[]>>
const inAzure = parse(read('azure/svcsync.yml')) as { readonly jobs: readonly (AzureJob | EachTarget)[] }
const eachTarget = '${{ each target in parameters.targets }}'
/** The jobs of each target. */
const ofAzure: { readonly jobs: readonly AzureJob[] } = {
  jobs: inAzure.jobs.flatMap((job) => (eachTarget in job ? (job as EachTarget)[eachTarget] : (job as AzureJob)) ?? []),
}
const stepsOf = ({ steps, strategy }: AzureJob): readonly AzureStep[] => steps ?? strategy?.runOnce.deploy.steps ?? []
const ofShare = parse(readFileSync('examples/kubernetes/apply.yaml', 'utf8')) as {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [{ args: [string] }] } } }
}
const planStep = ofAzure.jobs.flatMap(stepsOf).find(({ bash }) => bash?.includes('--to azure'))

it.each(['gitlab/svcsync.yml', 'azure/svcsync.yml'])('%s runs what there is, by the options that it has', (file) => {
  const program = buildProgram(() => undefined)
  const calls = [...read(file).matchAll(/npx --no svcsync ([\w-]+)(.*)/g)]
  expect(calls.length).toBeGreaterThan(5)
  for (const [, name, rest = ''] of calls) {
    const command = program.commands.find((each) => each.name() === name)
    for (const [, option, value] of rest.matchAll(/(--[a-z-]+)(?: ([\w-]+))?/g)) {
      const known = command?.options.find(({ long }) => long === option)
      expect(known, `${name} ${option}`).toBeDefined()
      if (known?.argChoices !== undefined) expect(known.argChoices).toContain(value)
    }
  }
})

it('gitlab/svcsync.yml has jobs that run where they should, and keeps what its reports name', () => {
  for (const [name, { extends: base, rules, script, stage, artifacts }] of Object.entries(ofGitLab)) {
    for (const each of [base ?? []].flat()) expect(ofGitLab[each]).toBeDefined()
    if (name.startsWith('.')) continue
    expect(['build', 'test', 'deploy']).toContain(stage)
    expect(rules?.length).toBeGreaterThan(0)
    for (const file of [...(artifacts?.paths ?? []), ...Object.values(artifacts?.reports ?? {})])
      expect(script?.join('\n')).toMatch(new RegExp(`(?:> "?|--out )${file.replace('*', '')}`))
  }
})

it('azure/svcsync.yml ends a step at the first command that fails, and waits for jobs that there are', () => {
  const names = ofAzure.jobs.map(({ job, deployment }) => job ?? deployment)
  for (const job of ofAzure.jobs) {
    if (job.dependsOn !== undefined) expect(names).toContain(job.dependsOn)
    for (const { bash } of stepsOf(job)) if (bash?.includes('\n')) expect(bash).toMatch(/^set -euo pipefail\n/)
  }
})

it('jobs of GitLab and Azure allow nothing where nobody has set what files may name', () => {
  // A variable of the project overrides these.
  expect(ofGitLab['.svcsync']?.variables).toMatchObject({ SVCSYNC_ALLOW_HOSTS: '', SVCSYNC_ALLOW_ENV: '' })
  const limits = { SVCSYNC_ALLOW_HOSTS: '$(SVCSYNC_ALLOW_HOSTS)', SVCSYNC_ALLOW_ENV: '$(SVCSYNC_ALLOW_ENV)' }
  const signsIn = ofAzure.jobs.flatMap(stepsOf).filter(({ env }) => env?.SVCSYNC_CLIENT_ID !== undefined)
  expect(signsIn).toHaveLength(6)
  for (const { env } of signsIn) expect(env).toMatchObject(limits)
})

let workspace: Workspace
let folder: string
let door: HostDoor
beforeAll(async () => {
  workspace = await openWorkspace()
  folder = mkdtempSync(join(tmpdir(), 'svcsync-ci-'))
  door = await openHostDoor()
  putTools(folder, door)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  door.close()
  await workspace.close()
})
const play = (script: string, env: Record<string, string>) => {
  const PATH = `${folder}:${process.env.PATH}`
  return startScript(['bash', '-eo', 'pipefail', '-c', script], workspace.dir, { ...workspace.env, ...env, PATH })
}
const written = (file: string): string => readFileSync(join(workspace.dir, file), 'utf8')

it('a job comments on GitLab, fills its widgets, and says when the comment is of an older commit', async () => {
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva, email: eva@example.com }\n')
  const gitlab = await pretendForge(gitLab(100))
  const env = {
    ...{ GITLAB_TOKEN: token, CI_API_V4_URL: `${gitlab.url}/api/v4`, CI_PROJECT_ID: '42', CI_MERGE_REQUEST_IID: '7' },
    ...{ CI_COMMIT_SHA: gitlab.head, CI_JOB_URL: 'https://gitlab.example.com/org/config/-/jobs/1' },
  }
  const lines = ofGitLab['svcsync-plan']?.script?.join('\n') ?? ''
  // A runner leaves nothing of the job before it.
  const script = `rm -rf results; ${lines.replace('--target prod', '--target test')}`
  expect(await play(script, env)).toMatchObject({ code: 0 })
  expect(gitlab.comments).toHaveLength(1)
  expect(gitlab.comments[0]?.body).toContain(
    '<https://gitlab.example.com/org/config/-/jobs/1/artifacts/file/plan.html>',
  )
  expect(JSON.parse(written('counts.json'))).toEqual({ create: 1, update: 0, delete: 0 })
  expect(JSON.parse(written('danger.json'))).toEqual([])
  expect(written('plan.html')).toMatch(/^<!doctype html>/i)
  // The plan lists unreadable objects, and the review resumes.
  workspace.manifest('groups: [{ svcId: locked@example.com, name: Locked }]')
  const effect = { kind: 'status', status: 403 }
  workspace.emulator.addFault({ match: { method: 'GET', path: '/admin/group' }, effect, count: null } as never)
  expect(await play(script, env)).toMatchObject({ code: 0 })
  expect(JSON.parse(written('danger.json'))).toMatchObject([{ check_name: 'SVC3041' }, { check_name: 'Verdict' }])
  workspace.emulator.clearFaults()
  workspace.manifest('users:\n  - { nosuch: 1 }\n')
  gitlab.head = 'def456'
  const failed = await play(script, { ...env, CI_COMMIT_SHA: 'def456' })
  expect(failed.code).toBe(1)
  expect(failed.log).toContain('SVC')
  expect(gitlab.comments).toMatchObject([{ body: expect.stringContaining('> **Outdated:**') }])
  await gitlab.close()
})

it('a job comments on Azure DevOps, and shows the plan as the summary of the run', async () => {
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva }\n')
  const devops = await pretendForge(azure())
  const { code, log } = await play(planStep?.bash ?? '', {
    ...{ SYSTEM_ACCESSTOKEN: token, SYSTEM_COLLECTIONURI: `${devops.url}/org/`, SYSTEM_TEAMPROJECTID: 'project-id' },
    ...{ BUILD_REPOSITORY_ID: 'repo-id', SYSTEM_PULLREQUEST_PULLREQUESTID: '7', FOLDER: folder, TARGETS: 'test' },
  })
  expect(code).toBe(0)
  // Eva has no e-mail address: a warning, beside her line.
  expect(log).toMatch(/^##vso\[task\.logissue type=warning;sourcepath=manifests\/main\.yaml;linenumber=2;/m)
  expect(log).toContain(`##vso[task.uploadsummary]${folder}/svcsync.md`)
  expect(log).not.toContain('task.complete')
  expect(devops.comments).toMatchObject([{ body: readFileSync(join(folder, 'svcsync.md'), 'utf8') }])
  await devops.close()
})

it('a share in Kubernetes goes on with what is left, by secrets in files', async () => {
  workspace.write('secrets/client-id', 'svcsync')
  workspace.write('secrets/client-secret', 'svcsync-secret')
  const baseUrl = workspace.emulator.url
  const secrets = 'clientId: "${file:secrets/client-id}", clientSecret: "${file:secrets/client-secret}"'
  workspace.write(
    'svcsync.yaml',
    'version: 1\nmanifests: [manifests]\ntargets:\n' +
      `  test: { baseUrl: "${baseUrl}", ${secrets}, databases: { main: 1 } }\n`,
  )
  workspace.manifest('users:\n  - { svcId: kim@example.com, name: Kim, email: kim@example.com }\n')
  const effect = { kind: 'status', status: 400 }
  workspace.emulator.addFault({ match: { method: 'POST', path: '/admin/users' }, effect, count: null } as never)
  const [{ args }] = ofShare.spec.template.spec.containers
  const script = args[0].replace('/results', folder)
  const env = { JOB_NAME: 'svcsync-apply-x', JOB_COMPLETION_INDEX: '0', SVCSYNC_SHARDS: '1', SVCSYNC_CLIENT_ID: '' }
  const file = join(folder, 'svcsync-apply-x/0/test.json')
  const exitCode = (): unknown => (JSON.parse(readFileSync(file, 'utf8')) as { exitCode: number }).exitCode
  expect(await play(script, env)).toMatchObject({ code: 3 })
  expect(exitCode()).toBe(3)
  workspace.emulator.clearFaults()
  expect(await play(script, env)).toMatchObject({ code: 0 })
  expect(exitCode()).toBe(0)
})
