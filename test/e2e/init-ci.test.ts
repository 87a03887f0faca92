// `init --ci` in a project that is there: what it writes, what it refuses, and the workflows that it writes, played job
// by job with the built action on two platforms, real git and a GitHub over HTTP.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startEmulator } from '../../src/emulator/index.ts'
import { token } from '../forge/pretended-forge.ts'
import { pretendGitHub } from '../forge/pretended-github.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, openGitRemote } from '../harness/git-remote.ts'
import { playJob, putJobTools, type RunnerOptions } from '../harness/github-job.ts'
import { openHostDoor, putTools } from '../harness/host-door.ts'
import { git } from '../harness/repository.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-init-ci-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}
const read = (file: string): string => readFileSync(join(dir, file), 'utf8')
const init = (...args: string[]) => runCommand(['init', '--ci', ...args], dir)
const target = (name: string, more = '') => `  ${name}:
    baseUrl: "\${env:${name.toUpperCase()}_URL}"
    clientId: "\${env:${name.toUpperCase()}_CLIENT_ID}"
    clientSecret: "\${env:${name.toUpperCase()}_CLIENT_SECRET}"
    databases: { main: 1 }
${more}`
const project = (...targets: string[]) => `# ours
version: 1
manifests: [manifests]
targets:
${targets.join('')}`

