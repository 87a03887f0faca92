// The action with inputs, an event and the files of a job, against a platform and a GitHub on the loopback; as GitHub
// starts it (`whole`).
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { originOf } from '../../src/cli/action/inputs.ts'
import { type PretendedForge, token } from '../forge/pretended-forge.ts'
import { pretendGitHub } from '../forge/pretended-github.ts'
import { action, playAction, type WholeProcess } from '../harness/github-job.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
let github: PretendedForge
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())
beforeEach(async () => {
  github = await pretendGitHub()
  return () => github.close()
})

const people = (names: string) => {
  workspace.manifest(
    `users:\n${names
      .split(' ')
      .map((name) => `  - { svcId: ${name}@example.com, name: ${name} }\n`)
      .join('')}`,
  )
}

/** The inputs and outputs of a job. */
async function run(
  inputs: Readonly<Record<string, string>>,
  { event = {}, env = {}, whole }: { event?: object; env?: Record<string, string>; whole?: WholeProcess } = {},
) {
  const dir = mkdtempSync(join(workspace.dir, 'job-'))
  const file = (name: string, text = '') => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  const pull = { number: 7, head: { sha: github.head, repo: { full_name: 'org/config' } }, ...event }
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''] as const)
  const given = Object.entries({ ...Object.fromEntries(defaults), token, ...inputs })
  const { code, log } = await playAction(
    workspace.dir,
    {
      PATH: process.env.PATH ?? '',
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      RUNNER_TEMP: dir,
      GITHUB_OUTPUT: file('output'),
      GITHUB_STEP_SUMMARY: file('summary'),
      GITHUB_EVENT_PATH: file('event', JSON.stringify({ pull_request: pull })),
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_REPOSITORY: 'org/config',
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: 'https://github.example.com',
      GITHUB_RUN_ID: '42',
      ...workspace.env,
      ...Object.fromEntries(given.map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value])),
      ...env,
    },
    whole,
  )
  const outputs = [...readFileSync(join(dir, 'output'), 'utf8').matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2$/gm)]
  return {
    code,
    log,
    summary: readFileSync(join(dir, 'summary'), 'utf8'),
    outputs: Object.fromEntries(outputs.map(([, name = '', , value = '']) => [name, value])),
  }
}

it('plans in a pull request: outputs, annotations, the summary, the page, one comment that links to it', async () => {
  people('eva jan')
  const done = await run({ target: 'test', html: 'true', check: 'true' }, { whole: {} })
  expect(done).toMatchObject({ code: 0, outputs: { 'has-changes': 'true' } })
  expect(Object.keys(done.outputs).sort()).toEqual(Object.keys(action.outputs).sort())
  expect(JSON.parse(done.outputs.counts ?? '')).toMatchObject({ create: 2, delete: 0 })
  expect(done.outputs.digest).toMatch(/^sha256:/)
  expect(readFileSync(done.outputs.report ?? '', 'utf8')).toMatch(/^<!doctype html>/)
  expect(done.summary).toContain('### `test`: 2 creations; nothing is deleted or removed')
  expect(github.checks).toMatchObject([
    {
      name: 'svcsync plan: test',
      head_sha: github.head,
      conclusion: 'success',
      output: { title: '2 creations; nothing is deleted or removed' },
    },
  ])
  expect(github.comments).toHaveLength(1)
  expect(github.comments[0]?.body).toContain(
    '[All of it as a page](<https://github.example.com/org/config/actions/runs/42#artifacts>)',
  )
  const plan = JSON.parse(readFileSync(join(done.outputs.folder ?? '', 'plan-test.json'), 'utf8'))
  expect(plan).toMatchObject({ digest: done.outputs.digest, saved: expect.anything() })

  const approved = `--approved\n${join(done.outputs.folder ?? '', 'plan-test.json')}`
  people('eva jan ewa')
  const unseen = await run({ command: 'apply', target: 'test', args: approved, comment: 'false' })
  expect(unseen).toMatchObject({ code: 4, outputs: {} })
  expect(unseen.summary).toContain(
    '### svcsync: no apply in the target test\n\n- SVC2197 `user/ewa@example.com`: is created (in no approved plan)',
  )
  people('eva jan')
  const args = `--expect\n${done.outputs.digest}\n${approved}`
  const applied = await run({ command: 'apply', target: 'test', args, comment: 'false' })
  expect(applied).toMatchObject({ code: 0, outputs: { 'has-changes': 'true' } })
  expect(applied.summary).toContain('Every changed object is as declared')
  const seen = [github.checks.length, github.comments[0]?.body]
  const stale = await run({ command: 'apply', target: 'test', args: `--expect\n${done.outputs.digest}`, check: 'true' })
  expect(stale.code).toBe(4)
  expect(stale.log).toContain('SVC2108')
  expect(stale.summary).toContain('nothing was applied')
  expect([github.checks.length, github.comments[0]?.body]).toEqual(seen)
})

