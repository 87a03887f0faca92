// `svcsync report` of what other commands printed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pretendForge, token } from '../forge/pretended-forge.ts'
import { pretendGitHub } from '../forge/pretended-github.ts'
import { gitLab } from '../forge/pretended-gitlab.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva }\n  - { svcId: jan@example.com, name: Jan }\n')
})
afterAll(() => workspace.close())
const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })

it('puts a plan, a drift and an apply together, in three forms', async () => {
  const save = async (file: string, ...args: string[]) => {
    const { stdout } = await run(...args, '--format', 'json')
    writeFileSync(join(workspace.dir, file), stdout)
  }
  await save('plan.json', 'plan')
  await save('again.json', 'plan')
  await run('plan', '--out', 'saved.json', '--max-age', '1h')
  await save('drift.json', 'drift')
  await save('apply.json', 'apply', '--yes')
  const files = ['plan.json', 'again.json', 'saved.json', 'drift.json', 'apply.json']
  const comment = await run('report', ...files)
  expect(comment).toMatchObject({ code: 0, stderr: '' })
  expect(comment.stdout).toMatch(/^<!-- svcsync:report -->\n\n### svcsync: 1 target\n/)
  expect(comment.stdout).toContain('#### `test`: 2 creations; nothing is deleted or removed\n')
  expect(comment.stdout).toContain('#### Drift of `test`: 2 objects missing')
  expect(comment.stdout).toContain('#### ✅ Apply to `test`: Every changed object is as declared')
  const link = ['--page-url', 'https://user:pass@ci.example.com/a>b?c=1#artifacts']
  const short = await run('report', ...files, '--max-kb', '1', ...link)
  expect(Buffer.byteLength(short.stdout)).toBeLessThanOrEqual(1000)
  expect(short.stdout).toContain('[All of it as a page](<https://ci.example.com/a%3Eb?c=1#artifacts>)')
  const page = await run('report', ...files, '--format', 'html')
  expect(page.stdout.match(/<h1>/g)).toHaveLength(3)
  const json = JSON.parse((await run('report', ...files, '--format', 'json')).stdout)
  expect(
    json.groups.map(({ command, outcome }: { command: string; outcome: string | null }) => [command, outcome]),
  ).toEqual([
    ['plan', null],
    ['drift', null],
    ['apply', 'converged'],
  ])
})

it('believes no plan that was altered', async () => {
  for (const file of ['plan.json', 'saved.json']) {
    const text = readFileSync(join(workspace.dir, file), 'utf8')
    writeFileSync(join(workspace.dir, `altered-${file}`), text.replaceAll('"Eva"', '"Evil"'))
  }
  const { code, stdout, stderr } = await run('report', 'altered-plan.json', 'altered-saved.json', 'plan.json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('SVC2103  `altered-plan.json` was altered: user/eva@example.com does not match its digest')
  expect(stderr).toContain('SVC2103  `altered-saved.json` was altered')
})

it('reports the others beside a file that it cannot use, and says which is left out', async () => {
  const later = JSON.stringify({
    ...JSON.parse(readFileSync(join(workspace.dir, 'plan.json'), 'utf8')),
    formatVersion: '2.0',
  })
  writeFileSync(join(workspace.dir, 'later.json'), later)
  const why = '`later.json` has the format 2.0, which this version of svcsync does not know'
  const report = (...args: string[]) => run('report', 'plan.json', 'later.json', ...args)
  const stderr = `error SVC2184  Not reported: ${why}\n`
  const comment = await report()
  expect(comment).toMatchObject({ code: 1, stderr })
  expect(comment.stdout).toContain('### `test`: 2 creations')
  expect(comment.stdout).toContain(`> **Not reported:** ${why}\n`)
  const page = await report('--format', 'html')
  expect(page).toMatchObject({ code: 1, stderr })
  expect(page.stdout).toContain('Not reported: <code>later.json</code> has the format 2.0')
  expect((await report('--format', 'github')).stdout).toMatch(/^::error .*SVC2184/m)
  const json = JSON.parse((await report('--format', 'json')).stdout)
  expect(json).toMatchObject({ notReported: [why], groups: [{ command: 'plan' }] })
  expect(await run('report', 'later.json')).toMatchObject({ code: 1, stdout: '' })
})

it('holds in its JSON what changes', async () => {
  const plan = JSON.parse(readFileSync(join(workspace.dir, 'plan.json'), 'utf8'))
  const files = ['plan.json', 'drift.json', 'apply.json']
  const { groups } = JSON.parse((await run('report', ...files, '--format', 'json')).stdout)
  const bare = plan.changes.map(({ digest: _, ...change }: { digest: string }) => change)
  expect(bare).toHaveLength(2)
  expect(groups[0].changes).toEqual(bare)
  expect(groups[1].changes[0]).toMatchObject({ address: 'user/eva@example.com', onPlatform: 'missing' })
  expect(groups[2].changes).toBeNull()
  expect(plan.verdict.points).not.toEqual([])
  expect(groups[0].verdict).toEqual(plan.verdict)
  expect(groups[2].verdict).toEqual({ severity: 'none', sentence: expect.stringContaining('as declared'), points: [] })
})

it('posts to the pull request of a job, and says in one line what could not be posted', async () => {
  const github = await pretendGitHub()
  const event = join(workspace.dir, 'event.json')
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha: github.head } } }))
  const job = {
    GITHUB_TOKEN: token,
    GITHUB_REPOSITORY: 'org/config',
    GITHUB_API_URL: github.url,
    GITHUB_EVENT_PATH: event,
  }
  const post = (variables = {}) =>
    runCommand(['report', 'plan.json', '--to', 'github'], workspace.dir, { ...workspace.env, ...job, ...variables })
  const made = await post()
  expect(made).toMatchObject({ code: 0, stderr: 'Comment on org/config#7: made.\n' })
  expect(
    github.comments[0]?.body
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('<!-- svcsync:commit')),
  ).toEqual(made.stdout.trimEnd().split('\n'))
  expect((await post()).stderr).toBe('Comment on org/config#7: as it was.\n')
  const refused = await post({ GITHUB_TOKEN: 'ghs_other-token' })
  expect(refused.code).toBe(0)
  expect(refused.stdout).toBe(made.stdout)
  expect(refused.stderr).toContain(
    'warning SVC2185  The comment could not be posted: GitHub answered 401: Bad credentials',
  )
  expect(refused.stderr).not.toContain('other-token')
  expect((await post({ GITHUB_EVENT_PATH: '/nowhere', GITHUB_REF: 'refs/heads/main' })).stderr).toContain(
    'warning SVC2186',
  )
  github.order({ method: 'GET', status: 0, breaks: true, times: 3 })
  const cut = await post({ GITHUB_ACTIONS: 'true' })
  expect(cut).toMatchObject({ code: 0, stdout: made.stdout })
  expect(cut.stderr).toMatch(
    /^::warning title=SVC2185::The comment could not be posted: The connection to 127\.0\.0\.1/,
  )
  github.order({ method: 'GET', path: /check-runs/, status: 404 })
  const unchecked = await runCommand(['report', 'plan.json', '--check'], workspace.dir, {
    ...workspace.env,
    ...job,
    GITHUB_SHA: 'abcdef0',
  })
  expect(unchecked).toMatchObject({ code: 1, stdout: made.stdout })
  expect(unchecked.stderr).toContain('error SVC2817  The check could not be posted: GitHub answered 404')
  // The plan of a new commit has failed: what stands there is of an older one.
  github.head = 'def456'
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha: github.head } } }))
  const failed = await runCommand(['report', event, '--to', 'auto'], workspace.dir, {
    ...workspace.env,
    ...job,
    GITHUB_ACTIONS: 'true',
  })
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toContain('marked as outdated, because there is a newer commit')
  expect(failed.stderr).toContain('SVC2184')
  expect(github.comments[0]?.body).toContain('> **Outdated:** this is about the commit `abc123`')
  await github.close()
})

it('posts to whichever service runs the job', async () => {
  const post = (variables = {}) =>
    runCommand(['report', 'plan.json', '--to', 'auto'], workspace.dir, { ...workspace.env, ...variables })
  expect((await post()).stderr).toContain('warning SVC2821')
  expect((await post({ TF_BUILD: 'True' })).stderr).toContain('SYSTEM_ACCESSTOKEN')
  const gitlab = await pretendForge(gitLab(100))
  const job = { GITLAB_CI: 'true', GITLAB_TOKEN: token, CI_API_V4_URL: `${gitlab.url}/api/v4`, CI_PROJECT_ID: '42' }
  const made = await post({ ...job, CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_PROJECT_PATH: 'org/config' })
  expect(made).toMatchObject({ code: 0, stderr: 'Comment on org/config!7: made.\n' })
  expect(gitlab.comments).toMatchObject([{ body: made.stdout }])
  await gitlab.close()
})