describe('in a project that is there', { timeout: 60_000 }, () => {
  beforeEach(() => {
    write('svcsync.yaml', project(target('eu'), target('us'), '  here: { baseUrl: "http://127.0.0.1:4010" }\n'))
    write('manifests/main.yaml', 'database: main\nconstants: [{ name: Url, common: "${env:ERP_URL}" }]\n')
  })

  it('writes workflows for its targets, names what to set, and overwrites nothing', async () => {
    const { code, stdout, stderr } = await init('github')
    expect(code).toBe(0)
    expect(stdout).toContain('written  .github/workflows/apply-target.yml\n')
    expect(read('.github/workflows/apply.yml')).toContain('target: [eu, us]\n')
    expect(read('.github/workflows/plan.yml')).toMatch(/EU_CLIENT_ID: .*secrets.EU_READ_CLIENT_ID/)
    expect(read('.github/workflows/plan.yml')).toMatch(/ERP_URL: .*secrets.ERP_URL/)
    expect(stderr).toContain('only this machine has their addresses: here.')
    expect(stderr).toContain(
      'SVCSYNC_ALLOW_ENV=EU_CLIENT_ID,EU_CLIENT_SECRET,US_CLIENT_ID,US_CLIENT_SECRET,EU_URL,US_URL,ERP_URL',
    )
    expect(read('svcsync.yaml')).not.toContain('ledger')
    write('.github/workflows/plan.yml', 'mine')
    rmSync(join(dir, '.github/workflows/apply.yml'))
    const again = await init('github', '--ledger')
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('SVC2040') })
    expect(again.stderr).toContain('.github/workflows/plan.yml')
    expect(read('.github/workflows/plan.yml')).toBe('mine')
    expect(existsSync(join(dir, '.github/workflows/apply.yml'))).toBe(false)
    expect(read('svcsync.yaml')).not.toContain('ledger')
  })

  it('adds a ledger to the project file, and leaves the pipeline of others as it is', async () => {
    const before = read('svcsync.yaml')
    write('.gitlab-ci.yml', 'test: { script: [true] }\n')
    const gitlab = await init('gitlab', '--ledger', '--target', 'eu')
    expect(gitlab.code).toBe(0)
    expect(gitlab.stderr).toContain('Add to your .gitlab-ci.yml:\n\n  include: { local: ci/svcsync.yml }\n')
    expect(read('.gitlab-ci.yml')).toBe('test: { script: [true] }\n')
    expect(read('ci/svcsync.yml')).toContain('SVCSYNC_TARGET: [eu]')
    expect(read('ci/svcsync.yml')).toContain('$SVCSYNC_LEDGER_TOKEN')
    expect(read('svcsync.yaml')).toBe(`${before}ledger: { remote: origin }\n`)
    rmSync(join(dir, 'ci'), { recursive: true })
    const fixed = '  de: { baseUrl: "https://de.example.com" }\n'
    write('svcsync.yaml', read('svcsync.yaml').replace('targets:\n', `targets:\n${fixed}`))
    const hosts = expect.stringContaining('SVCSYNC_ALLOW_HOSTS=de.example.com,… (nothing')
    expect(await init('azure')).toMatchObject({ code: 0, stderr: hosts })
    expect(read('azure-pipelines.yml')).toContain('- template: ci/svcsync.yml')
    expect(read('ci/svcsync.yml')).toContain('persistCredentials')
  })

  it('applies wave after wave in one job', async () => {
    const waves = `waves: [{ labels: { ring: canary } }]\n`
    write('svcsync.yaml', read('svcsync.yaml').replace('  eu:\n', '  eu:\n    labels: { ring: canary }\n') + waves)
    const { code, stderr } = await init('github')
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('waves') })
    expect(read('.github/workflows/apply.yml')).toContain('wave after wave')
    expect(read('.github/workflows/shards.yml')).toContain('svcsync $COMMAND --target eu --target us --results')
    expect(await init('gitlab')).toMatchObject({ code: 0 })
    expect(read('ci/svcsync.yml')).toContain('svcsync apply --target eu --target us --yes --results results')
    expect(read('ci/svcsync.yml')).not.toMatch(/digest-|no longer the/)
    rmSync(join(dir, 'ci'), { recursive: true })
    expect(await init('azure')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('waves') })
    const { jobs } = parse(read('ci/svcsync.yml')) as { jobs: Record<string, Record<string, unknown>[]>[] }
    const apply = jobs.flatMap((each) => each["${{ if eq(variables['Build.SourceBranch'], 'refs/heads/main') }}"] ?? [])
    expect(apply).toMatchObject([{ job: 'svcsync_plan_merged' }, { deployment: 'svcsync_apply' }])
    expect(JSON.stringify(apply)).toContain('svcsync apply --target eu --target us --yes')
    // They are no jobs of one target.
    expect(JSON.stringify(apply)).not.toMatch(/target[,)]|target }}|digest/i)
    rmSync(join(dir, '.github'), { recursive: true })
    const shards = await init('github', '--shards', '2')
    expect(shards).toMatchObject({ code: 1, stderr: expect.stringContaining('A shard is of one wave') })
  })

  it.each([
    ['a link out of the folder', [], 'SVC2031', () => symlinkSync(tmpdir(), join(dir, '.github'))],
    ['shards beyond the limit of GitHub', ['--shards', '257'], 'SVC2324', () => undefined],
    ['a target that nobody reaches', ['--target', 'here'], 'SVC2043', () => undefined],
    ['a target that there is not', ['--target', 'zz'], 'SVC2320', () => undefined],
    ['a project with a mistake', [], 'SVC1103', () => write('svcsync.yaml', 'version: 2\n')],
  ])('refuses %s, and writes nothing', async (_, args, problem, prepare) => {
    prepare()
    const before = readdirSync(dir)
    const { code, stdout, stderr } = await init('github', ...args)
    expect({ code, stdout, stderr }).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(problem) })
    expect(readdirSync(dir)).toEqual(before)
  })
})

it.each([
  ['init', '--ledger'],
  ['init', '--shards', '8'],
  ['init', '--ci', 'gitlab', '--shards', '8'],
  ['init', '--target', 'eu'],
])('refuses %s %s where it means nothing', async (...args) => {
  const { code, stderr } = await runCommand(args, dir)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC2043') })
  expect(readdirSync(dir)).toEqual([])
})