it('tells of removals at their lines, and fails without a plan, but not without a comment', async () => {
  people('eva')
  await workspace.apply()
  workspace.manifest('users:\n  - svcId: eva@example.com\n    absent: true\n')
  github.order({ method: 'GET', status: 403 })
  const done = await run({ target: 'test' })
  expect(done.code).toBe(0)
  expect(done.log).toContain(
    '::warning file=manifests/main.yaml,line=2,col=5,title=Deleted::`user/eva@example.com` is deleted.',
  )
  expect(
    done.log.match(/^::warning title=SVC2185::The comment could not be posted: GitHub answered 403.*$/gm),
  ).toHaveLength(1)
  expect(done.summary).toContain('> **warning SVC2185:** The comment could not be posted')
  expect(done.log).not.toContain(token)

  expect((await run({ target: 'test' })).log).toContain('Comment on org/config#7: made.')
  github.head = 'def456'
  const broken = await run({ target: 'test' }, { env: { SVCSYNC_CLIENT_SECRET: 'wrong-wrong-wrong' } })
  expect(broken.code).toBe(1)
  expect(broken.log).toMatch(/^::error title=SVC\d+::/m)
  expect(broken.summary).toContain('### svcsync: no plan in the target test')
  expect(broken.outputs['has-changes']).toBeUndefined()
  expect(github.comments).toMatchObject([{ body: expect.stringContaining('this is about the commit `abc123`') }])
})

it('fails where the check could not be written, and names the line of a problem that ends an apply', async () => {
  people('eva zoe')
  github.order({ method: 'POST', path: /check-runs/, status: 403, times: 9 })
  const done = await run({ target: 'test', check: 'true', comment: 'false' })
  expect(done).toMatchObject({ code: 1, outputs: { 'has-changes': 'true' } })
  expect(done.log).toMatch(/^::error title=SVC2817::The check could not be posted: GitHub answered 403/m)
  expect(done.summary).toContain('> **error SVC2817:** The check could not be posted')
  expect(done.summary).toContain('; nothing is deleted or removed')
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva, emial: x }\n')
  const broken = await run({ command: 'apply', target: 'test', args: '--yes' })
  expect(broken.code).toBe(1)
  expect(broken.log).toMatch(/^::error file=manifests\/main\.yaml,line=2,col=\d+,title=SVC\d+::/m)
})

it('goes on to the review with a plan that lacks reads, and fails where an apply skipped something', async () => {
  workspace.manifest('groups: [{ svcId: open@example.com, name: O }, { svcId: locked@example.com, name: L }]')
  const effect = { kind: 'status', status: 403 }
  const match = { method: 'GET', path: '/admin/group', query: 'locked' }
  workspace.emulator.addFault({ match, effect, count: null } as never)
  const planned = await run({ check: 'true' })
  expect(planned).toMatchObject({ code: 0, outputs: { 'has-changes': 'true' } })
  expect(planned.log).toContain('::error title=SVC3041::`group/locked@example.com` could not be read')
  expect(planned.summary).toContain('1 object could not be read')
  expect(github.checks).toMatchObject([{ conclusion: 'failure' }])
  expect(github.comments).toHaveLength(1)
  const args = `--expect\n${planned.outputs.digest?.slice('sha256:'.length)}`
  const applied = await run({ command: 'apply', comment: 'false', args })
  expect(applied).toMatchObject({ code: 3, outputs: { 'has-changes': 'true' } })
  expect(applied.summary).toContain('#### ⛔ Could not be read, and was left alone')
  workspace.emulator.clearFaults()
})

it('lets an apply end what is under way where the job is cancelled, and says what it did', async () => {
  people(Array.from({ length: 20 }, (_, index) => `worker${index}`).join(' '))
  const effect = { kind: 'delay', delayMs: 500 }
  await workspace.control('POST', '/faults', { match: { method: 'POST', path: '/admin/users' }, count: null, effect })
  await workspace.control('DELETE', '/requests')
  const isWriting = () =>
    workspace.emulator.requests().some(({ method, path }) => method === 'POST' && /users$/.test(String(path)))
  const done = await run(
    { command: 'apply', args: '--yes\n--concurrency\n2', target: 'test' },
    { whole: { cancel: isWriting } },
  )
  workspace.emulator.clearFaults()
  expect(done.code).toBe(130)
  expect(done.summary).toContain('Interrupted. The Svc platform is not as declared: ')
  expect(JSON.parse(done.outputs.counts ?? '')).toMatchObject({ failed: 0, unknown: 0 })
})

it('gives nothing to a fork but a validation, and says so', async () => {
  people('eva jan ola')
  const fork = { event: { head: { sha: 'a', repo: { full_name: 'stranger/config' } } } }
  const done = await run({ command: 'apply', target: 'test', args: '--yes', check: 'true' }, { ...fork, whole: {} })
  expect(done.code).toBe(0)
  expect(done.log).toContain('No problems found.')
  expect(done.summary).toContain('a pull request of a fork')
  expect(github.requests).toEqual([])
  expect(await workspace.changes()).toContain('create user/ola@example.com')
  workspace.manifest('users:\n  - { svcId: a@example.com, nme: A }\n')
  const wrong = await run({ target: 'test' }, fork)
  expect(wrong.code).toBe(1)
  expect(wrong.log).toMatch(/^::error file=manifests\/main\.yaml,line=2/m)
})

const [own, foreign] = ['org/config', 'stranger/config'].map((full_name) => ({ full_name }))
it.each([
  ['a push', 'push', {}, 'own'],
  ['a schedule', 'schedule', { schedule: '17 2 * * *' }, 'own'],
  ['somebody who starts it', 'workflow_dispatch', { inputs: null }, 'own'],
  ['a merge queue', 'merge_group', { merge_group: { base_ref: 'refs/heads/main' } }, 'own'],
  ['a pull request of its own', 'pull_request', { pull_request: { head: { repo: own } } }, 'own'],
  ['one of a fork', 'pull_request', { pull_request: { head: { repo: foreign } } }, 'fork'],
  ['one of a fork that was deleted', 'pull_request', { pull_request: { head: { repo: null } } }, 'fork'],
  ['one of which nothing is told', 'pull_request', { pull_request: {} }, 'fork'],
  ['one that is missing', 'pull_request', {}, 'fork'],
  ['a workflow behind one of a fork', 'workflow_run', { workflow_run: { head_repository: foreign } }, 'fork'],
  ['a workflow behind its own', 'workflow_run', { workflow_run: { head_repository: own } }, 'own'],
  ['one that is missing, behind a workflow', 'workflow_run', { pull_request: { head: { repo: own } } }, 'fork'],
  ['no event that can be read', 'push', undefined, 'unknown'],
  ['an event that is no object', 'push', [], 'unknown'],
  ['an event without a name', undefined, {}, 'unknown'],
  ['a name of every object', 'constructor', {}, 'unknown'],
  ['an event that strangers bring about', 'issue_comment', { issue: {} }, 'unknown'],
  ['a fork with secrets', 'pull_request_target', { pull_request: { head: { repo: own } } }, 'unknown'],
  ['a push with a pull request', 'push', { pull_request: { head: { repo: own } } }, 'unknown'],
])("tells whose files are a stranger's: %s", (_, name, event, origin) => {
  expect(originOf({ GITHUB_EVENT_NAME: name, GITHUB_REPOSITORY: 'org/config' }, event)).toBe(origin)
})

it('takes no repository without a name for its own', () => {
  const event = { pull_request: { head: { repo: {} } } }
  expect(originOf({ GITHUB_EVENT_NAME: 'pull_request' }, event)).toBe('fork')
})

it.each([
  ['GITHUB_EVENT_NAME', 'release', 'The event `release`'],
  ['GITHUB_EVENT_PATH', '/nowhere', 'The event `pull_request`'],
])(
  'gives nothing to a job whose %s is %s but a validation, and fails where it was to apply',
  async (name, value, event) => {
    people('eva jan ola')
    const given = { command: 'apply', target: 'test', args: '--yes' }
    const done = await run(given, { env: { [name]: value } })
    expect(done.code).toBe(1)
    expect(done.log).toContain('No problems found.')
    expect(done.log).toContain(`::error title=SVC2816::${event} gets no credentials`)
    expect(done.summary).toContain('an event that gets no credentials')
    expect(await workspace.changes()).toContain('create user/ola@example.com')
  },
)

it('takes inputs for data, and names all that is wrong in them', async () => {
  people('eva')
  const hostile = '$(touch pwned)"; exit 0 #'
  const done = await run({ target: 'test', allow: hostile }, { whole: {} })
  expect(done.code).toBe(1)
  expect(done.log).toContain('$(touch pwned)')
  const wrong = await run({ command: 'destroy', comment: 'perhaps' }, { whole: {} })
  expect(wrong.code).toBe(1)
  expect(wrong.log).toBe(
    '::error title=SVC2816::The inputs of the action cannot be used: ' +
      '`command` is one of plan, apply, drift, validate, and not `destroy`; ' +
      '`comment` is `true` or `false`, and not `perhaps`.%0ACorrect them below `with`.\n',
  )
})