it('gives a new project below the top of a repository pipelines there, if they are asked for', async () => {
  git(dir, 'init', '--quiet')
  const { code, stderr } = await runCommand(['init', 'one'], dir)
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('at the top of the repository') })
  expect(readdirSync(join(dir, 'one'))).not.toContain('.github')
  expect(readdirSync(dir).sort()).toEqual(['.git', 'one'])
  expect(await runCommand(['init', 'two', '--ci', 'github', '--ledger'], dir)).toMatchObject({ code: 0 })
  expect(read('.github/workflows/apply.yml')).toContain("project: ${{ inputs.project || 'two/svcsync.yaml' }}")
  expect(read('two/svcsync.yaml')).toMatch(/\nledger: { remote: origin }\n$/)
})

it('gives a new project the pipeline of the forge, and a ledger', async () => {
  expect(await init('gitlab', '--ledger')).toMatchObject({ code: 0 })
  expect(readdirSync(dir)).toEqual(expect.arrayContaining(['.gitlab-ci.yml', 'ci', 'svcsync.yaml']))
  expect(existsSync(join(dir, '.github'))).toBe(false)
  expect(await runCommand(['validate'], dir)).toMatchObject({ code: 0 })
  expect(read('svcsync.yaml')).toMatch(/\nledger: { remote: origin }\n$/)
})

it('names no variable that would be set to nothing, which forges refuse', async () => {
  write('svcsync.yaml', 'version: 1\nmanifests: [m.yaml]\ntargets: { prod: { baseUrl: https://svc.example.com } }\n')
  write('m.yaml', 'users: []\n')
  const { code, stderr } = await init('github')
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('HOSTS=svc.example.com (') })
  expect(stderr).not.toContain('SVCSYNC_ALLOW_ENV')
})

/** Two platforms, a GitHub, and a remote for the project in the folder. */
async function openJobs() {
  const [test, prod, github] = await Promise.all([startEmulator(), startEmulator(), pretendGitHub()])
  for (const each of [test, prod]) each.load({ users: [], databases: [{ id: 1 }] } as never)
  const remote = openGitRemote()
  const work = mkdtempSync(join(tmpdir(), 'svcsync-jobs-'))
  const door = await openHostDoor()
  const bin = putTools(join(work, 'bin'), door)
  putJobTools(bin)
  const names = ['TEST', 'PROD'].flatMap((name) => [name, `${name}_READ`])
  const secrets = names.flatMap((name) => [
    [`${name}_CLIENT_ID`, 'svcsync'],
    [`${name}_CLIENT_SECRET`, 'svcsync-secret'],
  ])
  const on = (name: string, value: object = {}): RunnerOptions => ({
    ...{ dir, work, bin, event: { name, value } },
    env: {
      ...{
        GITHUB_REPOSITORY: 'org/config',
        GITHUB_API_URL: github.url,
        GITHUB_SERVER_URL: 'https://github.example.com',
        GITHUB_REF_NAME: 'main',
      },
      ...{ HOME: '/nowhere', GIT_CONFIG_GLOBAL: '/dev/null', GITHUB_SHA: github.head },
    },
    context: {
      secrets: Object.fromEntries(secrets),
      vars: {
        ...{ TEST_URL: test.url, PROD_URL: prod.url },
        ...{ SVCSYNC_ALLOW_HOSTS: '127.0.0.1', SVCSYNC_ALLOW_ENV: 'TEST_*,PROD_*' },
      },
      github: { token, event: { pull_request: { number: 7 } } },
    },
  })
  const pull = { number: 7, head: { sha: github.head, repo: { full_name: 'org/config' } } }
  return {
    ...{ github, remote, on, inPull: on('pull_request', { pull_request: pull }) },
    users: () => [test, prod].map((each) => each.state().users?.length ?? 0),
    commit: () => {
      if (!existsSync(join(dir, '.git'))) remote.adopt(dir)
      commitAll(dir, 'All')
      git(dir, 'push', '--quiet', 'origin', 'main')
    },
    close: async () => {
      await Promise.all([test, prod, github].map((each) => each.close()))
      remote.close()
      door.close()
      rmSync(work, { recursive: true, force: true })
    },
  }
}

let jobs: Awaited<ReturnType<typeof openJobs>>
const openPromotion = async () => {
  jobs = await openJobs()
  write('svcsync.yaml', project(target('test'), target('prod', '    guards: { promotedFrom: test }\n')))
  write(
    'manifests/main.yaml',
    `users: [{ svcId: ann@example.com, name: Ann, email: ann@example.com }]
groups: [{ svcId: staff@example.com, name: Staff, owners: [ann@example.com] }]
`,
  )
  return jobs.close
}

describe('what it writes runs', { timeout: 480_000 }, () => {
  beforeEach(openPromotion)

  it('from the pull request to production, with a ledger', async () => {
    const { github, remote, on, inPull, users } = jobs
    expect(await init('github', '--ledger')).toMatchObject({ code: 0 })
    jobs.commit()
    const merge = { number: 8, merged_at: '2026-11-23T10:00:00Z', base: { ref: 'main' }, head: { sha: 'last' } }
    const review = { id: 9, state: 'APPROVED', commit_id: 'last', submitted_at: '2026-11-23T09:00:00Z' }
    github.lists.set(`commits/${git(dir, 'rev-parse', 'HEAD').trim()}/pulls`, [{ id: 8, ...merge }])
    github.lists.set('pulls/8/reviews', [{ ...review, user: { login: 'jan-kos' }, author_association: 'OWNER' }])
    expect(await playJob('plan.yml', 'plan', inPull)).toMatchObject({ code: 0 })
    expect(github.comments).toMatchObject([{ body: expect.stringContaining('`prod`') }])
    const apply = async (inputs: Record<string, string>) => {
      const plan = await playJob('apply-target.yml', 'plan', on('push'), { inputs })
      if (plan.code !== 0) return { ...plan, before: plan.summary }
      const needs = { plan: { outputs: plan.outputs.svcsync ?? {} } }
      return { ...(await playJob('apply-target.yml', 'apply', on('push'), { inputs, needs })), before: plan.summary }
    }
    expect(await apply({ target: 'test', environment: 'test' })).toMatchObject({ code: 0 })
    expect(await playJob('apply.yml', 'soak', on('push'))).toMatchObject({ code: 0 })
    const production = await apply({ target: 'prod', environment: 'production', after: 'test' })
    expect(production).toMatchObject({ code: 0, before: expect.stringContaining('explains:\n\nnone\n') })
    expect(users()).toEqual([1, 1])
    expect(git(remote.path, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/svcsync/applied')).toBe('prod\ntest')
    const { secrets = {}, vars = {} } = on('push').context as Record<string, Record<string, string>>
    const asked = await runCommand(['access', 'list', '--target', 'prod'], dir, { ...secrets, ...vars })
    expect(asked.stdout).toContain('approved by jan-kos')
    expect(await playJob('drift.yml', 'drift', on('schedule'))).toMatchObject({ code: 0 })
    const due = await playJob('due.yml', 'due', on('schedule'), { matrix: { target: 'test' } })
    expect(due).toMatchObject({ code: 0 })
    // Nobody has begun a review.
    expect(await playJob('access-review.yml', 'remind', on('schedule'))).toMatchObject({ code: 1 })
  })

  it('in shards, with one report of all', async () => {
    const { github, inPull } = jobs
    expect(await init('github', '--shards', '2')).toMatchObject({ code: 0 })
    jobs.commit()
    const inputs = { command: 'plan', environment: '' }
    for (const index of [1, 2]) {
      const more = { inputs, matrix: { shard: `${index}/2` }, strategy: { 'job-index': String(index - 1) } }
      expect(await playJob('shards.yml', 'shard', inPull, more)).toMatchObject({ code: 0 })
      rmSync(join(dir, 'results'), { recursive: true, force: true })
    }
    const report = await playJob('shards.yml', 'report', inPull, { inputs })
    expect(report).toMatchObject({ code: 0, summary: expect.stringContaining('`prod`') })
    expect(github.comments).toMatchObject([{ body: expect.stringContaining('`test`') }])
  })
})

describe('what it writes for another place or order runs', { timeout: 480_000 }, () => {
  beforeEach(openPromotion)

  it('below the top of the repository, where its pipelines are written', async () => {
    const { github, on, inPull, users } = jobs
    const inside = (...args: string[]) => runCommand(args, join(dir, 'conf/svc'))
    rmSync(join(dir, 'svcsync.yaml'))
    rmSync(join(dir, 'manifests'), { recursive: true })
    write('conf/svc/package.json', '{ "devDependencies": { "svcsync": "file:svcsync.tgz" } }')
    write('conf/svc/svcsync.yaml', project(target('prod')).replace('[manifests]', '[manifests, ../more.yaml]'))
    write('conf/svc/manifests/main.yaml', 'users: [{ svcId: ann@example.com, name: Ann, email: ann@example.com }]\n')
    write('conf/more.yaml', 'users: [{ svcId: eve@example.com, name: Eve, email: eve@example.com }]\n')
    jobs.commit()
    symlinkSync(tmpdir(), join(dir, '.github'))
    expect(await inside('init', '--ci', 'github')).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('leads out of the folder') },
    })
    rmSync(join(dir, '.github'))
    const { code, stdout, stderr } = await inside('init', '--ci', 'github', '--ledger')
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('package.json') })
    expect(stdout).toContain('written  ../../.github/workflows/plan.yml\n')
    expect(readdirSync(join(dir, 'conf/svc')).sort()).toEqual(['manifests', 'package.json', 'svcsync.yaml'])
    expect(read('.github/workflows/plan.yml')).toContain('paths: ["conf/svc/**", conf/more.yaml] #')
    expect(await inside('init', '--ci', 'gitlab')).toMatchObject({ code: 0 })
    expect(read('ci/svcsync.yml')).toContain('svcsync plan --project conf/svc/svcsync.yaml --target prod')
    expect(read('ci/svcsync.yml')).toContain('changes: ["conf/svc/**/*", conf/more.yaml]')
    rmSync(join(dir, 'ci'), { recursive: true })
    expect(await inside('init', '--ci', 'azure')).toMatchObject({ code: 0 })
    expect(read('azure-pipelines.yml')).toContain('paths: { include: [conf/svc, conf/more.yaml] } }')
    jobs.commit()
    expect(await playJob('plan.yml', 'plan', inPull)).toMatchObject({ code: 0 })
    expect(github.comments).toMatchObject([{ body: expect.stringContaining('`user/ann@example.com`') }])
    const plan = await playJob('apply.yml', 'plan', on('push'))
    const needs = { plan: { outputs: plan.outputs.svcsync ?? {} } }
    expect(await playJob('apply.yml', 'apply', on('push'), { needs })).toMatchObject({ code: 0 })
    expect(users()).toEqual([0, 2])
    expect(await playJob('drift.yml', 'drift', on('schedule'))).toMatchObject({ code: 0 })
    expect(await playJob('due.yml', 'due', on('schedule'), { matrix: { target: 'prod' } })).toMatchObject({ code: 0 })
    // Nobody has begun a review.
    const remind = await playJob('access-review.yml', 'remind', on('schedule'))
    expect(remind).toMatchObject({ code: 1, log: expect.stringContaining('SVC2310') })
  })

  it('wave after wave, in one job', async () => {
    const { on, users } = jobs
    write(
      'svcsync.yaml',
      `${read('svcsync.yaml').replace(/ {4}guards.*\n/, '    labels: { ring: canary }\n')}waves: ` +
        '[{ labels: { ring: canary } }]\n',
    )
    expect(await init('github')).toMatchObject({ code: 0 })
    jobs.commit()
    const more = {
      ...{ inputs: { command: 'apply --yes', environment: 'production' }, matrix: { shard: '1/1' } },
      strategy: { 'job-index': '0' },
    }
    const first = await playJob('shards.yml', 'shard', on('push'), more)
    expect(first).toMatchObject({ code: 0 })
    expect(first.log.indexOf('prod: Every')).toBeLessThan(first.log.indexOf('test: Every'))
    expect(users()).toEqual([1, 1])
  })
})
